#include "driver/abi/api_stream.h"
#include "driver/capture/capture.h"
#include "driver/capture/submit.h"
#include "driver/memory/allocation.h"
#include "driver/queue/queue.h"
#include "driver/queue/stream.h"
#include "driver/state/context.h"

/* Begins a call about one stream: gives the stream, or NULL with *result set. */
static struct CUstream_st *begin(struct call *call, const char *name, CUstream handle, bool per_thread,
                                 CUresult *result)
{
    *result = call_begin(call, name, CALL_CONTEXT);
    struct CUstream_st *stream = *result == CUDA_SUCCESS ? stream_find(call, handle, per_thread) : NULL;
    if (*result == CUDA_SUCCESS && stream == NULL)
        *result = CUDA_ERROR_INVALID_HANDLE;
    return stream;
}

static CUresult create(CUstream *handle, unsigned flags, int priority, const char *name)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    if (handle == NULL || (flags & ~(unsigned)STREAM_NON_BLOCKING) != 0)
        return call_end(&call, CUDA_ERROR_INVALID_VALUE);
    if (priority < STREAM_PRIORITY_GREATEST)
        priority = STREAM_PRIORITY_GREATEST;
    if (priority > STREAM_PRIORITY_LEAST)
        priority = STREAM_PRIORITY_LEAST;
    struct CUstream_st *stream = stream_make(call.context, flags, priority);
    if (stream == NULL)
        return call_end(&call, CUDA_ERROR_OUT_OF_MEMORY);
    stream_enter(stream);
    *handle = stream;
    return call_end(&call, CUDA_SUCCESS);
}

CUresult cuStreamCreate(CUstream *phStream, unsigned int Flags) { return create(phStream, Flags, 0, __func__); }

CUresult cuStreamCreateWithPriority(CUstream *phStream, unsigned int flags, int priority)
{
    return create(phStream, flags, priority, __func__);
}

static CUresult destroy(CUstream handle, const char *name)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CLEANUP);
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    if ((uintptr_t)handle <= STREAM_PER_THREAD || stream_find(&call, handle, false) == NULL)
        return call_end(&call, CUDA_ERROR_INVALID_HANDLE);
    capture_leave(handle);
    handle->destroyed = true;
    stream_release(handle);
    return call_end(&call, CUDA_SUCCESS);
}

CUresult cuStreamDestroy(CUstream hStream) { return destroy(hStream, __func__); }
CUresult cuStreamDestroy_v2(CUstream hStream) { return destroy(hStream, __func__); }

static CUresult query(CUstream handle, bool per_thread, const char *name)
{
    struct call call;
    CUresult result;
    struct CUstream_st *stream = begin(&call, name, handle, per_thread, &result);
    if (stream != NULL)
        result = capture_forbid_wait(stream);
    if (result == CUDA_SUCCESS && !queue_stream_idle(stream))
        result = CUDA_ERROR_NOT_READY;
    if (result == CUDA_ERROR_NOT_READY)
        queue_ask(call.driver);
    if (result == CUDA_SUCCESS)
        queue_seen(call.driver, stream_time(stream));
    return call_end(&call, result);
}

CUresult cuStreamQuery(CUstream hStream) { return query(hStream, false, __func__); }
CUresult cuStreamQuery_ptsz(CUstream hStream) { return query(hStream, true, __func__); }

static CUresult synchronize(CUstream handle, bool per_thread, const char *name)
{
    struct call call;
    CUresult result;
    struct CUstream_st *stream = begin(&call, name, handle, per_thread, &result);
    if (stream != NULL)
        result = capture_forbid_wait(stream);
    if (result == CUDA_SUCCESS) {
        profile_wait((struct profile_wait){PROFILE_FOR_STREAM, stream->context->id, stream->id, 0});
        result = queue_wait_stream(stream);
    }
    return call_end(&call, result);
}

CUresult cuStreamSynchronize(CUstream hStream) { return synchronize(hStream, false, __func__); }
CUresult cuStreamSynchronize_ptsz(CUstream hStream) { return synchronize(hStream, true, __func__); }

static CUresult host(CUstream handle, const struct host_command *what, unsigned flags, bool per_thread,
                     const char *name)
{
    struct call call;
    CUresult result;
    struct CUstream_st *stream = begin(&call, name, handle, per_thread, &result);
    if (stream != NULL && ((what->function == NULL && what->callback == NULL) || flags != 0))
        result = CUDA_ERROR_INVALID_VALUE;
    struct command command = {.kind = COMMAND_HOST, .host = *what};
    if (result == CUDA_SUCCESS)
        result = stream_submit(stream, &command);
    return call_end(&call, result);
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
    return host(hStream, &(struct host_command){.function = fn, .data = userData}, 0, false, __func__);
}

CUresult cuLaunchHostFunc_ptsz(CUstream hStream, CUhostFn fn, void *userData)
{
    return host(hStream, &(struct host_command){.function = fn, .data = userData}, 0, true, __func__);
}

CUresult cuStreamAddCallback(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags)
{
    struct host_command what = {.callback = callback, .stream = hStream, .data = userData};
    return host(hStream, &what, flags, false, __func__);
}

CUresult cuStreamAddCallback_ptsz(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags)
{
    struct host_command what = {.callback = callback, .stream = hStream, .data = userData};
    return host(hStream, &what, flags, true, __func__);
}

enum { ATTACH_GLOBAL = 1, ATTACH_HOST = 2, ATTACH_SINGLE = 4 }; /* CU_MEM_ATTACH_... */

/* Access rights to managed memory do not matter here: host and device see the same bytes at all times. */
static CUresult attach(CUstream handle, CUdeviceptr address, size_t length, unsigned flags, bool per_thread,
                       const char *name)
{
    struct call call;
    CUresult result;
    struct CUstream_st *stream = begin(&call, name, handle, per_thread, &result);
    if (stream == NULL)
        return call_end(&call, result);
    const struct allocation *allocation = allocation_find(call.driver, address);
    bool known = flags == ATTACH_GLOBAL || flags == ATTACH_HOST || flags == ATTACH_SINGLE;
    if (!known || allocation == NULL || allocation->kind != ALLOCATION_MANAGED ||
        (length != 0 && (address != allocation->base || length != allocation->bytes)) ||
        (flags == ATTACH_SINGLE && stream->legacy))
        return call_end(&call, CUDA_ERROR_INVALID_VALUE);
    struct command command = {.kind = COMMAND_EMPTY};
    return call_end(&call, stream_submit(stream, &command));
}

CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags)
{
    return attach(hStream, dptr, length, flags, false, __func__);
}

CUresult cuStreamAttachMemAsync_ptsz(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags)
{
    return attach(hStream, dptr, length, flags, true, __func__);
}

static CUresult wait_context(struct CUctx_st *context)
{
    profile_wait((struct profile_wait){PROFILE_FOR_CONTEXT, context->id, 0, 0});
    return queue_wait_context(context);
}

CUresult cuCtxSynchronize(void)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = capture_forbid(&call);
    if (result == CUDA_SUCCESS)
        result = wait_context(call.context);
    return call_end(&call, result);
}

CUresult cuCtxSynchronize_v2(CUcontext ctx)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && ctx == NULL)
        ctx = call.context;
    if (result == CUDA_SUCCESS && !context_lives(call.driver, ctx))
        result = CUDA_ERROR_INVALID_CONTEXT;
    if (result == CUDA_SUCCESS)
        result = ctx->sticky;
    if (result == CUDA_SUCCESS)
        result = capture_forbid(&call);
    if (result == CUDA_SUCCESS)
        result = wait_context(ctx);
    return call_end(&call, result);
}

static CUresult profiler(const char *name)
{
    struct call call;
    return call_end(&call, call_begin(&call, name, CALL_CONTEXT));
}

/* Tools that these switch on and off are not here. Every launch is recorded anyway. */
CUresult cuProfilerStart(void) { return profiler(__func__); }
CUresult cuProfilerStop(void) { return profiler(__func__); }
