#include "driver/capture/node_list.h"

#include <string.h>

CUresult node_list_read(const struct call *call, const struct CUgraph_st *graph, const struct node_list *list,
                        struct node_set *set)
{
    if (list->count > 0 && list->node == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < list->count; i++) {
        struct CUgraphNode_st *node = graph_node_find(call, list->node[i]);
        if (node == NULL || node->graph != graph || node_set_find(set, node) < set->count)
            return CUDA_ERROR_INVALID_VALUE;
        if (!node_set_add(set, node, list->data != NULL ? &list->data[i] : NULL))
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

static bool has_data(const CUgraphEdgeData *data)
{
    return data->from_port != 0 || data->to_port != 0 || data->type != 0;
}

bool node_set_has_data(const struct node_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (has_data(&set->data[i]))
            return true;
    return false;
}

CUresult node_set_show(const struct node_set *set, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count, bool lossy)
{
    if (count == NULL || (nodes == NULL && data != NULL))
        return CUDA_ERROR_INVALID_VALUE;
    if (nodes != NULL && lossy && node_set_has_data(set))
        return CUDA_ERROR_LOSSY_QUERY;
    for (size_t i = 0; nodes != NULL && i < *count; i++) {
        nodes[i] = i < set->count ? set->node[i] : NULL;
        if (data != NULL)
            data[i] = i < set->count ? set->data[i] : (CUgraphEdgeData){0};
    }
    if (nodes == NULL || *count > set->count)
        *count = set->count;
    return CUDA_SUCCESS;
}
