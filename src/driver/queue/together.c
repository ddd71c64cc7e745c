/* Commands that run beside each other: the choice of those that may begin, and the effects of an end. */
#include <math.h>
#include <pthread.h>
#include <stddef.h>

#include "driver/queue/graph_run.h"
#include "driver/queue/queue_state.h"
#include "driver/state/context.h"
#include "driver/state/thread.h"

static struct queued *item_of(struct execution *execution)
{
    return (struct queued *)((char *)execution - offsetof(struct queued, execution));
}

/* All that the command comes behind has ended. */
static bool is_alone(const struct queued *item)
{
    const struct queued *before = item->stream->first;
    if (item->run)
        return graph_run_may_begin(item->run, item->node, false);
    return before == item;
}

static struct execution *start(struct queue *queue, struct queued *item)
{
    const struct CUstream_st *stream = item->stream;
    bool alone = is_alone(item);
    double ready = turn_ready(queue, item);
    item->started = true;
    item->execution = (struct execution){
        .driver = queue->driver,
        .context = stream->context,
        .command = &item->command,
        .stream = {stream->id, stream->legacy ? 0 : stream->id},
        .place = item->place,
        .origin = item->origin,
        .begin = ready,
        .priority = turn_priority(item),
        .dependent = !alone,
        .waits = !alone,
    };
    if (item->run)
        graph_run_begin(item->run, ready);
    thread_get()->reason[0] = '\0';
    return &item->execution;
}

static void set_on_device(struct queue *queue, bool on)
{
    queue->on_device = on;
    if (!on && queue->pausers > 0)
        pthread_cond_broadcast(&queue->done);
}

/* Runs commands that do not run beside others, and waits until simulated time may go on. */
static struct execution *look(struct queue *queue, double now)
{
    long poll = TURN_POLL;
    for (;;) {
        bool polls = false, pause = queue->pausers > 0;
        queue->again = INFINITY;
        queue->stirred = false;
        struct queued *item = pause ? NULL : turn_pick(queue, &now, &queue->again, &polls);
        queue->stirred |= polls || item != NULL;
        if (item && item->overlaps)
            return start(queue, item);
        if (item)
            turn_run(queue, item);
        else if (!pause && queue_may_advance(queue))
            return NULL;
        else
            turn_sleep(queue, polls, &poll);
    }
}

static struct execution *next(void *self, double now, double *again)
{
    struct queue *queue = self;
    struct execution *execution = NULL;
    pthread_mutex_lock(&queue->driver->lock);
    if (queue->stirred || now >= queue->again || queue->pausers > 0) {
        set_on_device(queue, false);
        execution = look(queue, now);
        set_on_device(queue, true);
    }
    *again = queue->again;
    pthread_mutex_unlock(&queue->driver->lock);
    return execution;
}

static void released(void *self, struct execution *execution, double time)
{
    struct queue *queue = self;
    struct queued *item = item_of(execution);
    pthread_mutex_lock(&queue->driver->lock);
    item->released = true;
    item->released_at = time;
    if (item->run)
        graph_run_released(item->run, item->node, time);
    queue->stirred = true;
    pthread_mutex_unlock(&queue->driver->lock);
}

static void ended(void *self, struct execution *execution, double end, CUresult result)
{
    struct queue *queue = self;
    const struct together *together = queue->together;
    const struct cost cost = {ENGINE_NONE, 0};
    pthread_mutex_lock(&queue->driver->lock);
    timeline_take(&queue->timeline, &cost, end);
    if (queue->timeline.free[ENGINE_COMPUTE] < end)
        queue->timeline.free[ENGINE_COMPUTE] = end;
    turn_finish(queue, item_of(execution), result, end);
    for (struct queued *item = queue->first; item != NULL; item = item->after) {
        if (!item->started || !item->execution.waits || !is_alone(item))
            continue;
        item->execution.waits = false;
        together->acquire(together->runner, &item->execution);
    }
    pthread_mutex_unlock(&queue->driver->lock);
}

void together_run(struct queue *queue, const struct queued *first)
{
    struct together together = {
        .driver = queue->driver,
        .self = queue,
        .begin = timeline_begin(&queue->timeline, ENGINE_COMPUTE, turn_ready(queue, first)),
        .next = next,
        .released = released,
        .ended = ended,
    };
    const struct command_handler *handler = &queue->handlers[first->command.kind];
    queue->together = &together;
    queue->stirred = true;
    set_on_device(queue, true);
    pthread_mutex_unlock(&queue->driver->lock);
    handler->run(&together);
    pthread_mutex_lock(&queue->driver->lock);
    set_on_device(queue, false);
    queue->together = NULL;
}
