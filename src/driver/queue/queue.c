#include "driver/queue/queue.h"

#include <stdlib.h>

#include "driver/queue/graph_run.h"
#include "driver/queue/queue_state.h"
#include "driver/state/context.h"

struct queue *queue_create(struct driver *driver, const struct command_handler handlers[static COMMAND_KINDS])
{
    struct queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return NULL;
    queue->driver = driver;
    queue->handlers = handlers;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->work, &monotonic);
    pthread_cond_init(&queue->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return queue;
}

void queue_append(struct queue *queue, struct queued *item)
{
    struct CUstream_st *stream = item->stream;
    item->before = queue->last;
    if (queue->last != NULL)
        queue->last->after = item;
    else
        queue->first = item;
    queue->last = item;
    if (stream->last != NULL)
        stream->last->next = item;
    else
        stream->first = item;
    stream->last = item;
    queue->stirred = true;
}

void queue_remove(struct queue *queue, struct queued *item)
{
    struct CUstream_st *stream = item->stream;
    if (item->before != NULL)
        item->before->after = item->after;
    else
        queue->first = item->after;
    if (item->after != NULL)
        item->after->before = item->before;
    else
        queue->last = item->before;
    struct queued *previous = NULL;
    struct queued **link = &stream->first;
    while (*link != item) {
        previous = *link;
        link = &(*link)->next;
    }
    *link = item->next;
    if (stream->last == item)
        stream->last = previous;
    if (item->run != NULL)
        graph_run_release(item->run);
    command_clear(&item->command);
    free(item);
    queue->stirred = true;
    queue->asked = false;
}

void queue_seen(struct driver *driver, double time)
{
    struct timeline *timeline = &driver->queue->timeline;
    if (timeline->host < time)
        timeline->host = time;
}

void queue_ask(struct driver *driver)
{
    struct queue *queue = driver->queue;
    if (queue == NULL)
        return;
    queue->asked = queue->stirred = true;
    pthread_cond_signal(&queue->work);
}

void queue_drop(struct CUctx_st *context)
{
    struct queue *queue = context->driver->queue;
    struct queued *item = queue->first;
    while (item != NULL) {
        struct queued *after = item->after;
        const struct host_command *host = &item->command.host;
        bool callback = item->command.kind == COMMAND_HOST && host->callback != NULL;
        if (item->stream->context == context && !callback && item != queue->running && !item->started) {
            if (item->command.kind == COMMAND_RECORD)
                item->command.event.mark->reached = true;
            queue_remove(queue, item);
        }
        item = after;
    }
    pthread_cond_broadcast(&queue->done);
}
