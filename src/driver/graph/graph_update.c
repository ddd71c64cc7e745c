#include "driver/graph/graph_update.h"

#include <stdlib.h>

#include "driver/graph/graph_params.h"

/* Where two graphs differ. */
struct difference {
    CUgraphExecUpdateResult answer;
    struct CUgraphNode_st *wrong, *from;
};

typedef CUresult pair_fn(struct CUgraphNode_st *old, struct CUgraphNode_st *new, struct difference *difference);

static CUresult differ(struct difference *difference, CUgraphExecUpdateResult answer, struct CUgraphNode_st *wrong)
{
    difference->answer = answer;
    difference->wrong = wrong;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

static CUresult same_edges(const struct CUgraphNode_st *old, struct CUgraphNode_st *new, struct difference *difference)
{
    if (old->from.count != new->from.count)
        return differ(difference, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, new);
    for (size_t k = 0; k < new->from.count; k++) {
        size_t i = 0;
        while (i < old->from.count && old->from.node[i]->mark != new->from.node[k]->mark)
            i++;
        if (i == old->from.count) {
            difference->from = new->from.node[k];
            return differ(difference, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, new);
        }
    }
    return CUDA_SUCCESS;
}

static CUresult walk(struct CUgraph_st *old, const struct CUgraph_st *new, pair_fn *pair,
                     struct difference *difference);

static CUresult check(struct CUgraphNode_st *old, struct CUgraphNode_st *new, struct difference *difference)
{
    if (old->type != new->type)
        return differ(difference, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, new);
    CUresult result = same_edges(old, new, difference);
    if (result != CUDA_SUCCESS)
        return result;
    if (old->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || old->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
        return old->address == new->address ? CUDA_SUCCESS
                                            : differ(difference, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, new);
    if (!params_fit(old, new->type, new->commands, new->command_count))
        return differ(difference,
                      new->type == CU_GRAPH_NODE_TYPE_KERNEL ? CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE
                                                             : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED,
                      new);
    return old->child != NULL ? walk(old->child, new->child, check, difference) : CUDA_SUCCESS;
}

static CUresult change(struct CUgraphNode_st *old, struct CUgraphNode_st *new, struct difference *difference)
{
    CUresult result = graph_node_copy(old, new);
    return result == CUDA_SUCCESS && old->child != NULL ? walk(old->child, new->child, change, difference) : result;
}

/* Does something with all pairs of nodes, in order. */
static CUresult walk(struct CUgraph_st *old, const struct CUgraph_st *new, pair_fn *pair, struct difference *difference)
{
    size_t count = old->nodes.count;
    if (count != new->nodes.count)
        return differ(difference, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, NULL);
    struct CUgraphNode_st **first = calloc(2 * count + 1, sizeof *first), **second = first + count;
    if (first == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = graph_order(old, first);
    if (result == CUDA_SUCCESS)
        result = graph_order(new, second);
    if (result == CUDA_ERROR_INVALID_VALUE)
        result = differ(difference, CU_GRAPH_EXEC_UPDATE_ERROR, second[0]);
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = pair(first[i], second[i], difference);
    free(first);
    return result;
}

CUresult graph_update(struct CUgraph_st *old, const struct CUgraph_st *new, CUgraphExecUpdateResult *answer,
                      struct CUgraphNode_st **wrong, struct CUgraphNode_st **from)
{
    struct difference difference = {CU_GRAPH_EXEC_UPDATE_SUCCESS, NULL, NULL};
    CUresult result = walk(old, new, check, &difference);
    if (result == CUDA_SUCCESS)
        result = walk(old, new, change, &difference);
    *answer = difference.answer;
    *wrong = difference.wrong;
    *from = difference.from;
    return result;
}
