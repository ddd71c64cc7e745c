/* Functions that add nodes. */
#include "driver/abi/api_graph.h"
#include "driver/graph/graph_nodes.h"
#include "driver/state/called.h"

/* Adds a node whose parameters are `expression` in the field `field`, unless the program passed NULL. */
#define ADDED(field, kind, given, expression)                                                                          \
    struct node_list after = {dependencies, NULL, numDependencies};                                                    \
    CUgraphNodeParams params = {.type = (kind)};                                                                       \
    if (given)                                                                                                         \
        params.field = expression;                                                                                     \
    CALLED(CALL_CONTEXT, nodes_add(&call, phGraphNode, hGraph, &after, (given) ? &params : NULL))

CUresult cuGraphAddKernelNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                              size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    ADDED(kernel, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams != NULL, nodes_kernel_v1(nodeParams));
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                 size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    ADDED(kernel, CU_GRAPH_NODE_TYPE_KERNEL, nodeParams != NULL, nodes_kernel_v2(nodeParams));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                              size_t numDependencies, const CUDA_MEMCPY3D *copyParams, CUcontext ctx)
{
    ADDED(memcpy, CU_GRAPH_NODE_TYPE_MEMCPY, copyParams != NULL,
          ((CUDA_MEMCPY_NODE_PARAMS){.copyCtx = ctx, .copyParams = *copyParams}));
}

CUresult cuGraphAddMemsetNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                              size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    ADDED(memset, CU_GRAPH_NODE_TYPE_MEMSET, memsetParams != NULL, nodes_memset(memsetParams, ctx));
}

CUresult cuGraphAddHostNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                            size_t numDependencies, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    ADDED(host, CU_GRAPH_NODE_TYPE_HOST, nodeParams != NULL,
          ((CUDA_HOST_NODE_PARAMS_v2){nodeParams->fn, nodeParams->userData}));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                  size_t numDependencies, CUgraph childGraph)
{
    ADDED(graph, CU_GRAPH_NODE_TYPE_GRAPH, true,
          ((CUDA_CHILD_GRAPH_NODE_PARAMS){childGraph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE}));
}

CUresult cuGraphAddEmptyNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                             size_t numDependencies)
{
    struct node_list after = {dependencies, NULL, numDependencies};
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    CALLED(CALL_CONTEXT, nodes_add(&call, phGraphNode, hGraph, &after, &params));
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                   size_t numDependencies, CUevent event)
{
    ADDED(eventRecord, CU_GRAPH_NODE_TYPE_EVENT_RECORD, true, ((CUDA_EVENT_RECORD_NODE_PARAMS){event}));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                 size_t numDependencies, CUevent event)
{
    ADDED(eventWait, CU_GRAPH_NODE_TYPE_WAIT_EVENT, true, ((CUDA_EVENT_WAIT_NODE_PARAMS){event}));
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                  size_t numDependencies, const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    ADDED(memOp, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, nodeParams != NULL,
          ((CUDA_BATCH_MEM_OP_NODE_PARAMS_v2){nodeParams->ctx, nodeParams->count, nodeParams->paramArray,
                                              nodeParams->flags}));
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                               size_t numDependencies, CUdeviceptr dptr)
{
    ADDED(free, CU_GRAPH_NODE_TYPE_MEM_FREE, true, ((CUDA_MEM_FREE_NODE_PARAMS){dptr}));
}

static CUresult add_alloc(struct call *call, CUgraphNode *out, CUgraph graph, const struct node_list *after,
                          CUDA_MEM_ALLOC_NODE_PARAMS *alloc)
{
    if (alloc == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};
    params.alloc.poolProps = alloc->poolProps;
    params.alloc.bytesize = alloc->bytesize;
    CUresult result = nodes_add(call, out, graph, after, &params);
    if (result == CUDA_SUCCESS)
        alloc->dptr = params.alloc.dptr;
    return result;
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                size_t numDependencies, CUDA_MEM_ALLOC_NODE_PARAMS *nodeParams)
{
    struct node_list after = {dependencies, NULL, numDependencies};
    CALLED(CALL_CONTEXT, add_alloc(&call, phGraphNode, hGraph, &after, nodeParams));
}

CUresult cuGraphAddNode(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                        size_t numDependencies, CUgraphNodeParams *nodeParams)
{
    struct node_list after = {dependencies, NULL, numDependencies};
    CALLED(CALL_CONTEXT, nodes_add(&call, phGraphNode, hGraph, &after, nodeParams));
}

CUresult cuGraphAddNode_v2(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *dependencyData, size_t numDependencies, CUgraphNodeParams *nodeParams)
{
    struct node_list after = {dependencies, dependencyData, numDependencies};
    CALLED(CALL_CONTEXT, nodes_add(&call, phGraphNode, hGraph, &after, nodeParams));
}
