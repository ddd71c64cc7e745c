/* Functions that change and show a node's work. */
#include "driver/abi/api_graph.h"
#include "driver/graph/graph_nodes.h"
#include "driver/state/called.h"

#define PARAMS(kind, field, given, expression)                                                                         \
    CUgraphNodeParams params = {.type = (kind)};                                                                       \
    if (given)                                                                                                         \
    params.field = expression

#define SET(kind, field, given, expression)                                                                            \
    PARAMS(kind, field, given, expression);                                                                            \
    CALLED(CALL_CONTEXT, nodes_set(&call, hNode, (given) ? &params : NULL))

#define SET_IN_EXEC(kind, field, given, expression)                                                                    \
    PARAMS(kind, field, given, expression);                                                                            \
    CALLED(CALL_CONTEXT, nodes_set_in_exec(&call, hGraphExec, hNode, (given) ? &params : NULL))

/* Gets the parameters. Then `statement` copies them out. */
#define GET(kind, out, statement)                                                                                      \
    struct call call;                                                                                                  \
    CUgraphNodeParams params = {.type = (kind)};                                                                       \
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);                                                       \
    if (result == CUDA_SUCCESS)                                                                                        \
        result = (out) != NULL ? nodes_get(&call, hNode, &params) : CUDA_ERROR_INVALID_VALUE;                          \
    if (result == CUDA_SUCCESS)                                                                                        \
        statement;                                                                                                     \
    return call_end(&call, result)

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void kernel_out(const CUDA_KERNEL_NODE_PARAMS_v3 *kernel, CUDA_KERNEL_NODE_PARAMS *out)
{
    *out = (CUDA_KERNEL_NODE_PARAMS){
        .func = kernel->func,
        .gridDimX = kernel->gridDimX,
        .gridDimY = kernel->gridDimY,
        .gridDimZ = kernel->gridDimZ,
        .blockDimX = kernel->blockDimX,
        .blockDimY = kernel->blockDimY,
        .blockDimZ = kernel->blockDimZ,
        .sharedMemBytes = kernel->sharedMemBytes,
        .kernelParams = kernel->kernelParams,
        .ctx = kernel->ctx,
    };
}

static void kernel_out_v1(const CUDA_KERNEL_NODE_PARAMS_v3 *kernel, CUDA_KERNEL_NODE_PARAMS_v1 *out)
{
    CUDA_KERNEL_NODE_PARAMS more;
    kernel_out(kernel, &more);
    *out = (CUDA_KERNEL_NODE_PARAMS_v1){
        .func = more.func,
        .gridDimX = more.gridDimX,
        .gridDimY = more.gridDimY,
        .gridDimZ = more.gridDimZ,
        .blockDimX = more.blockDimX,
        .blockDimY = more.blockDimY,
        .blockDimZ = more.blockDimZ,
        .sharedMemBytes = more.sharedMemBytes,
        .kernelParams = more.kernelParams,
    };
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    GET(CU_GRAPH_NODE_TYPE_KERNEL, nodeParams, kernel_out_v1(&params.kernel, nodeParams));
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    GET(CU_GRAPH_NODE_TYPE_KERNEL, nodeParams, kernel_out(&params.kernel, nodeParams));
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    SET(CU_GRAPH_NODE_TYPE_KERNEL, kernel, nodeParams != NULL, nodes_kernel_v1(nodeParams));
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    SET(CU_GRAPH_NODE_TYPE_KERNEL, kernel, nodeParams != NULL, nodes_kernel_v2(nodeParams));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS_v1 *nodeParams)
{
    SET_IN_EXEC(CU_GRAPH_NODE_TYPE_KERNEL, kernel, nodeParams != NULL, nodes_kernel_v1(nodeParams));
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS *nodeParams)
{
    SET_IN_EXEC(CU_GRAPH_NODE_TYPE_KERNEL, kernel, nodeParams != NULL, nodes_kernel_v2(nodeParams));
}

/* ---- copies and sets --------------------------------------------------------------------------------------------- */

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D *nodeParams)
{
    GET(CU_GRAPH_NODE_TYPE_MEMCPY, nodeParams, *nodeParams = params.memcpy.copyParams);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D *nodeParams)
{
    SET(CU_GRAPH_NODE_TYPE_MEMCPY, memcpy.copyParams, nodeParams != NULL, *nodeParams);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D *copyParams,
                                        CUcontext ctx)
{
    SET_IN_EXEC(CU_GRAPH_NODE_TYPE_MEMCPY, memcpy, copyParams != NULL,
                ((CUDA_MEMCPY_NODE_PARAMS){.copyCtx = ctx, .copyParams = *copyParams}));
}

static CUDA_MEMSET_NODE_PARAMS memset_out(const CUDA_MEMSET_NODE_PARAMS_v2 *set)
{
    return (CUDA_MEMSET_NODE_PARAMS){set->dst, set->pitch, set->value, set->elementSize, set->width, set->height};
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    GET(CU_GRAPH_NODE_TYPE_MEMSET, nodeParams, *nodeParams = memset_out(&params.memset));
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS *nodeParams)
{
    SET(CU_GRAPH_NODE_TYPE_MEMSET, memset, nodeParams != NULL, nodes_memset(nodeParams, NULL));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS *memsetParams, CUcontext ctx)
{
    SET_IN_EXEC(CU_GRAPH_NODE_TYPE_MEMSET, memset, memsetParams != NULL, nodes_memset(memsetParams, ctx));
}

/* ---- host functions, events, values, memory, child graphs -------------------------------------------------------- */

CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS *nodeParams)
{
    GET(CU_GRAPH_NODE_TYPE_HOST, nodeParams,
        *nodeParams = ((CUDA_HOST_NODE_PARAMS){params.host.fn, params.host.userData}));
}

CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    SET(CU_GRAPH_NODE_TYPE_HOST, host, nodeParams != NULL,
        ((CUDA_HOST_NODE_PARAMS_v2){nodeParams->fn, nodeParams->userData}));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS *nodeParams)
{
    SET_IN_EXEC(CU_GRAPH_NODE_TYPE_HOST, host, nodeParams != NULL,
                ((CUDA_HOST_NODE_PARAMS_v2){nodeParams->fn, nodeParams->userData}));
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    GET(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event_out, *event_out = params.eventRecord.event);
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    SET(CU_GRAPH_NODE_TYPE_EVENT_RECORD, eventRecord.event, true, event);
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    SET_IN_EXEC(CU_GRAPH_NODE_TYPE_EVENT_RECORD, eventRecord.event, true, event);
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent *event_out)
{
    GET(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event_out, *event_out = params.eventWait.event);
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event)
{
    SET(CU_GRAPH_NODE_TYPE_WAIT_EVENT, eventWait.event, true, event);
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event)
{
    SET_IN_EXEC(CU_GRAPH_NODE_TYPE_WAIT_EVENT, eventWait.event, true, event);
}

static CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 ops_in(const CUDA_BATCH_MEM_OP_NODE_PARAMS *ops)
{
    return (CUDA_BATCH_MEM_OP_NODE_PARAMS_v2){ops->ctx, ops->count, ops->paramArray, ops->flags};
}

CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode, CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams_out)
{
    GET(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, nodeParams_out,
        *nodeParams_out = ((CUDA_BATCH_MEM_OP_NODE_PARAMS){params.memOp.ctx, params.memOp.count,
                                                           params.memOp.paramArray, params.memOp.flags}));
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    SET(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, memOp, nodeParams != NULL, ops_in(nodeParams));
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *nodeParams)
{
    SET_IN_EXEC(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, memOp, nodeParams != NULL, ops_in(nodeParams));
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS *params_out)
{
    GET(CU_GRAPH_NODE_TYPE_MEM_ALLOC, params_out,
        *params_out = ((CUDA_MEM_ALLOC_NODE_PARAMS){
            .poolProps = params.alloc.poolProps, .bytesize = params.alloc.bytesize, .dptr = params.alloc.dptr}));
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr *dptr_out)
{
    GET(CU_GRAPH_NODE_TYPE_MEM_FREE, dptr_out, *dptr_out = params.free.dptr);
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph)
{
    SET_IN_EXEC(CU_GRAPH_NODE_TYPE_GRAPH, graph, true,
                ((CUDA_CHILD_GRAPH_NODE_PARAMS){childGraph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE}));
}

/* ---- any --------------------------------------------------------------------------------------------------------- */

CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    CALLED(CALL_CONTEXT, nodes_set(&call, hNode, nodeParams));
}

CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams *nodeParams)
{
    CALLED(CALL_CONTEXT, nodes_set_in_exec(&call, hGraphExec, hNode, nodeParams));
}
