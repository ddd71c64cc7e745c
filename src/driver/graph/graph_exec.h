/* Executable graphs: a copy of a graph's nodes in an order, which can be launched any number of times. A launch gives
 * copies of their commands to a stream, one after the other. In simulated time a node begins when those before it have
 * ended, so that nodes which do not depend on each other are like commands of different streams
 * (driver/queue/graph_run.h). Launches of one executable graph follow each other. */
#ifndef SUBCORE_DRIVER_GRAPH_EXEC_H
#define SUBCORE_DRIVER_GRAPH_EXEC_H

#include "driver/capture/graph.h"
#include "driver/queue/queue.h"

enum {
    INSTANTIATE_AUTO_FREE = 1, /* CUDA_GRAPH_INSTANTIATE_FLAG_... */
    INSTANTIATE_UPLOAD = 2,
    INSTANTIATE_DEVICE_LAUNCH = 4,
    INSTANTIATE_NODE_PRIORITY = 8
};

struct CUgraphExec_st {
    struct driver *driver;
    uint64_t flags;
    struct CUgraph_st *graph; /* hidden; its nodes' originals are the program's */
    /* Its nodes and its children's, in order. A child graph's node is there twice, before and behind its nodes. */
    struct CUgraphNode_st **step;
    uint32_t steps;
    uint32_t *first, *from; /* steps before step s: from[first[s]] to from[first[s + 1] - 1] */
    struct mark *launched;  /* the end of the latest launch (NULL: none) */
};

/* `error`: the node that is to blame, NULL when none is. */
CUresult graph_exec_create(struct driver *driver, const struct CUgraph_st *graph, uint64_t flags,
                           struct CUgraphExec_st **exec, struct CUgraphNode_st **error);
void graph_exec_free(struct CUgraphExec_st *exec);
struct CUgraphExec_st *graph_exec_find(const struct call *call, CUgraphExec handle); /* NULL: is none */
/* The copy of a program's node (NULL: there is none). */
struct CUgraphNode_st *graph_exec_node(const struct CUgraphExec_st *exec, const struct CUgraphNode_st *node);
CUresult graph_exec_launch(struct CUgraphExec_st *exec, struct CUstream_st *stream);

#endif
