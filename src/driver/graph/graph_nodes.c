#include "driver/graph/graph_nodes.h"

#include "driver/capture/capture.h"
#include "driver/graph/graph_exec.h"
#include "driver/graph/graph_params.h"
#include "driver/graph/graph_update.h"

/* Returns true if the graph is in the other one, or is it. */
static bool is_inside(const struct CUgraph_st *graph, const struct CUgraph_st *other)
{
    while (graph != other && graph->owner != NULL)
        graph = graph->owner->graph;
    return graph == other;
}

CUresult nodes_add(struct call *call, CUgraphNode *out, CUgraph handle, const struct node_list *after,
                   CUgraphNodeParams *params)
{
    if (out == NULL || params == NULL || graph_find(call, handle) == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct made made;
    struct node_set from = {0};
    CUresult result = node_list_read(call, handle, after, &from);
    if (result == CUDA_SUCCESS)
        result = params_make(call, params, NULL, &made);
    if (result != CUDA_SUCCESS) {
        node_set_clear(&from);
        return result;
    }
    from.count = 0; /* while code was loaded, handles may have gone */
    struct CUgraph_st *graph = graph_find(call, handle);
    bool good = graph != NULL && !(made.moved && is_inside(graph, made.child));
    result = good ? node_list_read(call, graph, after, &from) : CUDA_ERROR_INVALID_VALUE;
    struct CUgraphNode_st *node = result == CUDA_SUCCESS ? graph_node_add(graph, params->type, &from) : NULL;
    node_set_clear(&from);
    if (node == NULL) {
        params_clear(&made);
        return result == CUDA_SUCCESS ? CUDA_ERROR_OUT_OF_MEMORY : result;
    }
    params_give(node, &made);
    *out = node;
    return CUDA_SUCCESS;
}

/* Nodes of these types stay as they were added. */
static bool fixed(CUgraphNodeType type)
{
    return type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE ||
           type == CU_GRAPH_NODE_TYPE_EMPTY;
}

/* Makes the parameters for a node that is there. The node has to be looked up again. */
static CUresult make_for(struct call *call, const struct CUgraphNode_st *node, CUgraphNodeParams *params,
                         struct made *made)
{
    if (params == NULL || node->type != params->type || fixed(node->type))
        return CUDA_ERROR_INVALID_VALUE;
    struct node_attributes attributes;
    graph_node_attributes(node, &attributes);
    return params_make(call, params, &attributes, made);
}

CUresult nodes_set(struct call *call, CUgraphNode handle, CUgraphNodeParams *params)
{
    struct CUgraphNode_st *node = graph_node_find(call, handle);
    if (node == NULL || node->type == CU_GRAPH_NODE_TYPE_GRAPH)
        return CUDA_ERROR_INVALID_VALUE;
    struct made made;
    CUresult result = make_for(call, node, params, &made);
    if (result != CUDA_SUCCESS)
        return result;
    node = graph_node_find(call, handle);
    if (node == NULL || node->type != made.type) {
        params_clear(&made);
        return CUDA_ERROR_INVALID_VALUE;
    }
    params_give(node, &made);
    return CUDA_SUCCESS;
}

/* The copy, in the executable graph, of a node in the graph that it was made from (NULL: it has none). */
static struct CUgraphNode_st *copy_find(const struct call *call, CUgraphExec exec, CUgraphNode node)
{
    if (graph_exec_find(call, exec) == NULL || graph_node_find(call, node) == NULL)
        return NULL;
    return graph_exec_node(exec, node);
}

CUresult nodes_set_in_exec(struct call *call, CUgraphExec exec, CUgraphNode handle, CUgraphNodeParams *params)
{
    struct CUgraphNode_st *copy = copy_find(call, exec, handle);
    if (copy == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct made made;
    CUresult result = make_for(call, copy, params, &made);
    if (result != CUDA_SUCCESS)
        return result;
    copy = copy_find(call, exec, handle);
    if (copy == NULL || !params_fit(copy, made.type, made.commands, made.count)) {
        params_clear(&made);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (copy->type != CU_GRAPH_NODE_TYPE_GRAPH) {
        params_give(copy, &made);
        return CUDA_SUCCESS;
    }
    struct CUgraphNode_st *wrong = NULL, *from = NULL;
    CUgraphExecUpdateResult answer;
    result = graph_update(copy->child, made.child, &answer, &wrong, &from);
    params_clear(&made);
    return result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE ? CUDA_ERROR_INVALID_VALUE : result;
}

CUresult nodes_get(struct call *call, CUgraphNode handle, CUgraphNodeParams *params)
{
    struct CUgraphNode_st *node = graph_node_find(call, handle);
    if (node == NULL || node->type != params->type)
        return CUDA_ERROR_INVALID_VALUE;
    return params_show(node, params);
}

CUDA_KERNEL_NODE_PARAMS_v3 nodes_kernel_v2(const CUDA_KERNEL_NODE_PARAMS *kernel)
{
    return (CUDA_KERNEL_NODE_PARAMS_v3){
        .func = kernel->func,
        .gridDimX = kernel->gridDimX,
        .gridDimY = kernel->gridDimY,
        .gridDimZ = kernel->gridDimZ,
        .blockDimX = kernel->blockDimX,
        .blockDimY = kernel->blockDimY,
        .blockDimZ = kernel->blockDimZ,
        .sharedMemBytes = kernel->sharedMemBytes,
        .kernelParams = kernel->kernelParams,
        .extra = kernel->extra,
        .kern = kernel->kern,
        .ctx = kernel->ctx,
    };
}

CUDA_KERNEL_NODE_PARAMS_v3 nodes_kernel_v1(const CUDA_KERNEL_NODE_PARAMS_v1 *kernel)
{
    CUDA_KERNEL_NODE_PARAMS more = {
        .func = kernel->func,
        .gridDimX = kernel->gridDimX,
        .gridDimY = kernel->gridDimY,
        .gridDimZ = kernel->gridDimZ,
        .blockDimX = kernel->blockDimX,
        .blockDimY = kernel->blockDimY,
        .blockDimZ = kernel->blockDimZ,
        .sharedMemBytes = kernel->sharedMemBytes,
        .kernelParams = kernel->kernelParams,
        .extra = kernel->extra,
    };
    return nodes_kernel_v2(&more);
}

CUDA_MEMSET_NODE_PARAMS_v2 nodes_memset(const CUDA_MEMSET_NODE_PARAMS *set, CUcontext context)
{
    return (CUDA_MEMSET_NODE_PARAMS_v2){set->dst,   set->pitch,  set->value, set->elementSize,
                                        set->width, set->height, context};
}
