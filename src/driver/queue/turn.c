/* Which command of the streams can begin, when, and the effects of its end. */
#include <pthread.h>
#include <time.h>

#include "driver/queue/activity.h"
#include "driver/queue/graph_run.h"
#include "driver/queue/queue_state.h"
#include "driver/state/context.h"
#include "driver/state/thread.h"

enum {
    POLL_LONGEST = 500000, /* nanoseconds between two looks at a value in memory */
    SILENCE = 1            /* seconds */
};

static bool before(const struct CUstream_st *stream, uint64_t order)
{
    return stream != NULL && stream->first != NULL && stream->first->order < order;
}

/* The legacy stream and the blocking streams of its context wait for each other's earlier commands. */
static bool held_by_legacy(const struct queued *item)
{
    const struct CUctx_st *context = item->stream->context;
    if (stream_blocking(item->stream))
        return before(context->legacy, item->order);
    if (!item->stream->legacy)
        return false;
    for (const struct CUstream_st *other = context->streams; other != NULL; other = other->next)
        if (stream_blocking(other) && before(other, item->order))
            return true;
    return false;
}

enum { LOOK = 64 }; /* commands in a stream ahead of one that may begin before they have ended */

/* Commands in the same launch of a graph do not wait for each other as such. One that depends on a kernel in the
 * programmatic way begins when all before it have begun, and that kernel has let it. */
static bool comes_first(const struct queued *item)
{
    const struct queued *before = item->stream->first;
    bool programmatic = item->command.kind == COMMAND_KERNEL && item->command.kernel.programmatic && item->overlaps;
    if (before != item && !item->run && !programmatic)
        return false;
    for (unsigned n = 0; before != item; before = before->next, n++) {
        bool same = item->run && before->run == item->run && before->node != item->node;
        bool let = programmatic && before->started && (before->next != item || before->released);
        if (n == LOOK || (!same && !let))
            return false;
    }
    return true;
}

static bool can_begin(const struct queued *item)
{
    const struct command *command = &item->command;
    if (item->started || !comes_first(item) || held_by_legacy(item))
        return false;
    if (item->run && !graph_run_may_begin(item->run, item->node, item->overlaps))
        return false;
    return command->kind != COMMAND_WAIT || command->event.mark == NULL || command->event.mark->reached;
}

/* Returns whether the command may begin by the simulated time `until`. Without one, whether it is of no overlap. */
static bool in_time(const struct queue *queue, const struct queued *item, const double *until, double *again)
{
    if (!until)
        return !item->overlaps;
    if (item->command.kind != COMMAND_KERNEL)
        return true;
    if (!item->overlaps || !queue_may_advance(queue))
        return false;
    double ready = turn_ready(queue, item);
    if (ready > *until && ready < *again)
        *again = ready;
    return ready <= *until;
}

struct queued *turn_pick(struct queue *queue, const double *until, double *again, bool *polls)
{
    *polls = false;
    for (struct queued *item = queue->first; item != NULL; item = item->after) {
        if (!can_begin(item) || !in_time(queue, item, until, again))
            continue;
        const struct command *command = &item->command;
        const struct command_handler *handler = &queue->handlers[command->kind];
        if (handler->ready != NULL && item->stream->context->sticky == CUDA_SUCCESS &&
            !handler->ready(queue->driver, command)) {
            item->held = true;
            *polls = true;
            continue;
        }
        return item;
    }
    return NULL;
}

/* Of the commands that run beside others, the one that can begin first. */
struct queued *turn_pick_overlapping(const struct queue *queue)
{
    struct queued *first = NULL;
    double earliest = 0;
    for (struct queued *item = queue->first; item != NULL && queue_may_advance(queue); item = item->after) {
        if (!item->overlaps || !can_begin(item))
            continue;
        double ready = turn_ready(queue, item);
        if (first == NULL || ready < earliest) {
            first = item;
            earliest = ready;
        }
    }
    return first;
}

static void run_host(const struct host_command *host, CUresult state)
{
    if (host->callback != NULL)
        host->callback(host->stream, state, host->data);
    else
        host->function(host->data);
}

/* Without the lock. */
static CUresult run_unlocked(struct queue *queue, const struct queued *item, struct execution *execution)
{
    const struct command *command = &item->command;
    CUresult result = CUDA_SUCCESS, state = execution->context->sticky;
    queue->running = item;
    queue->on_device = command->kind != COMMAND_HOST;
    pthread_mutex_unlock(&queue->driver->lock);
    if (command->kind == COMMAND_HOST)
        run_host(&command->host, state);
    else if (command->kind == COMMAND_CALL)
        result = command->call.function(queue->driver, command->call.data);
    else
        result = queue->handlers[command->kind].execute(execution);
    pthread_mutex_lock(&queue->driver->lock);
    queue->on_device = false;
    queue->running = NULL;
    return result;
}

int turn_priority(const struct queued *item)
{
    const struct command *command = &item->command;
    bool own = command->kind == COMMAND_KERNEL && command->kernel.prioritised;
    return own ? command->kernel.priority : item->stream->priority;
}

static CUresult run_command(struct queue *queue, const struct queued *item, double ready, struct cost *cost)
{
    const struct CUstream_st *stream = item->stream;
    const struct command *command = &item->command;
    const struct command_handler *handler = &queue->handlers[command->kind];
    bool own = command->kind == COMMAND_HOST || command->kind == COMMAND_CALL;
    bool callback = command->kind == COMMAND_HOST && command->host.callback != NULL;
    if (stream->context->sticky != CUDA_SUCCESS && !callback)
        return CUDA_SUCCESS;              /* submitted while the context ended */
    if (handler->execute == NULL && !own) /* an event is reached when its record ends */
        return CUDA_SUCCESS;
    struct execution execution = {
        .driver = queue->driver,
        .context = stream->context,
        .command = command,
        .stream = {stream->id, stream->legacy ? 0 : stream->id},
        .place = item->place,
        .origin = item->origin,
        .begin = timeline_begin(&queue->timeline, ENGINE_COMPUTE, ready),
        .priority = turn_priority(item),
    };
    CUresult result = handler->locked ? handler->execute(&execution) : run_unlocked(queue, item, &execution);
    *cost = execution.cost;
    return result;
}

/* A kernel that depends on the one before it in the programmatic way. */
static double released_at(const struct queued *item, double ready)
{
    for (const struct queued *before = item->stream->first; before != item; before = before->next)
        if (before->released && before->next == item && ready < before->released_at)
            ready = before->released_at;
    return ready;
}

double turn_ready(const struct queue *queue, const struct queued *item)
{
    double ready = stream_time(item->stream);
    if (stream_blocking(item->stream) && item->stream->context->legacy != NULL &&
        ready < item->stream->context->legacy->time)
        ready = item->stream->context->legacy->time;
    if (item->run != NULL)
        ready = graph_run_ready(item->run, item->node, ready);
    else if (item->overlaps)
        ready = released_at(item, ready);
    if (ready < item->host)
        ready = item->host;
    const struct command *command = &item->command;
    if (command->kind == COMMAND_WAIT && command->event.mark != NULL && ready < command->event.mark->time)
        ready = command->event.mark->time;
    if (item->held && ready < queue->timeline.latest)
        ready = queue->timeline.latest;
    return ready;
}

void turn_finish(struct queue *queue, struct queued *item, CUresult result, double end)
{
    struct CUstream_st *stream = item->stream;
    struct CUctx_st *context = stream->context;
    if (item->run != NULL) {
        graph_run_done(item->run, item->node, end);
        activity_graph(queue, item);
    }
    if (stream->time < end)
        stream->time = end;
    if (item->command.kind == COMMAND_RECORD) {
        item->command.event.mark->time = end;
        item->command.event.mark->reached = true;
    }
    bool awaited = item->awaited || item->command.kind == COMMAND_RECORD || queue->pausers > 0;
    queue_remove(queue, item);
    if (result != CUDA_SUCCESS) {
        context_fault(context, result);
        queue_drop(context);
    }
    stream_release(stream);
    if (awaited)
        pthread_cond_broadcast(&queue->done);
}

void turn_run(struct queue *queue, struct queued *item)
{
    struct cost cost = {ENGINE_NONE, 0};
    double ready = turn_ready(queue, item);
    thread_get()->reason[0] = '\0';
    if (item->run != NULL)
        graph_run_begin(item->run, ready);
    CUresult result = run_command(queue, item, ready, &cost);
    double end = timeline_take(&queue->timeline, &cost, timeline_begin(&queue->timeline, cost.engine, ready));
    activity_command(queue, item, &cost, end);
    turn_finish(queue, item, result, end);
}

/* A program that neither waits nor asks may look at memory that kernels write: after so long without a call that gives
 * the device something the device goes on until a command has ended. */
static void sleep_in_silence(struct queue *queue)
{
    struct timespec until;
    uint64_t order = queue->order;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += SILENCE;
    if (pthread_cond_timedwait(&queue->work, &queue->driver->lock, &until) != 0 && queue->order == order)
        queue->asked = queue->stirred = true;
}

static bool any_overlaps(const struct queue *queue)
{
    const struct queued *item = queue->first;
    while (item != NULL && !item->overlaps)
        item = item->after;
    return item != NULL;
}

void turn_sleep(struct queue *queue, bool polls, long *poll)
{
    if (!polls && queue->pausers == 0 && !queue->asked && any_overlaps(queue)) {
        sleep_in_silence(queue);
        return;
    }
    if (!polls || queue->pausers > 0) {
        pthread_cond_wait(&queue->work, &queue->driver->lock);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += *poll;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&queue->work, &queue->driver->lock, &until);
    *poll = *poll < POLL_LONGEST ? *poll * 2 : POLL_LONGEST;
}
