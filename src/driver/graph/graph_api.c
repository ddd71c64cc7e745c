/* Graphs as structures: made, copied, connected, looked at. */
#include <stdlib.h>

#include "driver/abi/api_graph.h"
#include "driver/capture/capture.h"
#include "driver/capture/node_list.h"
#include "driver/state/called.h"

static CUresult create(struct call *call, CUgraph *out, unsigned flags)
{
    if (out == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct CUgraph_st *graph = graph_create(call->driver);
    if (graph == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = graph;
    return CUDA_SUCCESS;
}

CUresult cuGraphCreate(CUgraph *phGraph, unsigned int flags) { CALLED(CALL_CONTEXT, create(&call, phGraph, flags)); }

static CUresult destroy(struct call *call, CUgraph handle)
{
    struct CUgraph_st *graph = graph_find(call, handle);
    if (graph == NULL || graph->owner != NULL || graph->capture != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    captures_abandon(graph);
    graph_free(graph);
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph hGraph) { CALLED(CALL_INITIALISED, destroy(&call, hGraph)); }

static CUresult destroy_node(struct call *call, CUgraphNode handle)
{
    struct CUgraphNode_st *node = graph_node_find(call, handle);
    if (node == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    /* Documented: nodes that allocate or free memory stay. */
    if (node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || node->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
        return CUDA_ERROR_NOT_SUPPORTED;
    capture_forget_node(node);
    graph_node_free(node);
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroyNode(CUgraphNode hNode) { CALLED(CALL_INITIALISED, destroy_node(&call, hNode)); }

static CUresult clone_graph(struct call *call, CUgraph *out, CUgraph handle)
{
    const struct CUgraph_st *graph = graph_find(call, handle);
    if (out == NULL || graph == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (graph_has_memory(graph))
        return CUDA_ERROR_NOT_SUPPORTED; /* documented: memory belongs to one graph */
    struct CUgraph_st *copy = graph_clone(graph);
    if (copy == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = copy;
    return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *phGraphClone, CUgraph originalGraph)
{
    CALLED(CALL_CONTEXT, clone_graph(&call, phGraphClone, originalGraph));
}

static CUresult find_in_clone(const struct call *call, CUgraphNode *out, CUgraphNode handle, CUgraph clone_handle)
{
    const struct CUgraphNode_st *original = graph_node_find(call, handle);
    const struct CUgraph_st *copy = graph_find(call, clone_handle);
    if (out == NULL || original == NULL || copy == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < copy->nodes.count; i++)
        if (copy->nodes.node[i]->original == original->id) {
            *out = copy->nodes.node[i];
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphNodeFindInClone(CUgraphNode *phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph)
{
    CALLED(CALL_CONTEXT, find_in_clone(&call, phNode, hOriginalNode, hClonedGraph));
}

static CUresult get_type(const struct call *call, CUgraphNode handle, CUgraphNodeType *type)
{
    const struct CUgraphNode_st *node = graph_node_find(call, handle);
    if (node == NULL || type == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *type = node->type;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType *type)
{
    CALLED(CALL_CONTEXT, get_type(&call, hNode, type));
}

static CUresult get_child(const struct call *call, CUgraphNode handle, CUgraph *graph)
{
    const struct CUgraphNode_st *node = graph_node_find(call, handle);
    if (node == NULL || node->child == NULL || graph == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *graph = node->child;
    return CUDA_SUCCESS;
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph *phGraph)
{
    CALLED(CALL_CONTEXT, get_child(&call, hNode, phGraph));
}

static CUresult get_nodes(const struct call *call, CUgraph handle, CUgraphNode *nodes, size_t *count)
{
    const struct CUgraph_st *graph = graph_find(call, handle);
    return graph != NULL ? node_set_show(&graph->nodes, nodes, NULL, count, false) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode *nodes, size_t *numNodes)
{
    CALLED(CALL_CONTEXT, get_nodes(&call, hGraph, nodes, numNodes));
}

static CUresult get_roots(const struct call *call, CUgraph handle, CUgraphNode *nodes, size_t *count)
{
    const struct CUgraph_st *graph = graph_find(call, handle);
    if (graph == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct node_set roots = {0};
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < graph->nodes.count && result == CUDA_SUCCESS; i++)
        if (graph->nodes.node[i]->from.count == 0 && !node_set_add(&roots, graph->nodes.node[i], NULL))
            result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS)
        result = node_set_show(&roots, nodes, NULL, count, false);
    node_set_clear(&roots);
    return result;
}

CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode *rootNodes, size_t *numRootNodes)
{
    CALLED(CALL_CONTEXT, get_roots(&call, hGraph, rootNodes, numRootNodes));
}

static CUresult collect_edges(const struct CUgraph_st *graph, struct node_set *from, struct node_set *to)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct CUgraphNode_st *node = graph->nodes.node[i];
        for (size_t k = 0; k < node->from.count; k++)
            if (!node_set_add(from, node->from.node[k], &node->from.data[k]) || !node_set_add(to, node, NULL))
                return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

static CUresult get_edges(const struct call *call, CUgraph handle, CUgraphNode *from, CUgraphNode *to,
                          CUgraphEdgeData *data, size_t *count, bool lossy)
{
    const struct CUgraph_st *graph = graph_find(call, handle);
    if (graph == NULL || count == NULL || (from == NULL) != (to == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    struct node_set first = {0}, second = {0};
    size_t again = *count;
    CUresult result = collect_edges(graph, &first, &second);
    if (result == CUDA_SUCCESS)
        result = node_set_show(&first, from, data, count, lossy);
    if (result == CUDA_SUCCESS)
        result = node_set_show(&second, to, NULL, &again, false);
    node_set_clear(&first);
    node_set_clear(&second);
    return result;
}

CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, size_t *numEdges)
{
    CALLED(CALL_CONTEXT, get_edges(&call, hGraph, from, to, NULL, numEdges, true));
}

CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edgeData,
                            size_t *numEdges)
{
    CALLED(CALL_CONTEXT, get_edges(&call, hGraph, from, to, edgeData, numEdges, edgeData == NULL));
}

enum side { SIDE_FROM, SIDE_TO };

static CUresult get_side(const struct call *call, CUgraphNode handle, enum side side, CUgraphNode *nodes,
                         CUgraphEdgeData *data, size_t *count, bool lossy)
{
    const struct CUgraphNode_st *node = graph_node_find(call, handle);
    if (node == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return node_set_show(side == SIDE_FROM ? &node->from : &node->to, nodes, data, count, lossy);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode *dependencies, size_t *numDependencies)
{
    CALLED(CALL_CONTEXT, get_side(&call, hNode, SIDE_FROM, dependencies, NULL, numDependencies, true));
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode *dependencies, CUgraphEdgeData *edgeData,
                                       size_t *numDependencies)
{
    CALLED(CALL_CONTEXT, get_side(&call, hNode, SIDE_FROM, dependencies, edgeData, numDependencies, edgeData == NULL));
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode *dependentNodes, size_t *numDependentNodes)
{
    CALLED(CALL_CONTEXT, get_side(&call, hNode, SIDE_TO, dependentNodes, NULL, numDependentNodes, true));
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode *dependentNodes, CUgraphEdgeData *edgeData,
                                         size_t *numDependentNodes)
{
    CALLED(CALL_CONTEXT,
           get_side(&call, hNode, SIDE_TO, dependentNodes, edgeData, numDependentNodes, edgeData == NULL));
}

/* One edge in the lists of a program (false: not two nodes of the graph). */
static bool edge_is(const struct call *call, const struct CUgraph_st *graph, CUgraphNode from, CUgraphNode to)
{
    return graph_node_find(call, from) != NULL && graph_node_find(call, to) != NULL && from->graph == graph &&
           to->graph == graph && from != to;
}

static CUresult add_edges(const struct call *call, CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
                          const CUgraphEdgeData *data, size_t count)
{
    const struct CUgraph_st *graph = graph_find(call, handle);
    if (graph == NULL || (count > 0 && (from == NULL || to == NULL)))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!edge_is(call, graph, from[i], to[i]) || node_set_find(&to[i]->from, from[i]) < to[i]->from.count)
            return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        if (node_set_find(&to[i]->from, from[i]) == to[i]->from.count)
            result = graph_connect(from[i], to[i], data != NULL ? &data[i] : NULL);
    return result;
}

CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to, size_t numDependencies)
{
    CALLED(CALL_CONTEXT, add_edges(&call, hGraph, from, to, NULL, numDependencies));
}

CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edgeData, size_t numDependencies)
{
    CALLED(CALL_CONTEXT, add_edges(&call, hGraph, from, to, edgeData, numDependencies));
}

static CUresult remove_edges(const struct call *call, CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
                             size_t count)
{
    const struct CUgraph_st *graph = graph_find(call, handle);
    if (graph == NULL || (count > 0 && (from == NULL || to == NULL)))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!edge_is(call, graph, from[i], to[i]) || node_set_find(&to[i]->from, from[i]) == to[i]->from.count)
            return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        size_t index = node_set_find(&to[i]->from, from[i]);
        if (index == to[i]->from.count)
            continue; /* listed twice */
        node_set_remove(&to[i]->from, index);
        node_set_remove(&from[i]->to, node_set_find(&from[i]->to, to[i]));
    }
    return CUDA_SUCCESS;
}

CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t numDependencies)
{
    CALLED(CALL_CONTEXT, remove_edges(&call, hGraph, from, to, numDependencies));
}

CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edgeData, size_t numDependencies)
{
    (void)edgeData; /* there is one edge between two nodes */
    CALLED(CALL_CONTEXT, remove_edges(&call, hGraph, from, to, numDependencies));
}
