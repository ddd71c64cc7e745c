#include "driver/queue/queue.h"

#include <stdlib.h>

#include "driver/capture/capture.h"
#include "driver/queue/graph_run.h"
#include "driver/queue/queue_state.h"
#include "driver/state/context.h"
#include "driver/state/thread.h"

struct queue *queue_create(struct driver *driver)
{
    struct queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return NULL;
    queue->driver = driver;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->work, &monotonic);
    pthread_cond_init(&queue->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return queue;
}

static void append(struct queue *queue, struct queued *item)
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
}

CUresult queue_submit_node(struct CUstream_st *stream, struct command *command, struct graph_run *run, uint32_t node)
{
    struct queue *queue = stream->context->driver->queue;
    struct queued *item = calloc(1, sizeof *item);
    CUresult result = item != NULL ? executor_start(queue) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result != CUDA_SUCCESS) {
        free(item);
        command_clear(command);
        return result;
    }
    *item = (struct queued){
        .stream = stream,
        .order = ++queue->order,
        .host = queue->timeline.host,
        .run = run != NULL ? graph_run_hold(run) : NULL,
        .node = node,
        .command = *command,
    };
    *command = (struct command){.kind = COMMAND_EMPTY};
    append(queue, item);
    pthread_cond_signal(&queue->work);
    return CUDA_SUCCESS;
}

CUresult queue_submit(struct CUstream_st *stream, struct command *command)
{
    if (stream->capture != NULL)
        return capture_append(stream, command);
    bool blocks = stream->context->driver->settings.blocking && command->kind == COMMAND_KERNEL;
    CUresult result = capture_check(stream);
    if (result != CUDA_SUCCESS) {
        command_clear(command);
        return result;
    }
    result = queue_submit_node(stream, command, NULL, 0);
    return result == CUDA_SUCCESS && blocks ? queue_wait_stream(stream) : result;
}

CUresult queue_submit_and_wait(struct CUstream_st *stream, struct command *command)
{
    CUresult result = capture_forbid_wait(stream);
    if (result == CUDA_SUCCESS)
        result = queue_submit_node(stream, command, NULL, 0);
    else
        command_clear(command);
    return result == CUDA_SUCCESS ? queue_wait_stream(stream) : result;
}

static bool left(const struct CUstream_st *stream, uint64_t order)
{
    return stream->first != NULL && stream->first->order <= order;
}

static void await(const struct CUstream_st *stream)
{
    if (stream->last != NULL)
        stream->last->awaited = true;
}

/* The legacy stream comes behind what the blocking streams were given before. */
static bool waits_for(const struct CUstream_st *stream, const struct CUstream_st *other)
{
    return stream->legacy && stream_blocking(other);
}

static bool stream_left(const struct CUstream_st *stream, uint64_t order)
{
    if (left(stream, order))
        return true;
    for (const struct CUstream_st *other = stream->context->streams; stream->legacy && other != NULL;
         other = other->next)
        if (waits_for(stream, other) && left(other, order))
            return true;
    return false;
}

bool queue_stream_idle(struct CUstream_st *stream) { return !stream_left(stream, UINT64_MAX); }

void queue_seen(struct driver *driver, double time)
{
    struct timeline *timeline = &driver->queue->timeline;
    if (timeline->host < time)
        timeline->host = time;
}

static CUresult context_error(const struct driver *driver, const struct CUctx_st *context)
{
    return handle_is(driver->handles, HANDLE_CONTEXT, context) ? context->sticky : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult queue_wait_stream(struct CUstream_st *stream)
{
    struct CUctx_st *context = stream->context;
    struct driver *driver = context->driver;
    struct queue *queue = driver->queue;
    uint64_t order = queue->order;
    await(stream);
    for (const struct CUstream_st *other = context->streams; stream->legacy && other != NULL; other = other->next)
        if (waits_for(stream, other))
            await(other);
    stream->waiters++;
    while (!stream->detached && stream_left(stream, order))
        pthread_cond_wait(&queue->done, &driver->lock);
    stream->waiters--;
    if (!stream->detached)
        queue_seen(driver, stream_time(stream));
    stream_release(stream);
    return context_error(driver, context);
}

/* Any stream of the context with something left; NULL: none. */
static struct CUstream_st *context_left(const struct CUctx_st *context, uint64_t order)
{
    if (context->legacy != NULL && left(context->legacy, order))
        return context->legacy;
    struct CUstream_st *stream = context->streams;
    while (stream != NULL && !left(stream, order))
        stream = stream->next;
    return stream;
}

static void await_context(const struct CUctx_st *context)
{
    if (context->legacy != NULL)
        await(context->legacy);
    for (const struct CUstream_st *stream = context->streams; stream != NULL; stream = stream->next)
        await(stream);
}

CUresult queue_wait_context(struct CUctx_st *context)
{
    struct driver *driver = context->driver;
    struct queue *queue = driver->queue;
    uint64_t order = queue->order;
    await_context(context);
    while (handle_is(driver->handles, HANDLE_CONTEXT, context) && context_left(context, order) != NULL)
        pthread_cond_wait(&queue->done, &driver->lock);
    if (!handle_is(driver->handles, HANDLE_CONTEXT, context))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (context->legacy != NULL)
        queue_seen(driver, stream_time(context->legacy));
    for (const struct CUstream_st *stream = context->streams; stream != NULL; stream = stream->next)
        queue_seen(driver, stream->time);
    return context->sticky;
}

CUresult queue_wait_mark(struct CUctx_st *context, struct mark *mark)
{
    struct driver *driver = context->driver;
    mark_hold(mark);
    while (!mark->reached)
        pthread_cond_wait(&driver->queue->done, &driver->lock);
    queue_seen(driver, mark->time);
    mark_release(mark);
    return context_error(driver, context);
}

void queue_drop(struct CUctx_st *context)
{
    struct queue *queue = context->driver->queue;
    struct queued *item = queue->first;
    while (item != NULL) {
        struct queued *after = item->after;
        const struct host_command *host = &item->command.host;
        bool callback = item->command.kind == COMMAND_HOST && host->callback != NULL;
        if (item->stream->context == context && !callback && item != queue->running) {
            if (item->command.kind == COMMAND_RECORD)
                item->command.event.mark->reached = true;
            queue_remove(queue, item);
        }
        item = after;
    }
    pthread_cond_broadcast(&queue->done);
}

void queue_clear(struct CUctx_st *context)
{
    queue_drop(context);
    while (context_left(context, UINT64_MAX) != NULL) {
        await_context(context);
        pthread_cond_wait(&context->driver->queue->done, &context->driver->lock);
    }
}

void queue_pause(struct driver *driver)
{
    struct queue *queue = driver->queue;
    if (queue == NULL || thread_get()->executor)
        return;
    queue->pausers++;
    while (queue->on_device)
        pthread_cond_wait(&queue->done, &driver->lock);
    queue->pausers--;
    pthread_cond_signal(&queue->work);
}
