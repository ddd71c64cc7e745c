#include "driver/queue/stream.h"

#include "driver/queue/event.h"
#include "driver/state/context.h"
#include "driver/state/handles.h"
#include "driver/state/thread.h"

struct CUstream_st *stream_make(struct CUctx_st *context, unsigned flags, int priority)
{
    struct CUstream_st *stream = handle_new(context->driver->handles, HANDLE_STREAM, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->driver = context->driver;
    stream->context = context;
    stream->id = driver_new_id(context->driver);
    stream->flags = flags;
    stream->priority = priority;
    stream->sync_policy = CU_SYNC_POLICY_AUTO;
    stream->domain_map.remote = 1;
    return stream;
}

void stream_enter(struct CUstream_st *stream)
{
    stream->next = stream->context->streams;
    stream->context->streams = stream;
}

static struct CUstream_st *legacy(struct CUctx_st *context)
{
    if (context->legacy == NULL) {
        context->legacy = stream_make(context, 0, 0);
        if (context->legacy != NULL)
            context->legacy->legacy = true;
    }
    return context->legacy;
}

static struct CUstream_st *own(struct call *call)
{
    struct CUctx_st *context = call->context;
    struct CUstream_st *stream = context->streams;
    while (stream != NULL && !(stream->per_thread && stream->thread == call->thread->id))
        stream = stream->next;
    if (stream == NULL && (stream = stream_make(context, 0, 0)) != NULL) {
        stream->per_thread = true;
        stream->thread = call->thread->id;
        stream_enter(stream);
    }
    return stream;
}

struct CUstream_st *stream_find(struct call *call, CUstream handle, bool per_thread)
{
    uintptr_t number = (uintptr_t)handle;
    if (call->context == NULL && number <= STREAM_PER_THREAD)
        return NULL;
    if (number == STREAM_LEGACY || (number == 0 && !per_thread))
        return legacy(call->context);
    if (number == STREAM_PER_THREAD || number == 0)
        return own(call);
    if (!handle_is(call->driver->handles, HANDLE_STREAM, handle) || handle->destroyed)
        return NULL;
    return handle;
}

bool stream_blocking(const struct CUstream_st *stream)
{
    return !stream->legacy && (stream->flags & STREAM_NON_BLOCKING) == 0;
}

double stream_time(const struct CUstream_st *stream)
{
    double time = stream->time;
    if (!stream->legacy)
        return time;
    if (time < stream->gone)
        time = stream->gone;
    for (const struct CUstream_st *other = stream->context->streams; other != NULL; other = other->next)
        if (stream_blocking(other) && time < other->time)
            time = other->time;
    return time;
}

void stream_release(struct CUstream_st *stream)
{
    if (!stream->destroyed || stream->first != NULL || stream->waiters > 0)
        return;
    struct CUctx_st *context = stream->context;
    if (stream->detached) {
        handle_free(stream->driver->handles, stream);
        return;
    }
    if (stream_blocking(stream) && legacy(context) != NULL && context->legacy->gone < stream->time)
        context->legacy->gone = stream->time;
    struct CUstream_st **link = &context->streams;
    while (*link != stream)
        link = &(*link)->next;
    *link = stream->next;
    handle_free(context->driver->handles, stream);
}

static void detach(struct CUstream_st *stream)
{
    node_set_clear(&stream->after);
    stream->destroyed = true;
    stream->detached = true;
    stream_release(stream);
}

void streams_clear(struct CUctx_st *context)
{
    while (context->streams != NULL) {
        struct CUstream_st *stream = context->streams;
        context->streams = stream->next;
        detach(stream);
    }
    if (context->legacy != NULL)
        detach(context->legacy);
    context->legacy = NULL;
    events_clear(context);
}
