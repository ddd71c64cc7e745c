#include <assert.h>

#include "driver/abi/api_graph.h"
#include "runtime/abi/api_graph.h"
#include "runtime/copy.h"
#include "runtime/node.h"
#include "runtime/runtime.h"
#include "runtime/symbol.h"

static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS),
              "both APIs share the parameters of an allocation node");

/* The place of a node and its dependences. */
struct place {
    cudaGraphNode_t *node;
    cudaGraph_t graph;
    const cudaGraphNode_t *dependencies;
    size_t count;
};

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                   size_t numDependencies, const struct cudaKernelNodeParams *pNodeParams)
{
    RUNTIME_CALL;
    CUDA_KERNEL_NODE_PARAMS driver;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = node_kernel(pNodeParams, &driver);
    if (error == cudaSuccess)
        error = (cudaError_t)cuGraphAddKernelNode_v2(pGraphNode, graph, pDependencies, numDependencies, &driver);
    return runtime_done(error);
}

static cudaError_t add_copy(struct place place, cudaError_t error, const CUDA_MEMCPY3D *driver)
{
    if (error == cudaSuccess)
        error = (cudaError_t)cuGraphAddMemcpyNode(place.node, place.graph, place.dependencies, place.count, driver,
                                                  runtime_context());
    return runtime_done(error);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                   size_t numDependencies, const struct cudaMemcpy3DParms *pCopyParams)
{
    RUNTIME_CALL;
    CUDA_MEMCPY3D driver;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = copy_box_of(pCopyParams, &driver);
    return add_copy((struct place){pGraphNode, graph, pDependencies, numDependencies}, error, &driver);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
                                     const void *src, size_t count, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    CUDA_MEMCPY3D driver;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = node_line(dst, src, count, kind, &driver);
    return add_copy((struct place){pGraphNode, graph, pDependencies, numDependencies}, error, &driver);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                           const void *symbol, const void *src, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    CUDA_MEMCPY3D driver;
    void *address;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = symbol_part(symbol, count, offset, kind, true, &address);
    if (error == cudaSuccess)
        error = node_line(address, src, count, kind, &driver);
    return add_copy((struct place){pGraphNode, graph, pDependencies, numDependencies}, error, &driver);
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
                                             const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    CUDA_MEMCPY3D driver;
    void *address;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = symbol_part(symbol, count, offset, kind, false, &address);
    if (error == cudaSuccess)
        error = node_line(dst, address, count, kind, &driver);
    return add_copy((struct place){pGraphNode, graph, pDependencies, numDependencies}, error, &driver);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                   size_t numDependencies, const struct cudaMemsetParams *pMemsetParams)
{
    RUNTIME_CALL;
    CUDA_MEMSET_NODE_PARAMS driver;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = node_memset(pMemsetParams, &driver);
    if (error == cudaSuccess)
        error = (cudaError_t)cuGraphAddMemsetNode(pGraphNode, graph, pDependencies, numDependencies, &driver,
                                                  runtime_context());
    return runtime_done(error);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                 size_t numDependencies, const struct cudaHostNodeParams *pNodeParams)
{
    RUNTIME_CALL;
    CUDA_HOST_NODE_PARAMS driver;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = node_host(pNodeParams, &driver);
    if (error == cudaSuccess)
        error = (cudaError_t)cuGraphAddHostNode(pGraphNode, graph, pDependencies, numDependencies, &driver);
    return runtime_done(error);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                       const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                       cudaGraph_t childGraph)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphAddChildGraphNode(pGraphNode, graph, pDependencies, numDependencies, childGraph));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                                  size_t numDependencies)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphAddEmptyNode(pGraphNode, graph, pDependencies, numDependencies));
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies, size_t numDependencies, cudaEvent_t event)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphAddEventRecordNode(pGraphNode, graph, pDependencies, numDependencies, event));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                      const cudaGraphNode_t *pDependencies, size_t numDependencies, cudaEvent_t event)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphAddEventWaitNode(pGraphNode, graph, pDependencies, numDependencies, event));
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                     struct cudaMemAllocNodeParams *nodeParams)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphAddMemAllocNode(pGraphNode, graph, pDependencies, numDependencies,
                                          (CUDA_MEM_ALLOC_NODE_PARAMS *)(void *)nodeParams));
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                    const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dptr)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuGraphAddMemFreeNode(pGraphNode, graph, pDependencies, numDependencies, runtime_pointer(dptr)));
}

/* The parameters' first fields agree with those of the functions for each type. */
static cudaError_t add_by_type(struct place p, struct cudaGraphNodeParams *params)
{
    switch (params->type) {
    case cudaGraphNodeTypeKernel:
        return cudaGraphAddKernelNode(p.node, p.graph, p.dependencies, p.count,
                                      (const struct cudaKernelNodeParams *)(const void *)&params->kernel);
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(p.node, p.graph, p.dependencies, p.count, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphAddMemsetNode(p.node, p.graph, p.dependencies, p.count,
                                      (const struct cudaMemsetParams *)(const void *)&params->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphAddHostNode(p.node, p.graph, p.dependencies, p.count,
                                    (const struct cudaHostNodeParams *)(const void *)&params->host);
    case cudaGraphNodeTypeGraph:
        return params->graph.ownership == cudaGraphChildGraphOwnershipClone
                   ? cudaGraphAddChildGraphNode(p.node, p.graph, p.dependencies, p.count, params->graph.graph)
                   : runtime_done(cudaErrorNotSupported);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(p.node, p.graph, p.dependencies, p.count);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphAddEventWaitNode(p.node, p.graph, p.dependencies, p.count, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(p.node, p.graph, p.dependencies, p.count, params->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
        return cudaGraphAddMemAllocNode(p.node, p.graph, p.dependencies, p.count,
                                        (struct cudaMemAllocNodeParams *)(void *)&params->alloc);
    case cudaGraphNodeTypeMemFree:
        return cudaGraphAddMemFreeNode(p.node, p.graph, p.dependencies, p.count, params->free.dptr);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
    case cudaGraphNodeTypeConditional: return runtime_done(cudaErrorNotSupported);
    default: return runtime_done(cudaErrorInvalidValue);
    }
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph, const cudaGraphNode_t *pDependencies,
                             const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                             struct cudaGraphNodeParams *nodeParams)
{
    RUNTIME_CALL;
    if (nodeParams == NULL)
        return runtime_done(cudaErrorInvalidValue);
    /* Edges that are more than an order (programmatic launches) are not simulated. */
    for (size_t i = 0; dependencyData != NULL && i < numDependencies; i++)
        if (dependencyData[i].from_port != 0 || dependencyData[i].to_port != 0 || dependencyData[i].type != 0)
            return runtime_done(cudaErrorNotSupported);
    return add_by_type((struct place){pGraphNode, graph, pDependencies, numDependencies}, nodeParams);
}
