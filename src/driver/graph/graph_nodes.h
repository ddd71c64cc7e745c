/* Nodes that programs add, change and look at. With the lock held; the functions look handles up. */
#ifndef SUBCORE_DRIVER_GRAPH_NODES_H
#define SUBCORE_DRIVER_GRAPH_NODES_H

#include "driver/capture/node_list.h"

CUresult nodes_add(struct call *call, CUgraphNode *out, CUgraph graph, const struct node_list *after,
                   CUgraphNodeParams *params);
/* CUDA_ERROR_INVALID_VALUE: the node is of another type, as for the next two. */
CUresult nodes_set(struct call *call, CUgraphNode node, CUgraphNodeParams *params);
CUresult nodes_set_in_exec(struct call *call, CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params);
/* `params->type` is the type that the program expects. */
CUresult nodes_get(struct call *call, CUgraphNode node, CUgraphNodeParams *params);

CUDA_KERNEL_NODE_PARAMS_v3 nodes_kernel_v1(const CUDA_KERNEL_NODE_PARAMS_v1 *kernel);
CUDA_KERNEL_NODE_PARAMS_v3 nodes_kernel_v2(const CUDA_KERNEL_NODE_PARAMS *kernel);
CUDA_MEMSET_NODE_PARAMS_v2 nodes_memset(const CUDA_MEMSET_NODE_PARAMS *set, CUcontext context);

#endif
