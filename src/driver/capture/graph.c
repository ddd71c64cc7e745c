#include "driver/capture/graph.h"

#include <assert.h>
#include <stdlib.h>

#include "driver/state/handles.h"

struct CUgraph_st *graph_create(struct driver *driver)
{
    struct CUgraph_st *graph = handle_new(driver->handles, HANDLE_GRAPH, sizeof *graph);
    if (graph != NULL)
        graph->driver = driver;
    return graph;
}

static void node_release(struct CUgraphNode_st *node)
{
    graph_node_give(node, NULL, 0);
    if (node->child != NULL)
        graph_free(node->child);
    node_set_clear(&node->from);
    node_set_clear(&node->to);
    free(node->attributes);
    free(node->shown);
    handle_free(node->graph->driver->handles, node);
}

void graph_free(struct CUgraph_st *graph)
{
    assert(graph->capture == NULL);
    for (size_t i = 0; i < graph->nodes.count; i++)
        node_release(graph->nodes.node[i]);
    node_set_clear(&graph->nodes);
    handle_free(graph->driver->handles, graph);
}

struct CUgraph_st *graph_find(const struct call *call, CUgraph handle)
{
    return handle_is(call->driver->handles, HANDLE_GRAPH, handle) && !handle->hidden ? handle : NULL;
}

struct CUgraphNode_st *graph_node_find(const struct call *call, CUgraphNode handle)
{
    return handle_is(call->driver->handles, HANDLE_GRAPH_NODE, handle) && !handle->graph->hidden ? handle : NULL;
}

CUresult graph_connect(struct CUgraphNode_st *from, struct CUgraphNode_st *to, const CUgraphEdgeData *data)
{
    if (!node_set_add(&from->to, to, data))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!node_set_add(&to->from, from, data)) {
        node_set_remove(&from->to, from->to.count - 1);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    return CUDA_SUCCESS;
}

struct CUgraphNode_st *graph_node_add(struct CUgraph_st *graph, CUgraphNodeType type, const struct node_set *from)
{
    struct CUgraphNode_st *node = handle_new(graph->driver->handles, HANDLE_GRAPH_NODE, sizeof *node);
    if (node == NULL)
        return NULL;
    node->graph = graph;
    node->id = driver_new_id(graph->driver);
    node->type = type;
    if (!node_set_add(&graph->nodes, node, NULL)) {
        handle_free(graph->driver->handles, node);
        return NULL;
    }
    for (size_t i = 0; from != NULL && i < from->count; i++)
        if (graph_connect(from->node[i], node, &from->data[i]) != CUDA_SUCCESS) {
            graph_node_free(node);
            return NULL;
        }
    return node;
}

void graph_node_free(struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->from.count; i++)
        node_set_remove(&node->from.node[i]->to, node_set_find(&node->from.node[i]->to, node));
    for (size_t i = 0; i < node->to.count; i++)
        node_set_remove(&node->to.node[i]->from, node_set_find(&node->to.node[i]->from, node));
    node_set_remove(&node->graph->nodes, node_set_find(&node->graph->nodes, node));
    node_release(node);
}

void graph_node_give(struct CUgraphNode_st *node, struct command *commands, size_t count)
{
    for (size_t i = 0; i < node->command_count; i++)
        command_clear(&node->commands[i]);
    free(node->commands);
    node->commands = commands;
    node->command_count = count;
}

bool graph_node_give_one(struct CUgraphNode_st *node, struct command *command)
{
    struct command *copy = malloc(sizeof *copy);
    if (copy == NULL) {
        command_clear(command);
        return false;
    }
    *copy = *command;
    *command = (struct command){.kind = COMMAND_EMPTY};
    graph_node_give(node, copy, 1);
    return true;
}

static CUresult copy_commands(struct CUgraphNode_st *to, const struct CUgraphNode_st *from)
{
    struct command *commands = calloc(from->command_count + 1, sizeof *commands);
    if (commands == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < from->command_count; i++)
        if (!command_copy(&commands[i], &from->commands[i])) {
            while (i > 0)
                command_clear(&commands[--i]);
            free(commands);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
    graph_node_give(to, commands, from->command_count);
    return CUDA_SUCCESS;
}

CUresult graph_node_copy(struct CUgraphNode_st *to, const struct CUgraphNode_st *from)
{
    CUresult result = copy_commands(to, from);
    if (result != CUDA_SUCCESS)
        return result;
    to->alloc = from->alloc;
    to->address = from->address;
    free(to->attributes);
    to->attributes = NULL;
    if (from->attributes != NULL) {
        to->attributes = malloc(sizeof *to->attributes);
        if (to->attributes == NULL)
            return CUDA_ERROR_OUT_OF_MEMORY;
        *to->attributes = *from->attributes;
    }
    return CUDA_SUCCESS;
}

/* Nodes first, then edges, so that the order of nodes stays the same. */
static bool clone_nodes(struct CUgraph_st *to, const struct CUgraph_st *from)
{
    for (size_t i = 0; i < from->nodes.count; i++) {
        struct CUgraphNode_st *original = from->nodes.node[i];
        struct CUgraphNode_st *node = graph_node_add(to, original->type, NULL);
        if (node == NULL)
            return false;
        original->mark = (uint32_t)i;
        node->original = original->id;
        node->disabled = original->disabled;
        if (original->child != NULL) {
            node->child = graph_clone(original->child);
            if (node->child == NULL)
                return false;
            node->child->owner = node;
        }
        if (graph_node_copy(node, original) != CUDA_SUCCESS)
            return false;
    }
    for (size_t i = 0; i < from->nodes.count; i++) {
        const struct node_set *edges = &from->nodes.node[i]->from;
        for (size_t k = 0; k < edges->count; k++)
            if (graph_connect(to->nodes.node[edges->node[k]->mark], to->nodes.node[i], &edges->data[k]) != CUDA_SUCCESS)
                return false;
    }
    return true;
}

struct CUgraph_st *graph_clone(const struct CUgraph_st *graph)
{
    struct CUgraph_st *clone = graph_create(graph->driver);
    if (clone == NULL || clone_nodes(clone, graph))
        return clone;
    graph_free(clone);
    return NULL;
}

bool graph_has_memory(const struct CUgraph_st *graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct CUgraphNode_st *node = graph->nodes.node[i];
        if (node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || node->type == CU_GRAPH_NODE_TYPE_MEM_FREE ||
            (node->child != NULL && graph_has_memory(node->child)))
            return true;
    }
    return false;
}

CUgraphNodeType graph_type_of(const struct command *command)
{
    switch (command->kind) {
    case COMMAND_KERNEL: return CU_GRAPH_NODE_TYPE_KERNEL;
    case COMMAND_COPY: return CU_GRAPH_NODE_TYPE_MEMCPY;
    case COMMAND_SET: return CU_GRAPH_NODE_TYPE_MEMSET;
    case COMMAND_HOST: return CU_GRAPH_NODE_TYPE_HOST;
    case COMMAND_RECORD: return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    case COMMAND_WAIT: return CU_GRAPH_NODE_TYPE_WAIT_EVENT;
    case COMMAND_WRITE_VALUE:
    case COMMAND_WAIT_VALUE: return CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    case COMMAND_FREE: return CU_GRAPH_NODE_TYPE_MEM_FREE;
    default: return CU_GRAPH_NODE_TYPE_EMPTY;
    }
}
