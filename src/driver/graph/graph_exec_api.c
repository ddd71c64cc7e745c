/* Functions about executable graphs. */
#include "driver/abi/api_graph.h"
#include "driver/graph/graph_exec.h"
#include "driver/graph/graph_update.h"
#include "driver/queue/stream.h"
#include "driver/state/called.h"

static const uint64_t instantiate_flags =
    INSTANTIATE_AUTO_FREE | INSTANTIATE_UPLOAD | INSTANTIATE_DEVICE_LAUNCH | INSTANTIATE_NODE_PRIORITY;

static CUresult instantiate(struct call *call, CUgraphExec *out, CUgraph handle, uint64_t flags,
                            struct CUgraphNode_st **error)
{
    *error = NULL;
    const struct CUgraph_st *graph = graph_find(call, handle);
    if (out == NULL || graph == NULL || graph->capture != NULL || (flags & ~instantiate_flags) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if ((flags & INSTANTIATE_DEVICE_LAUNCH) != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    return graph_exec_create(call->driver, graph, flags, out, error);
}

/* Of the functions without parameters for flags. The log stays empty. */
static CUresult instantiate_logged(struct call *call, CUgraphExec *out, CUgraph graph, CUgraphNode *error, char *log,
                                   size_t size)
{
    struct CUgraphNode_st *wrong = NULL;
    CUresult result = instantiate(call, out, graph, 0, &wrong);
    if (error != NULL)
        *error = wrong;
    if (log != NULL && size > 0)
        log[0] = '\0';
    return result;
}

CUresult cuGraphInstantiate(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
                            size_t bufferSize)
{
    CALLED(CALL_CONTEXT, instantiate_logged(&call, phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize));
}

CUresult cuGraphInstantiate_v2(CUgraphExec *phGraphExec, CUgraph hGraph, CUgraphNode *phErrorNode, char *logBuffer,
                               size_t bufferSize)
{
    CALLED(CALL_CONTEXT, instantiate_logged(&call, phGraphExec, hGraph, phErrorNode, logBuffer, bufferSize));
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags)
{
    struct CUgraphNode_st *wrong = NULL;
    CALLED(CALL_CONTEXT, instantiate(&call, phGraphExec, hGraph, flags, &wrong));
}

static CUresult instantiate_params(struct call *call, CUgraphExec *out, CUgraph graph,
                                   CUDA_GRAPH_INSTANTIATE_PARAMS *params, bool per_thread)
{
    if (params == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    bool upload = (params->flags & INSTANTIATE_UPLOAD) != 0;
    if (upload && stream_find(call, params->hUploadStream, per_thread) == NULL)
        return CUDA_ERROR_INVALID_HANDLE;
    struct CUgraphNode_st *wrong = NULL;
    CUresult result = instantiate(call, out, graph, params->flags, &wrong);
    params->hErrNode_out = wrong;
    params->result_out = result == CUDA_SUCCESS               ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                         : wrong != NULL                      ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
                         : result == CUDA_ERROR_NOT_SUPPORTED ? CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED
                                                              : CUDA_GRAPH_INSTANTIATE_ERROR;
    return result;
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *phGraphExec, CUgraph hGraph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams)
{
    CALLED(CALL_CONTEXT, instantiate_params(&call, phGraphExec, hGraph, instantiateParams, false));
}

CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec *phGraphExec, CUgraph hGraph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS *instantiateParams)
{
    CALLED(CALL_CONTEXT, instantiate_params(&call, phGraphExec, hGraph, instantiateParams, true));
}

static CUresult destroy(struct call *call, CUgraphExec handle)
{
    if (graph_exec_find(call, handle) == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    graph_exec_free(handle); /* a launch owns all that it needs */
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec hGraphExec) { CALLED(CALL_INITIALISED, destroy(&call, hGraphExec)); }

static CUresult get_flags(const struct call *call, CUgraphExec handle, cuuint64_t *flags)
{
    if (graph_exec_find(call, handle) == NULL || flags == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = handle->flags;
    return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec hGraphExec, cuuint64_t *flags)
{
    CALLED(CALL_CONTEXT, get_flags(&call, hGraphExec, flags));
}

static CUresult launch(struct call *call, CUgraphExec handle, CUstream stream_handle, bool per_thread)
{
    struct CUstream_st *stream = stream_find(call, stream_handle, per_thread);
    if (graph_exec_find(call, handle) == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return stream == NULL ? CUDA_ERROR_INVALID_HANDLE : graph_exec_launch(handle, stream);
}

CUresult cuGraphLaunch(CUgraphExec hGraph, CUstream hStream)
{
    CALLED(CALL_CONTEXT, launch(&call, hGraph, hStream, false));
}

CUresult cuGraphLaunch_ptsz(CUgraphExec hGraphExec, CUstream hStream)
{
    CALLED(CALL_CONTEXT, launch(&call, hGraphExec, hStream, true));
}

/* There is nowhere to bring the graph to. */
static CUresult upload(struct call *call, CUgraphExec handle, CUstream stream, bool per_thread)
{
    if (graph_exec_find(call, handle) == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return stream_find(call, stream, per_thread) == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec hGraph, CUstream hStream)
{
    CALLED(CALL_CONTEXT, upload(&call, hGraph, hStream, false));
}

CUresult cuGraphUpload_ptsz(CUgraphExec hGraphExec, CUstream hStream)
{
    CALLED(CALL_CONTEXT, upload(&call, hGraphExec, hStream, true));
}

static CUresult update(struct call *call, CUgraphExec handle, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
    if (graph_exec_find(call, handle) == NULL || graph_find(call, graph) == NULL || graph->capture != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return graph_update(handle->graph, graph, &info->result, &info->errorNode, &info->errorFromNode);
}

static CUresult update_v1(struct call *call, CUgraphExec exec, CUgraph graph, CUgraphNode *node,
                          CUgraphExecUpdateResult *answer)
{
    if (answer == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphExecUpdateResultInfo info = {CU_GRAPH_EXEC_UPDATE_ERROR, NULL, NULL};
    CUresult result = update(call, exec, graph, &info);
    *answer = info.result;
    if (node != NULL)
        *node = info.errorNode;
    return result;
}

CUresult cuGraphExecUpdate(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphNode *hErrorNode_out,
                           CUgraphExecUpdateResult *updateResult_out)
{
    CALLED(CALL_CONTEXT, update_v1(&call, hGraphExec, hGraph, hErrorNode_out, updateResult_out));
}

CUresult cuGraphExecUpdate_v2(CUgraphExec hGraphExec, CUgraph hGraph, CUgraphExecUpdateResultInfo *resultInfo)
{
    CUgraphExecUpdateResultInfo unused;
    CALLED(CALL_CONTEXT, update(&call, hGraphExec, hGraph, resultInfo != NULL ? resultInfo : &unused));
}

/* Documented: kernels, copies and sets can be switched off. */
static struct CUgraphNode_st *switched(const struct call *call, CUgraphExec handle, CUgraphNode node_handle)
{
    if (graph_exec_find(call, handle) == NULL || graph_node_find(call, node_handle) == NULL)
        return NULL;
    struct CUgraphNode_st *node = graph_exec_node(handle, node_handle);
    bool can = node != NULL && (node->type == CU_GRAPH_NODE_TYPE_KERNEL || node->type == CU_GRAPH_NODE_TYPE_MEMCPY ||
                                node->type == CU_GRAPH_NODE_TYPE_MEMSET);
    return can ? node : NULL;
}

static CUresult set_enabled(const struct call *call, CUgraphExec exec, CUgraphNode handle, unsigned enabled)
{
    struct CUgraphNode_st *node = switched(call, exec, handle);
    if (node == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    node->disabled = enabled == 0;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int isEnabled)
{
    CALLED(CALL_CONTEXT, set_enabled(&call, hGraphExec, hNode, isEnabled));
}

static CUresult get_enabled(const struct call *call, CUgraphExec exec, CUgraphNode handle, unsigned *enabled)
{
    const struct CUgraphNode_st *node = switched(call, exec, handle);
    if (node == NULL || enabled == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *enabled = !node->disabled;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec hGraphExec, CUgraphNode hNode, unsigned int *isEnabled)
{
    CALLED(CALL_CONTEXT, get_enabled(&call, hGraphExec, hNode, isEnabled));
}
