/* Threads that wait for commands. */
#include "driver/queue/queue_state.h"
#include "driver/state/context.h"
#include "driver/state/thread.h"

static bool left(const struct CUstream_st *stream, uint64_t order)
{
    return stream->first != NULL && stream->first->order <= order;
}

static void await(const struct CUstream_st *stream)
{
    if (stream->last != NULL)
        stream->last->awaited = true;
}

/* The legacy stream comes behind earlier work of the blocking streams. */
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

static CUresult context_error(const struct driver *driver, const struct CUctx_st *context)
{
    return handle_is(driver->handles, HANDLE_CONTEXT, context) ? context->sticky : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/* ---- threads that wait ------------------------------------------------------------------------------------------- */

static void enter(struct queue *queue, struct waiter *waiter)
{
    waiter->next = queue->waiters;
    queue->waiters = waiter;
    queue->stirred = true;
    pthread_cond_signal(&queue->work);
}

static void leave(struct queue *queue, const struct waiter *waiter)
{
    struct waiter **link = &queue->waiters;
    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
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
    struct waiter waiter = {.stream = stream, .order = order};
    stream->waiters++;
    enter(queue, &waiter);
    while (!stream->detached && stream_left(stream, order))
        pthread_cond_wait(&queue->done, &driver->lock);
    leave(queue, &waiter);
    stream->waiters--;
    if (!stream->detached)
        queue_seen(driver, stream_time(stream));
    stream_release(stream);
    return context_error(driver, context);
}

/* Any stream of the context with something left (NULL: none). */
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
    struct waiter waiter = {.context = context, .order = order};
    await_context(context);
    enter(queue, &waiter);
    while (handle_is(driver->handles, HANDLE_CONTEXT, context) && context_left(context, order) != NULL)
        pthread_cond_wait(&queue->done, &driver->lock);
    leave(queue, &waiter);
    if (!handle_is(driver->handles, HANDLE_CONTEXT, context))
        return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (context->legacy != NULL)
        queue_seen(driver, stream_time(context->legacy));
    for (const struct CUstream_st *stream = context->streams; stream != NULL; stream = stream->next)
        queue_seen(driver, stream->time);
    return context->sticky;
}

/* Returns the context with the lowest number above `id` (NULL: there is none). */
static struct CUctx_st *context_after(const struct driver *driver, uint64_t id)
{
    struct CUctx_st *found = NULL;
    for (struct CUctx_st *context = driver->contexts; context != NULL; context = context->next)
        if (context->id > id && (found == NULL || context->id < found->id))
            found = context;
    return found;
}

/* A context without work counts too: the program has seen how far it is. */
void queue_wait_all(struct driver *driver)
{
    uint64_t last = driver->next_id;
    struct CUctx_st *context = context_after(driver, 0);
    while (context != NULL && context->id <= last) {
        uint64_t id = context->id;
        queue_wait_context(context);
        context = context_after(driver, id);
    }
}

CUresult queue_wait_mark(struct CUctx_st *context, struct mark *mark)
{
    struct driver *driver = context->driver;
    struct waiter waiter = {.mark = mark};
    mark_hold(mark);
    enter(driver->queue, &waiter);
    while (!mark->reached)
        pthread_cond_wait(&driver->queue->done, &driver->lock);
    leave(driver->queue, &waiter);
    queue_seen(driver, mark->time);
    mark_release(mark);
    return context_error(driver, context);
}

void queue_clear(struct CUctx_st *context)
{
    struct queue *queue = context->driver->queue;
    struct waiter waiter = {.context = context, .order = UINT64_MAX};
    queue_drop(context);
    enter(queue, &waiter);
    while (context_left(context, UINT64_MAX) != NULL) {
        await_context(context);
        pthread_cond_wait(&queue->done, &context->driver->lock);
    }
    leave(queue, &waiter);
}

static bool waits(const struct queue *queue, const struct waiter *w)
{
    if (w->stream != NULL)
        return !w->stream->detached && stream_left(w->stream, w->order);
    if (w->context != NULL)
        return handle_is(queue->driver->handles, HANDLE_CONTEXT, w->context) && context_left(w->context, w->order);
    return !w->mark->reached;
}

bool queue_may_advance(const struct queue *queue)
{
    const struct waiter *w = queue->waiters;
    while (w != NULL && !waits(queue, w))
        w = w->next;
    return w != NULL || queue->asked;
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
