#include "driver/abi/api_graph.h"
#include "driver/capture/capture.h"
#include "driver/capture/node_list.h"
#include "driver/state/called.h"
#include "driver/state/thread.h"

static CUresult begin(struct call *call, CUstream handle, bool per_thread, CUstreamCaptureMode mode)
{
    struct CUstream_st *stream = stream_find(call, handle, per_thread);
    return stream == NULL ? CUDA_ERROR_INVALID_HANDLE : capture_begin(call, stream, NULL, NULL, mode);
}

CUresult cuStreamBeginCapture(CUstream hStream)
{
    CALLED(CALL_CONTEXT, begin(&call, hStream, false, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

CUresult cuStreamBeginCapture_ptsz(CUstream hStream)
{
    CALLED(CALL_CONTEXT, begin(&call, hStream, true, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
    CALLED(CALL_CONTEXT, begin(&call, hStream, false, mode));
}

CUresult cuStreamBeginCapture_v2_ptsz(CUstream hStream, CUstreamCaptureMode mode)
{
    CALLED(CALL_CONTEXT, begin(&call, hStream, true, mode));
}

static CUresult begin_to_graph(struct call *call, CUstream handle, CUgraph graph, const struct node_list *after,
                               CUstreamCaptureMode mode, bool per_thread)
{
    struct CUstream_st *stream = stream_find(call, handle, per_thread);
    if (stream == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (graph_find(call, graph) == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct node_set set = {0};
    CUresult result = node_list_read(call, graph, after, &set);
    if (result == CUDA_SUCCESS)
        result = capture_begin(call, stream, graph, &set, mode);
    node_set_clear(&set);
    return result;
}

CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                     CUstreamCaptureMode mode)
{
    struct node_list after = {dependencies, dependencyData, numDependencies};
    CALLED(CALL_CONTEXT, begin_to_graph(&call, hStream, hGraph, &after, mode, false));
}

CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
                                          const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                          CUstreamCaptureMode mode)
{
    struct node_list after = {dependencies, dependencyData, numDependencies};
    CALLED(CALL_CONTEXT, begin_to_graph(&call, hStream, hGraph, &after, mode, true));
}

static CUresult end(struct call *call, CUstream handle, CUgraph *graph, bool per_thread)
{
    struct CUstream_st *stream = stream_find(call, handle, per_thread);
    if (stream == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    return graph == NULL ? CUDA_ERROR_INVALID_VALUE : capture_end(call, stream, graph);
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    CALLED(CALL_CONTEXT, end(&call, hStream, phGraph, false));
}

CUresult cuStreamEndCapture_ptsz(CUstream hStream, CUgraph *phGraph)
{
    CALLED(CALL_CONTEXT, end(&call, hStream, phGraph, true));
}

/* Places for the answers of cuStreamGetCaptureInfo (NULL: not wanted). */
struct info {
    CUstreamCaptureStatus *status;
    cuuint64_t *id;
    CUgraph *graph;
    const CUgraphNode **nodes;
    const CUgraphEdgeData **data;
    size_t *count;
};

static CUresult info_of(struct call *call, CUstream handle, bool per_thread, const struct info *info)
{
    const struct CUstream_st *stream = stream_find(call, handle, per_thread);
    if (stream == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (info->status == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->capture == NULL && capture_is_implicit(stream))
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    const struct capture *capture = stream->capture;
    *info->status = capture == NULL    ? CU_STREAM_CAPTURE_STATUS_NONE
                    : capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                       : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (*info->status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_SUCCESS;
    bool data = node_set_has_data(&stream->after);
    if (data && info->nodes != NULL && info->data == NULL)
        return CUDA_ERROR_LOSSY_QUERY;
    if (info->id != NULL)
        *info->id = capture->id;
    if (info->graph != NULL)
        *info->graph = capture->graph;
    if (info->nodes != NULL)
        *info->nodes = stream->after.node;
    if (info->data != NULL)
        *info->data = data ? stream->after.data : NULL;
    if (info->count != NULL)
        *info->count = stream->after.count;
    return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    struct info info = {.status = captureStatus};
    CALLED(CALL_CONTEXT, info_of(&call, hStream, false, &info));
}

CUresult cuStreamIsCapturing_ptsz(CUstream hStream, CUstreamCaptureStatus *captureStatus)
{
    struct info info = {.status = captureStatus};
    CALLED(CALL_CONTEXT, info_of(&call, hStream, true, &info));
}

CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out)
{
    struct info info = {.status = captureStatus_out, .id = id_out};
    CALLED(CALL_CONTEXT, info_of(&call, hStream, false, &info));
}

CUresult cuStreamGetCaptureInfo_ptsz(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out)
{
    struct info info = {.status = captureStatus_out, .id = id_out};
    CALLED(CALL_CONTEXT, info_of(&call, hStream, true, &info));
}

CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                   CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                   size_t *numDependencies_out)
{
    struct info info = {.status = captureStatus_out,
                        .id = id_out,
                        .graph = graph_out,
                        .nodes = dependencies_out,
                        .count = numDependencies_out};
    CALLED(CALL_CONTEXT, info_of(&call, hStream, false, &info));
}

CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                        CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                        size_t *numDependencies_out)
{
    struct info info = {.status = captureStatus_out,
                        .id = id_out,
                        .graph = graph_out,
                        .nodes = dependencies_out,
                        .count = numDependencies_out};
    CALLED(CALL_CONTEXT, info_of(&call, hStream, true, &info));
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                   CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                   const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
    struct info info = {.status = captureStatus_out,
                        .id = id_out,
                        .graph = graph_out,
                        .nodes = dependencies_out,
                        .data = edgeData_out,
                        .count = numDependencies_out};
    CALLED(CALL_CONTEXT, info_of(&call, hStream, false, &info));
}

CUresult cuStreamGetCaptureInfo_v3_ptsz(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                        CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                        const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out)
{
    struct info info = {.status = captureStatus_out,
                        .id = id_out,
                        .graph = graph_out,
                        .nodes = dependencies_out,
                        .data = edgeData_out,
                        .count = numDependencies_out};
    CALLED(CALL_CONTEXT, info_of(&call, hStream, true, &info));
}

enum { DEPENDENCIES_ADD, DEPENDENCIES_SET }; /* CU_STREAM_ADD_CAPTURE_DEPENDENCIES, CU_STREAM_SET_... */

static CUresult update(struct call *call, CUstream handle, const struct node_list *nodes, unsigned flags,
                       bool per_thread)
{
    struct CUstream_st *stream = stream_find(call, handle, per_thread);
    if (stream == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags > DEPENDENCIES_SET)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->capture == NULL)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (stream->capture->invalid)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    struct node_set set = {0};
    CUresult result = node_list_read(call, stream->capture->graph, nodes, &set);
    if (result == CUDA_SUCCESS && flags == DEPENDENCIES_SET)
        stream->after.count = 0;
    if (result == CUDA_SUCCESS && !node_set_join(&stream->after, &set))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    node_set_clear(&set);
    return result;
}

CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies, size_t numDependencies,
                                           unsigned int flags)
{
    struct node_list nodes = {dependencies, NULL, numDependencies};
    CALLED(CALL_CONTEXT, update(&call, hStream, &nodes, flags, false));
}

CUresult cuStreamUpdateCaptureDependencies_ptsz(CUstream hStream, CUgraphNode *dependencies, size_t numDependencies,
                                                unsigned int flags)
{
    struct node_list nodes = {dependencies, NULL, numDependencies};
    CALLED(CALL_CONTEXT, update(&call, hStream, &nodes, flags, true));
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                              const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                              unsigned int flags)
{
    struct node_list nodes = {dependencies, dependencyData, numDependencies};
    CALLED(CALL_CONTEXT, update(&call, hStream, &nodes, flags, false));
}

CUresult cuStreamUpdateCaptureDependencies_v2_ptsz(CUstream hStream, CUgraphNode *dependencies,
                                                   const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                                   unsigned int flags)
{
    struct node_list nodes = {dependencies, dependencyData, numDependencies};
    CALLED(CALL_CONTEXT, update(&call, hStream, &nodes, flags, true));
}

static CUresult exchange(struct call *call, CUstreamCaptureMode *mode)
{
    if (mode == NULL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    CUstreamCaptureMode old = call->thread->capture;
    call->thread->capture = *mode;
    *mode = old;
    return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    CALLED(CALL_INITIALISED, exchange(&call, mode));
}
