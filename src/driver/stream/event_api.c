#include "driver/abi/api_stream.h"
#include "driver/capture/capture.h"
#include "driver/capture/submit.h"
#include "driver/queue/event.h"
#include "driver/queue/queue.h"
#include "driver/queue/stream.h"
#include "driver/state/context.h"

CUresult cuEventCreate(CUevent *phEvent, unsigned int Flags)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    unsigned known = EVENT_BLOCKING_SYNC | EVENT_DISABLE_TIMING | EVENT_INTERPROCESS;
    if (phEvent == NULL || (Flags & ~known) != 0 ||
        ((Flags & EVENT_INTERPROCESS) != 0 && (Flags & EVENT_DISABLE_TIMING) == 0))
        return call_end(&call, CUDA_ERROR_INVALID_VALUE);
    if ((Flags & EVENT_INTERPROCESS) != 0)
        return call_end(&call, CUDA_ERROR_NOT_SUPPORTED);
    struct CUevent_st *event = handle_new(call.driver->handles, HANDLE_EVENT, sizeof *event);
    if (event == NULL)
        return call_end(&call, CUDA_ERROR_OUT_OF_MEMORY);
    event->context = call.context;
    event->id = ++call.driver->events;
    event->flags = Flags;
    event->next = call.context->events;
    call.context->events = event;
    *phEvent = event;
    return call_end(&call, CUDA_SUCCESS);
}

static CUresult destroy(CUevent handle, const char *name)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CLEANUP);
    if (result == CUDA_SUCCESS && event_find(&call, handle) == NULL)
        result = CUDA_ERROR_INVALID_HANDLE;
    if (result == CUDA_SUCCESS)
        event_free(handle);
    return call_end(&call, result);
}

CUresult cuEventDestroy(CUevent hEvent) { return destroy(hEvent, __func__); }
CUresult cuEventDestroy_v2(CUevent hEvent) { return destroy(hEvent, __func__); }

static CUresult record_locked(struct call *call, CUevent handle, CUstream stream_handle, unsigned flags,
                              bool per_thread)
{
    struct CUevent_st *event = event_find(call, handle);
    struct CUstream_st *stream = stream_find(call, stream_handle, per_thread);
    if (event == NULL || stream == NULL || event->context != stream->context)
        return CUDA_ERROR_INVALID_HANDLE;
    if ((flags & ~(unsigned)EVENT_RECORD_EXTERNAL) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->capture != NULL)
        return capture_record(stream, event, flags);
    return flags != 0 ? CUDA_ERROR_INVALID_VALUE : stream_record(stream, event);
}

static CUresult record(CUevent event, CUstream stream, unsigned flags, bool per_thread, const char *name)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = record_locked(&call, event, stream, flags, per_thread);
    return call_end(&call, result);
}

CUresult cuEventRecord(CUevent hEvent, CUstream hStream) { return record(hEvent, hStream, 0, false, __func__); }
CUresult cuEventRecord_ptsz(CUevent hEvent, CUstream hStream) { return record(hEvent, hStream, 0, true, __func__); }

CUresult cuEventRecordWithFlags(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    return record(hEvent, hStream, flags, false, __func__);
}

CUresult cuEventRecordWithFlags_ptsz(CUevent hEvent, CUstream hStream, unsigned int flags)
{
    return record(hEvent, hStream, flags, true, __func__);
}

static CUresult wait_locked(struct call *call, CUstream stream_handle, CUevent handle, unsigned flags, bool per_thread)
{
    struct CUevent_st *event = event_find(call, handle);
    struct CUstream_st *stream = stream_find(call, stream_handle, per_thread);
    if (event == NULL || stream == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if ((flags & ~(unsigned)EVENT_WAIT_EXTERNAL) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->capture != NULL || event->capture != 0)
        return capture_wait(stream, event, flags);
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    profile_wait((struct profile_wait){PROFILE_STREAM_FOR_EVENT, stream->context->id, stream->id, event->id});
    if (event->mark == NULL)
        return capture_check(stream);
    struct command command;
    event_wait(event, &command);
    return stream_submit(stream, &command);
}

static CUresult stream_wait(CUstream stream, CUevent event, unsigned flags, bool per_thread, const char *name)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = wait_locked(&call, stream, event, flags, per_thread);
    return call_end(&call, result);
}

CUresult cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    return stream_wait(hStream, hEvent, Flags, false, __func__);
}

CUresult cuStreamWaitEvent_ptsz(CUstream hStream, CUevent hEvent, unsigned int Flags)
{
    return stream_wait(hStream, hEvent, Flags, true, __func__);
}

CUresult cuEventQuery(CUevent hEvent)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    struct CUevent_st *event = event_find(&call, hEvent);
    if (event == NULL)
        return call_end(&call, CUDA_ERROR_INVALID_HANDLE);
    if (event->capture != 0)
        return call_end(&call, CUDA_ERROR_CAPTURED_EVENT);
    result = capture_forbid(&call);
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    if (event->mark != NULL && !event->mark->reached) {
        queue_ask(call.driver);
        return call_end(&call, CUDA_ERROR_NOT_READY);
    }
    if (event->mark != NULL)
        queue_seen(call.driver, event->mark->time);
    return call_end(&call, CUDA_SUCCESS);
}

CUresult cuEventSynchronize(CUevent hEvent)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    struct CUevent_st *event = event_find(&call, hEvent);
    if (event == NULL)
        return call_end(&call, CUDA_ERROR_INVALID_HANDLE);
    if (event->capture != 0)
        return call_end(&call, CUDA_ERROR_CAPTURED_EVENT);
    result = capture_forbid(&call);
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    profile_wait((struct profile_wait){PROFILE_FOR_EVENT, event->context->id, 0, event->id});
    if (event->mark != NULL)
        result = queue_wait_mark(event->context, event->mark);
    return call_end(&call, result);
}

static CUresult elapsed_locked(const struct call *call, float *milliseconds, CUevent start, CUevent end)
{
    if (milliseconds == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUevent events[2] = {start, end};
    for (int i = 0; i < 2; i++)
        if (event_find(call, events[i]) == NULL || (events[i]->flags & EVENT_DISABLE_TIMING) != 0 ||
            (events[i]->mark == NULL && events[i]->capture == 0))
            return CUDA_ERROR_INVALID_HANDLE;
    if (start->capture != 0 || end->capture != 0)
        return CUDA_ERROR_CAPTURED_EVENT;
    if (!start->mark->reached || !end->mark->reached)
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)((end->mark->time - start->mark->time) * 1e3);
    return CUDA_SUCCESS;
}

static CUresult elapsed(float *milliseconds, CUevent start, CUevent end, const char *name)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = elapsed_locked(&call, milliseconds, start, end);
    return call_end(&call, result);
}

CUresult cuEventElapsedTime(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    return elapsed(pMilliseconds, hStart, hEnd, __func__);
}

CUresult cuEventElapsedTime_v2(float *pMilliseconds, CUevent hStart, CUevent hEnd)
{
    return elapsed(pMilliseconds, hStart, hEnd, __func__);
}
