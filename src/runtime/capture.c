#include <assert.h>

#include "driver/abi/api_graph.h"
#include "runtime/abi/api_graph.h"
#include "runtime/runtime.h"

static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData), "both APIs share the data of graph edges");

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamBeginCapture_v2(stream, (CUstreamCaptureMode)mode));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                          enum cudaStreamCaptureMode mode)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamBeginCaptureToGraph(stream, graph, dependencies,
                                               (const CUgraphEdgeData *)(const void *)dependencyData, numDependencies,
                                               (CUstreamCaptureMode)mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamEndCapture(stream, pGraph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)pCaptureStatus));
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
                                     unsigned long long *id_out, cudaGraph_t *graph_out,
                                     const cudaGraphNode_t **dependencies_out, const cudaGraphEdgeData **edgeData_out,
                                     size_t *numDependencies_out)
{
    RUNTIME_CALL;
    cuuint64_t id = 0;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuStreamGetCaptureInfo_v3(
            stream, (CUstreamCaptureStatus *)captureStatus_out, id_out != NULL ? &id : NULL, graph_out,
            dependencies_out, (const CUgraphEdgeData **)(void *)edgeData_out, numDependencies_out);
    if (error == cudaSuccess && id_out != NULL)
        *id_out = id;
    return runtime_done(error);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                                unsigned int flags)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuStreamUpdateCaptureDependencies_v2(
        stream, dependencies, (const CUgraphEdgeData *)(const void *)dependencyData, numDependencies, flags));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)mode));
}
