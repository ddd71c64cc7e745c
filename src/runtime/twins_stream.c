#include "runtime/abi/api_graph.h"
#include "runtime/abi/api_launch.h"
#include "runtime/abi/api_memory.h"
#include "runtime/abi/api_stream.h"
#include "runtime/runtime.h"

/* Functions for programs that were compiled for a default stream per host thread. */

cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    RUNTIME_CALL;
    return cudaEventRecordWithFlags(event, runtime_own(stream), flags);
}

cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaEventRecord(event, runtime_own(stream));
}

cudaError_t cudaFreeAsync_ptsz(void *devPtr, cudaStream_t hStream)
{
    RUNTIME_CALL;
    return cudaFreeAsync(devPtr, runtime_own(hStream));
}

cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                             size_t sharedMem, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaLaunchCooperativeKernel(func, gridDim, blockDim, args, sharedMem, runtime_own(stream));
}

cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    RUNTIME_CALL;
    return cudaLaunchHostFunc(runtime_own(stream), fn, userData);
}

cudaError_t cudaLaunchKernel_ptsz(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                  cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaLaunchKernel(func, gridDim, blockDim, args, sharedMem, runtime_own(stream));
}

cudaError_t cudaMallocAsync_ptsz(void **devPtr, size_t size, cudaStream_t hStream)
{
    RUNTIME_CALL;
    return cudaMallocAsync(devPtr, size, runtime_own(hStream));
}

cudaError_t cudaMallocFromPoolAsync_ptsz(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMallocFromPoolAsync(ptr, size, memPool, runtime_own(stream));
}

cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                       unsigned int flags)
{
    RUNTIME_CALL;
    return cudaStreamAddCallback(runtime_own(stream), callback, userData, flags);
}

cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void *devPtr, size_t length, unsigned int flags)
{
    RUNTIME_CALL;
    return cudaStreamAttachMemAsync(runtime_own(stream), devPtr, length, flags);
}

cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t dst, cudaStream_t src)
{
    RUNTIME_CALL;
    return cudaStreamCopyAttributes(runtime_own(dst), runtime_own(src));
}

cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                        cudaLaunchAttributeValue *value_out)
{
    RUNTIME_CALL;
    return cudaStreamGetAttribute(runtime_own(hStream), attr, value_out);
}

cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t hStream, int *device)
{
    RUNTIME_CALL;
    return cudaStreamGetDevice(runtime_own(hStream), device);
}

cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t hStream, unsigned int *flags)
{
    RUNTIME_CALL;
    return cudaStreamGetFlags(runtime_own(hStream), flags);
}

cudaError_t cudaStreamGetId_ptsz(cudaStream_t hStream, unsigned long long *streamId)
{
    RUNTIME_CALL;
    return cudaStreamGetId(runtime_own(hStream), streamId);
}

cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t hStream, int *priority)
{
    RUNTIME_CALL;
    return cudaStreamGetPriority(runtime_own(hStream), priority);
}

cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus)
{
    RUNTIME_CALL;
    return cudaStreamIsCapturing(runtime_own(stream), pCaptureStatus);
}

cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaStreamQuery(runtime_own(stream));
}

cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                        const cudaLaunchAttributeValue *value)
{
    RUNTIME_CALL;
    return cudaStreamSetAttribute(runtime_own(hStream), attr, value);
}

cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaStreamSynchronize(runtime_own(stream));
}

cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    RUNTIME_CALL;
    return cudaStreamWaitEvent(runtime_own(stream), event, flags);
}

cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaGraphLaunch(graphExec, runtime_own(stream));
}

cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t graphExec, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaGraphUpload(graphExec, runtime_own(stream));
}

cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t stream, cudaGraph_t graph,
                                               const cudaGraphNode_t *dependencies,
                                               const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                               enum cudaStreamCaptureMode mode)
{
    RUNTIME_CALL;
    return cudaStreamBeginCaptureToGraph(runtime_own(stream), graph, dependencies, dependencyData, numDependencies,
                                         mode);
}

cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    RUNTIME_CALL;
    return cudaStreamBeginCapture(runtime_own(stream), mode);
}

cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t *pGraph)
{
    RUNTIME_CALL;
    return cudaStreamEndCapture(runtime_own(stream), pGraph);
}

cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
                                          unsigned long long *id_out, cudaGraph_t *graph_out,
                                          const cudaGraphNode_t **dependencies_out,
                                          const cudaGraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
    RUNTIME_CALL;
    return cudaStreamGetCaptureInfo(runtime_own(stream), captureStatus_out, id_out, graph_out, dependencies_out,
                                    edgeData_out, numDependencies_out);
}

cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                     const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                                     unsigned int flags)
{
    RUNTIME_CALL;
    return cudaStreamUpdateCaptureDependencies(runtime_own(stream), dependencies, dependencyData, numDependencies,
                                               flags);
}
