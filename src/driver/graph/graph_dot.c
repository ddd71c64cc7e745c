/* A graph as a file that Graphviz draws. */
#include <stdio.h>

#include "base/text.h"
#include "driver/abi/api_graph.h"
#include "driver/capture/graph.h"
#include "driver/graph/graph_params.h"
#include "driver/module/module.h"
#include "driver/state/called.h"

static const char *const type_name[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = "kernel",
    [CU_GRAPH_NODE_TYPE_MEMCPY] = "copy",
    [CU_GRAPH_NODE_TYPE_MEMSET] = "set",
    [CU_GRAPH_NODE_TYPE_HOST] = "host function",
    [CU_GRAPH_NODE_TYPE_GRAPH] = "child graph",
    [CU_GRAPH_NODE_TYPE_EMPTY] = "empty",
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "wait for event",
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "record event",
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = "signal",
    [CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = "wait",
    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = "allocate",
    [CU_GRAPH_NODE_TYPE_MEM_FREE] = "free",
    [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = "values in memory",
    [CU_GRAPH_NODE_TYPE_CONDITIONAL] = "conditional",
};

static void write_node(FILE *file, const struct CUgraphNode_st *node)
{
    fprintf(file, "    n%llu [label=\"%s", (unsigned long long)node->id, type_name[node->type]);
    if (node->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        const struct kernel_command *kernel = &node->commands->kernel;
        bool lives = graph_function_lives(node->graph->driver, kernel->function);
        fputs("\\n", file);
        text_print(file, lives ? kernel->function->cubin->name : "unloaded");
        fprintf(file, "\\ngrid %u x %u x %u, block %u x %u x %u", kernel->grid.x, kernel->grid.y, kernel->grid.z,
                kernel->block.x, kernel->block.y, kernel->block.z);
    }
    fprintf(file, "\"];\n");
}

static void write_graph(FILE *file, const struct CUgraph_st *graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct CUgraphNode_st *node = graph->nodes.node[i];
        write_node(file, node);
        for (size_t k = 0; k < node->from.count; k++)
            fprintf(file, "    n%llu -> n%llu;\n", (unsigned long long)node->from.node[k]->id,
                    (unsigned long long)node->id);
        if (node->child == NULL)
            continue;
        fprintf(file, "    subgraph cluster_%llu {\n", (unsigned long long)node->id);
        write_graph(file, node->child);
        fprintf(file, "    }\n");
    }
}

static CUresult print(const struct call *call, CUgraph handle, const char *path)
{
    const struct CUgraph_st *graph = graph_find(call, handle);
    if (graph == NULL || path == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return CUDA_ERROR_OPERATING_SYSTEM;
    fprintf(file, "digraph graph_ {\n");
    write_graph(file, graph);
    fprintf(file, "}\n");
    bool written = ferror(file) == 0;
    return fclose(file) == 0 && written ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

/* All that there is is written, whatever the flags ask for. */
CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char *path, unsigned int flags)
{
    (void)flags;
    CALLED(CALL_CONTEXT, print(&call, hGraph, path));
}
