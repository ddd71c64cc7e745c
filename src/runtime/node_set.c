#include "driver/abi/api_graph.h"
#include "runtime/abi/api_graph.h"
#include "runtime/copy.h"
#include "runtime/node.h"
#include "runtime/runtime.h"
#include "runtime/symbol.h"

/* Each function below exists for nodes of a graph and for those of an executable one, `exec`, which is NULL for the
 * former. */

static cudaError_t set_kernel(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *params)
{
    CUDA_KERNEL_NODE_PARAMS driver;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = node_kernel(params, &driver);
    if (error == cudaSuccess)
        error = (cudaError_t)(exec == NULL ? cuGraphKernelNodeSetParams_v2(node, &driver)
                                           : cuGraphExecKernelNodeSetParams_v2(exec, node, &driver));
    return runtime_done(error);
}

static cudaError_t set_copy(cudaGraphExec_t exec, cudaGraphNode_t node, cudaError_t error, const CUDA_MEMCPY3D *driver)
{
    if (error == cudaSuccess)
        error = (cudaError_t)(exec == NULL ? cuGraphMemcpyNodeSetParams(node, driver)
                                           : cuGraphExecMemcpyNodeSetParams(exec, node, driver, runtime_context()));
    return runtime_done(error);
}

static cudaError_t set_box(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *params)
{
    CUDA_MEMCPY3D driver;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = copy_box_of(params, &driver);
    return set_copy(exec, node, error, &driver);
}

struct line {
    void *to;
    const void *from;
    size_t count;
    enum cudaMemcpyKind kind;
};

static cudaError_t set_line(cudaGraphExec_t exec, cudaGraphNode_t node, struct line line)
{
    CUDA_MEMCPY3D driver;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = node_line(line.to, line.from, line.count, line.kind, &driver);
    return set_copy(exec, node, error, &driver);
}

static cudaError_t set_to_symbol(cudaGraphExec_t exec, cudaGraphNode_t node, struct line line, size_t offset)
{
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = symbol_part(line.to, line.count, offset, line.kind, true, &line.to);
    return error == cudaSuccess ? set_line(exec, node, line) : runtime_done(error);
}

static cudaError_t set_from_symbol(cudaGraphExec_t exec, cudaGraphNode_t node, struct line line, size_t offset)
{
    void *from = NULL;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = symbol_part(line.from, line.count, offset, line.kind, false, &from);
    line.from = from;
    return error == cudaSuccess ? set_line(exec, node, line) : runtime_done(error);
}

static cudaError_t set_memset(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *params)
{
    CUDA_MEMSET_NODE_PARAMS driver;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = node_memset(params, &driver);
    if (error == cudaSuccess)
        error = (cudaError_t)(exec == NULL ? cuGraphMemsetNodeSetParams(node, &driver)
                                           : cuGraphExecMemsetNodeSetParams(exec, node, &driver, runtime_context()));
    return runtime_done(error);
}

static cudaError_t set_host(cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *params)
{
    CUDA_HOST_NODE_PARAMS driver;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = node_host(params, &driver);
    if (error == cudaSuccess)
        error = (cudaError_t)(exec == NULL ? cuGraphHostNodeSetParams(node, &driver)
                                           : cuGraphExecHostNodeSetParams(exec, node, &driver));
    return runtime_done(error);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams)
{
    RUNTIME_CALL;
    return set_kernel(NULL, node, pNodeParams);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *pNodeParams)
{
    RUNTIME_CALL;
    return hGraphExec == NULL ? runtime_done(cudaErrorInvalidValue) : set_kernel(hGraphExec, node, pNodeParams);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *pNodeParams)
{
    RUNTIME_CALL;
    return set_box(NULL, node, pNodeParams);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *pNodeParams)
{
    RUNTIME_CALL;
    return hGraphExec == NULL ? runtime_done(cudaErrorInvalidValue) : set_box(hGraphExec, node, pNodeParams);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *pNodeParams)
{
    RUNTIME_CALL;
    return set_memset(NULL, node, pNodeParams);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *pNodeParams)
{
    RUNTIME_CALL;
    return hGraphExec == NULL ? runtime_done(cudaErrorInvalidValue) : set_memset(hGraphExec, node, pNodeParams);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *pNodeParams)
{
    RUNTIME_CALL;
    return set_host(NULL, node, pNodeParams);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *pNodeParams)
{
    RUNTIME_CALL;
    return hGraphExec == NULL ? runtime_done(cudaErrorInvalidValue) : set_host(hGraphExec, node, pNodeParams);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t count,
                                           enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return set_line(NULL, node, (struct line){dst, src, count, kind});
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
                                               const void *src, size_t count, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return hGraphExec == NULL ? runtime_done(cudaErrorInvalidValue)
                              : set_line(hGraphExec, node, (struct line){dst, src, count, kind});
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src,
                                                 size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return set_to_symbol(NULL, node, (struct line){(void *)(uintptr_t)symbol, src, count, kind}, offset);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                     const void *symbol, const void *src, size_t count, size_t offset,
                                                     enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return hGraphExec == NULL
               ? runtime_done(cudaErrorInvalidValue)
               : set_to_symbol(hGraphExec, node, (struct line){(void *)(uintptr_t)symbol, src, count, kind}, offset);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol, size_t count,
                                                   size_t offset, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return set_from_symbol(NULL, node, (struct line){dst, symbol, count, kind}, offset);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
                                                       const void *symbol, size_t count, size_t offset,
                                                       enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return hGraphExec == NULL ? runtime_done(cudaErrorInvalidValue)
                              : set_from_symbol(hGraphExec, node, (struct line){dst, symbol, count, kind}, offset);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                 cudaGraph_t childGraph)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphExecChildGraphNodeSetParams(hGraphExec, node, childGraph));
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphEventRecordNodeSetEvent(node, event));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphEventWaitNodeSetEvent(node, event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphExecEventRecordNodeSetEvent(hGraphExec, hNode, event));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphExecEventWaitNodeSetEvent(hGraphExec, hNode, event));
}

static cudaError_t set_by_type(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *params)
{
    switch (params->type) {
    case cudaGraphNodeTypeKernel:
        return set_kernel(exec, node, (const struct cudaKernelNodeParams *)(const void *)&params->kernel);
    case cudaGraphNodeTypeMemcpy: return set_box(exec, node, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return set_memset(exec, node, (const struct cudaMemsetParams *)(const void *)&params->memset);
    case cudaGraphNodeTypeHost:
        return set_host(exec, node, (const struct cudaHostNodeParams *)(const void *)&params->host);
    case cudaGraphNodeTypeGraph:
        return exec == NULL ? runtime_done(cudaErrorNotSupported)
                            : cudaGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
    case cudaGraphNodeTypeWaitEvent:
        return exec == NULL ? cudaGraphEventWaitNodeSetEvent(node, params->eventWait.event)
                            : cudaGraphExecEventWaitNodeSetEvent(exec, node, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return exec == NULL ? cudaGraphEventRecordNodeSetEvent(node, params->eventRecord.event)
                            : cudaGraphExecEventRecordNodeSetEvent(exec, node, params->eventRecord.event);
    default: return runtime_done(cudaErrorInvalidValue);
    }
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams)
{
    RUNTIME_CALL;
    return nodeParams == NULL ? runtime_done(cudaErrorInvalidValue) : set_by_type(NULL, node, nodeParams);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *nodeParams)
{
    RUNTIME_CALL;
    bool given = graphExec != NULL && nodeParams != NULL;
    return given ? set_by_type(graphExec, node, nodeParams) : runtime_done(cudaErrorInvalidValue);
}
