#include <assert.h>
#include <stdlib.h>

#include "driver/abi/api_stream.h"
#include "runtime/abi/api_stream.h"
#include "runtime/runtime.h"

static_assert(sizeof(cudaLaunchAttributeValue) == sizeof(CUstreamAttrValue), "both APIs share attributes of streams");

cudaError_t cudaStreamCreate(cudaStream_t *pStream)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamCreate(pStream, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamCreate(pStream, flags));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamCreateWithPriority(pStream, flags, priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamDestroy_v2(stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamSynchronize(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamQuery(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamWaitEvent(stream, event, flags));
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamGetFlags(hStream, flags));
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamGetPriority(hStream, priority));
}

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamGetId(hStream, streamId));
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamGetDevice(hStream, device));
}

cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   cudaLaunchAttributeValue *value_out)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamGetAttribute(hStream, (CUstreamAttrID)attr, (CUstreamAttrValue *)(void *)value_out));
}

cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                   const cudaLaunchAttributeValue *value)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamSetAttribute(hStream, (CUstreamAttrID)attr, (const CUstreamAttrValue *)(const void *)value));
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamCopyAttributes(dst, src));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length, unsigned int flags)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamAttachMemAsync(stream, runtime_pointer(devPtr), length, flags));
}

struct callback {
    cudaStreamCallback_t function;
    void *data;
};

static void call_back(CUstream stream, CUresult result, void *data)
{
    struct callback callback = *(struct callback *)data;
    free(data);
    callback.function(stream, (cudaError_t)result, callback.data);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                  unsigned int flags)
{
    RUNTIME_CALL;
    if (callback == NULL || flags != 0)
        return runtime_done(cudaErrorInvalidValue);
    struct callback *kept = malloc(sizeof *kept);
    if (kept == NULL)
        return runtime_done(cudaErrorMemoryAllocation);
    *kept = (struct callback){.function = callback, .data = userData};
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuStreamAddCallback(stream, call_back, kept, flags);
    if (error != cudaSuccess)
        free(kept);
    return runtime_done(error);
}
