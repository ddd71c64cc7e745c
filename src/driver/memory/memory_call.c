#include "driver/memory/memory_call.h"

#include "driver/capture/capture.h"
#include "driver/queue/queue.h"
#include "driver/state/context.h"

CUresult call_pause(struct call *call)
{
    queue_pause(call->driver);
    return context_lives(call->driver, call->context) ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult call_pause_uncaptured(struct call *call)
{
    CUresult result = capture_forbid(call);
    return result == CUDA_SUCCESS ? call_pause(call) : result;
}
