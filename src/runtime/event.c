#include "driver/abi/api_stream.h"
#include "runtime/abi/api_stream.h"
#include "runtime/runtime.h"

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuEventCreate(event, 0));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuEventCreate(event, flags));
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuEventDestroy_v2(event));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuEventRecord(event, stream));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuEventRecordWithFlags(event, stream, flags));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuEventQuery(event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuEventSynchronize(event));
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuEventElapsedTime_v2(ms, start, end));
}
