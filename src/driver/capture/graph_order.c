/* The order in which the nodes of a graph can run. */
#include <stdlib.h>

#include "driver/capture/graph.h"

struct visit {
    struct CUgraphNode_st *node;
    size_t next; /* of the nodes before it */
};

enum { NEW = 0, OPEN, PLACED };

/* Puts a node and its dependences into `order`. The node at which a cycle closes, or NULL. */
static struct CUgraphNode_st *place(struct CUgraphNode_st *node, struct visit *stack, struct CUgraphNode_st **order,
                                    size_t *placed)
{
    size_t depth = 0;
    stack[depth++] = (struct visit){node, 0};
    node->mark = OPEN;
    while (depth > 0) {
        struct visit *top = &stack[depth - 1];
        if (top->next == top->node->from.count) {
            top->node->mark = PLACED;
            order[(*placed)++] = top->node;
            depth--;
            continue;
        }
        struct CUgraphNode_st *before = top->node->from.node[top->next++];
        if (before->mark == OPEN)
            return before;
        if (before->mark == NEW) {
            before->mark = OPEN;
            stack[depth++] = (struct visit){before, 0};
        }
    }
    return NULL;
}

CUresult graph_order(const struct CUgraph_st *graph, struct CUgraphNode_st **order)
{
    size_t count = graph->nodes.count, placed = 0;
    struct visit *stack = malloc((count + 1) * sizeof *stack);
    if (stack == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        graph->nodes.node[i]->mark = NEW;
    struct CUgraphNode_st *cycle = NULL;
    for (size_t i = 0; i < count && cycle == NULL; i++)
        if (graph->nodes.node[i]->mark == NEW)
            cycle = place(graph->nodes.node[i], stack, order, &placed);
    free(stack);
    if (cycle != NULL) {
        order[0] = cycle;
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++)
        order[i]->mark = (uint32_t)i;
    return CUDA_SUCCESS;
}
