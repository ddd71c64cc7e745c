/* Nodes as programs pass them to functions and get them back. */
#ifndef SUBCORE_DRIVER_NODE_LIST_H
#define SUBCORE_DRIVER_NODE_LIST_H

#include "driver/capture/graph.h"

struct node_list {
    const CUgraphNode *node;
    const CUgraphEdgeData *data; /* NULL: all zero */
    size_t count;
};

/* Checks that all are nodes of the graph, each once: else CUDA_ERROR_INVALID_VALUE. `set` is to be cleared. */
CUresult node_list_read(const struct call *call, const struct CUgraph_st *graph, const struct node_list *list,
                        struct node_set *set);

/* Gives the count when `nodes` is NULL, and else as many as *count says. Places that are left become NULL. `lossy`:
 * the program does not ask for data of edges (CUDA_ERROR_LOSSY_QUERY when there are any). */
CUresult node_set_show(const struct node_set *set, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count,
                       bool lossy);
bool node_set_has_data(const struct node_set *set);

#endif
