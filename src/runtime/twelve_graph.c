/* Graphs without edge data, capture, and functions of threads, as CUDA 12 has them. Compiled for libcudart.so.12
 * only, behind twelve.h. */
#include "runtime/abi/api_device.h"
#include "runtime/abi/api_graph.h"
#include "runtime/abi/api_stream.h"
#include "runtime/runtime.h"

#undef cudaGraphAddDependencies
RUNTIME_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                 const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     size_t count)
{
    RUNTIME_CALL;
    return cudaGraphAddDependencies_v2(graph, from, to, NULL, count);
}

#undef cudaGraphRemoveDependencies
RUNTIME_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                    const cudaGraphNode_t *to, size_t count);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        size_t count)
{
    RUNTIME_CALL;
    return cudaGraphRemoveDependencies_v2(graph, from, to, NULL, count);
}

#undef cudaGraphAddNode
RUNTIME_API cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                         size_t count, struct cudaGraphNodeParams *parameters);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t count,
                             struct cudaGraphNodeParams *parameters)
{
    RUNTIME_CALL;
    return cudaGraphAddNode_v2(node, graph, before, NULL, count, parameters);
}

#undef cudaGraphGetEdges
RUNTIME_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
{
    RUNTIME_CALL;
    return cudaGraphGetEdges_v2(graph, from, to, NULL, count);
}

#undef cudaGraphNodeGetDependencies
RUNTIME_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *before, size_t *count);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *before, size_t *count)
{
    RUNTIME_CALL;
    return cudaGraphNodeGetDependencies_v2(node, before, NULL, count);
}

#undef cudaGraphNodeGetDependentNodes
RUNTIME_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *behind, size_t *count);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *behind, size_t *count)
{
    RUNTIME_CALL;
    return cudaGraphNodeGetDependentNodes_v2(node, behind, NULL, count);
}

/* ---- capture ----------------------------------------------------------------------------------------------------- */

RUNTIME_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                    unsigned long long *id, cudaGraph_t *graph,
                                                    const cudaGraphNode_t **before, size_t *count);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **before,
                                        size_t *count)
{
    RUNTIME_CALL;
    return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, before, NULL, count);
}

RUNTIME_API cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                         unsigned long long *id, cudaGraph_t *graph,
                                                         const cudaGraphNode_t **before, size_t *count);
cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                             unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **before,
                                             size_t *count)
{
    RUNTIME_CALL;
    return cudaStreamGetCaptureInfo_v2(runtime_own(stream), status, id, graph, before, count);
}

#undef cudaStreamGetCaptureInfo
RUNTIME_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                 unsigned long long *id);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id)
{
    RUNTIME_CALL;
    return cudaStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

#undef cudaStreamGetCaptureInfo_ptsz
RUNTIME_API cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                                      unsigned long long *id);
cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                          unsigned long long *id)
{
    RUNTIME_CALL;
    return cudaStreamGetCaptureInfo(runtime_own(stream), status, id);
}

#undef cudaStreamUpdateCaptureDependencies
RUNTIME_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *before, size_t count,
                                                            unsigned int flags);
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *before, size_t count,
                                                unsigned int flags)
{
    RUNTIME_CALL;
    return cudaStreamUpdateCaptureDependencies_v2(stream, before, NULL, count, flags);
}

#undef cudaStreamUpdateCaptureDependencies_ptsz
RUNTIME_API cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream, cudaGraphNode_t *before,
                                                                 size_t count, unsigned int flags);
cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream, cudaGraphNode_t *before, size_t count,
                                                     unsigned int flags)
{
    RUNTIME_CALL;
    return cudaStreamUpdateCaptureDependencies(runtime_own(stream), before, count, flags);
}

/* ---- functions that CUDA 12 still calls by a name of CUDA 3 ------------------------------------------------------ */

RUNTIME_API cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    RUNTIME_CALL;
    return cudaEventElapsedTime(milliseconds, start, end);
}

RUNTIME_API cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadExit(void)
{
    RUNTIME_CALL;
    return cudaDeviceReset();
}

RUNTIME_API cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadSynchronize(void)
{
    RUNTIME_CALL;
    return cudaDeviceSynchronize();
}

RUNTIME_API cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
    RUNTIME_CALL;
    return cudaDeviceGetLimit(value, limit);
}

RUNTIME_API cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    RUNTIME_CALL;
    return cudaDeviceSetLimit(limit, value);
}

RUNTIME_API cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
    RUNTIME_CALL;
    return cudaDeviceGetCacheConfig(config);
}

RUNTIME_API cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
    RUNTIME_CALL;
    return cudaDeviceSetCacheConfig(config);
}
