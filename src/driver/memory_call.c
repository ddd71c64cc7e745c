#include "driver/memory_call.h"

#include "driver/capture.h"
#include "driver/context.h"
#include "driver/queue.h"

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
