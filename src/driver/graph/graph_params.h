/* Translates the work of nodes from and to the parameters of programs. */
#ifndef SUBCORE_DRIVER_GRAPH_PARAMS_H
#define SUBCORE_DRIVER_GRAPH_PARAMS_H

#include "driver/capture/graph.h"

/* The result of a node's parameters. */
struct made {
    CUgraphNodeType type;
    struct command *commands;
    size_t count;
    struct CUgraph_st *child;
    bool moved; /* the child is the program's own graph, until a node takes it */
    CUDA_MEM_ALLOC_NODE_PARAMS alloc;
    uint64_t address;
};

/* Checks the parameters. For a kernel the attributes that its node has count too (NULL: none). Loading code may wait
 * for the queue: look handles up afterwards. A node that allocates memory gets its address in `params`. */
CUresult params_make(struct call *call, CUgraphNodeParams *params, const struct node_attributes *attributes,
                     struct made *made);
void params_clear(struct made *made);
/* The node takes over the result. */
void params_give(struct CUgraphNode_st *node, struct made *made);
/* Returns true if an executable graph's node may be changed into this. */
bool params_fit(const struct CUgraphNode_st *node, CUgraphNodeType type, const struct command *commands, size_t count);

/* Returns the node's work, of a type that the caller has checked. Pointers in it are good until the node changes. */
CUresult params_show(struct CUgraphNode_st *node, CUgraphNodeParams *params);

/* Returns false if the module of a kernel has been unloaded: then nothing is behind the pointer. */
bool graph_function_lives(const struct driver *driver, const struct CUfunc_st *function);

/* Fills *out with the attributes that a node has from a program or from the launch that was captured. */
void graph_node_attributes(const struct CUgraphNode_st *node, struct node_attributes *out);

#endif
