/* Calls that are forbidden while streams capture. */
#include "driver/capture/capture.h"
#include "driver/state/context.h"
#include "driver/state/thread.h"

bool capture_is_implicit(const struct CUstream_st *stream)
{
    if (!stream->legacy || stream->driver->captures == NULL)
        return false;
    for (const struct CUstream_st *other = stream->context->streams; other != NULL; other = other->next)
        if (other->capture != NULL && stream_blocking(other))
            return true;
    return false;
}

CUresult capture_check(struct CUstream_st *stream)
{
    if (!capture_is_implicit(stream))
        return CUDA_SUCCESS;
    for (struct CUstream_st *other = stream->context->streams; other != NULL; other = other->next)
        if (other->capture != NULL && stream_blocking(other))
            other->capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

/* The rules of cuThreadExchangeStreamCaptureMode. */
static CUresult forbid(const struct driver *driver, const struct thread *thread)
{
    CUresult result = CUDA_SUCCESS;
    if (thread->capture == CU_STREAM_CAPTURE_MODE_RELAXED)
        return result;
    for (struct capture *capture = driver->captures; capture != NULL; capture = capture->next) {
        bool own = capture->thread == thread->id && capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
        bool others = capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture->thread != thread->id &&
                      thread->capture == CU_STREAM_CAPTURE_MODE_GLOBAL;
        if (own || others)
            result = capture_fail(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    return result;
}

CUresult capture_forbid(struct call *call) { return forbid(call->driver, call->thread); }

CUresult capture_forbid_wait(struct CUstream_st *stream)
{
    if (stream->capture != NULL)
        return stream->capture->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                                        : capture_fail(stream->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CUresult result = capture_check(stream);
    return result == CUDA_SUCCESS ? forbid(stream->driver, thread_get()) : result;
}
