/* Gives a graph's nodes the work of another graph's nodes. Both must have the same nodes and edges. */
#ifndef SUBCORE_DRIVER_GRAPH_UPDATE_H
#define SUBCORE_DRIVER_GRAPH_UPDATE_H

#include "driver/capture/graph.h"

/* Nodes correspond by their place in the order (graph_order). CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE: nothing has
 * changed, `answer` says why, `wrong` and `from` are the nodes of `new` where they differ, or NULL. */
CUresult graph_update(struct CUgraph_st *old, const struct CUgraph_st *new, CUgraphExecUpdateResult *answer,
                      struct CUgraphNode_st **wrong, struct CUgraphNode_st **from);

#endif
