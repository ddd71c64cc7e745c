/* Nodes of graphs: those that a node, a stream or an event comes behind. */
#ifndef SUBCORE_DRIVER_NODE_SET_H
#define SUBCORE_DRIVER_NODE_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/abi/graph_structs.h"
#include "driver/abi/handles.h"

/* Nodes in the order in which they were added, each once, each with the data of an edge. */
struct node_set {
    struct CUgraphNode_st **node;
    CUgraphEdgeData *data;
    size_t count, room;
};

bool node_set_add(struct node_set *set, struct CUgraphNode_st *node, const CUgraphEdgeData *data); /* false: memory */
bool node_set_copy(struct node_set *to, const struct node_set *from); /* `to` is cleared first (false: memory) */
bool node_set_join(struct node_set *to, const struct node_set *from); /* false: memory */
size_t node_set_find(const struct node_set *set, const struct CUgraphNode_st *node); /* count: not there */
void node_set_remove(struct node_set *set, size_t index);
void node_set_clear(struct node_set *set);

#endif
