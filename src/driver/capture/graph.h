/* Graphs: commands as nodes, with edges between them. With the lock held.
 *
 * A graph is built by functions or by capture. To instantiate it is to clone it and to put the clone's nodes in
 * order (driver/graph/graph_exec.h). Handles of graphs and nodes are looked up before use. The answer for a wrong
 * one is CUDA_ERROR_INVALID_VALUE, as for any wrong argument of these functions. */
#ifndef SUBCORE_DRIVER_GRAPH_H
#define SUBCORE_DRIVER_GRAPH_H

#include "driver/abi/launch_structs.h"
#include "driver/queue/command.h"
#include "driver/queue/node_set.h"
#include "driver/state/call.h"

/* CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC, and CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC: a node behind such an edge
 * begins when all CTAs of the kernel before it have executed PREEXIT. */
enum { GRAPH_EDGE_PROGRAMMATIC = 1, GRAPH_PORT_PROGRAMMATIC = 1 };

struct node_attributes {
    uint32_t given; /* a bit for each attribute */
    CUlaunchAttributeValue value[CU_LAUNCH_ATTRIBUTE_MAX];
};

struct CUgraphNode_st {
    struct CUgraph_st *graph;
    uint64_t id, original; /* unique; of the node that this one was cloned from, 0: none */
    CUgraphNodeType type;
    struct node_set from, to;
    struct command *commands; /* owned; several for operations on values, none for a child graph */
    size_t command_count;
    struct CUgraph_st *child; /* owned */
    bool disabled;            /* in an executable graph */
    CUDA_MEM_ALLOC_NODE_PARAMS alloc;
    uint64_t address;                   /* of a node that allocates or frees memory */
    struct node_attributes *attributes; /* owned (NULL: none was given) */
    void *shown;                        /* owned: memory behind the pointers that a program was last given */
    uint32_t mark;                      /* for walks over a graph */
};

struct CUgraph_st {
    struct driver *driver;
    struct node_set nodes;
    struct CUgraphNode_st *owner; /* it is this node's child (NULL: none) */
    bool hidden;                  /* no program has a handle of it, though no node owns it */
    struct capture *capture;      /* it is being captured into */
};

struct CUgraph_st *graph_create(struct driver *driver); /* NULL: out of memory */
/* No capture goes on into the graph or into one inside of it: captures_abandon. */
void graph_free(struct CUgraph_st *graph);
/* With all nodes, which know their originals. NULL: out of memory. */
struct CUgraph_st *graph_clone(const struct CUgraph_st *graph);

/* NULL: not a graph, not a node. */
struct CUgraph_st *graph_find(const struct call *call, CUgraph handle);
struct CUgraphNode_st *graph_node_find(const struct call *call, CUgraphNode handle);

/* A new node behind those in `from`. It has no commands yet. NULL: out of memory. */
struct CUgraphNode_st *graph_node_add(struct CUgraph_st *graph, CUgraphNodeType type, const struct node_set *from);
/* No stream or event comes behind the node: capture_forget_node. */
void graph_node_free(struct CUgraphNode_st *node);
/* Takes the commands over, and frees those that were there. */
void graph_node_give(struct CUgraphNode_st *node, struct command *commands, size_t count);
/* The same for one (false: out of memory, and the command is cleared). */
bool graph_node_give_one(struct CUgraphNode_st *node, struct command *command);
/* Copies the work of `from`, except for a child graph. */
CUresult graph_node_copy(struct CUgraphNode_st *to, const struct CUgraphNode_st *from);
CUresult graph_connect(struct CUgraphNode_st *from, struct CUgraphNode_st *to, const CUgraphEdgeData *data);
/* Returns true if a node allocates or frees memory. */
bool graph_has_memory(const struct CUgraph_st *graph);
/* The type of node that a command makes. */
CUgraphNodeType graph_type_of(const struct command *command);

/* Nodes such that each comes behind those it depends on, and otherwise as they were added. `order` has room for all.
 * Each node's `mark` is then its place. CUDA_ERROR_INVALID_VALUE: there is a cycle, and order[0] is a node of it. */
CUresult graph_order(const struct CUgraph_st *graph, struct CUgraphNode_st **order);

#endif
