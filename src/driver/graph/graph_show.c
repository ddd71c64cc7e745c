/* The work of nodes, as programs see it. */
#include <stdlib.h>

#include "driver/graph/graph_params.h"
#include "driver/memory/copy.h"
#include "driver/module/module.h"

/* Room that stays as long as the node does not change. */
static void *room(struct CUgraphNode_st *node, size_t bytes)
{
    free(node->shown);
    node->shown = calloc(1, bytes > 0 ? bytes : 1);
    return node->shown;
}

static CUresult show_kernel(struct CUgraphNode_st *node, CUDA_KERNEL_NODE_PARAMS_v3 *out)
{
    const struct kernel_command *kernel = &node->commands[0].kernel;
    if (!graph_function_lives(node->graph->driver, kernel->function))
        return CUDA_ERROR_INVALID_VALUE;
    const struct cubin_kernel *cubin = kernel->function->cubin;
    void **pointers = room(node, (cubin->parameter_count + 1) * sizeof *pointers);
    if (pointers == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < cubin->parameter_count; i++)
        pointers[i] = kernel->parameters + cubin->parameters[i].offset;
    *out = (CUDA_KERNEL_NODE_PARAMS_v3){
        .func = kernel->function,
        .gridDimX = kernel->grid.x,
        .gridDimY = kernel->grid.y,
        .gridDimZ = kernel->grid.z,
        .blockDimX = kernel->block.x,
        .blockDimY = kernel->block.y,
        .blockDimZ = kernel->block.z,
        .sharedMemBytes = kernel->dynamic_shared_bytes,
        .kernelParams = pointers,
        .ctx = kernel->function->module->context,
    };
    return CUDA_SUCCESS;
}

static CUstreamBatchMemOpParams show_op(const struct command *command)
{
    const struct value_command *value = &command->value;
    bool waits = command->kind == COMMAND_WAIT_VALUE;
    CUstreamBatchMemOpParams op = {.operation = CU_STREAM_MEM_OP_BARRIER};
    if (command->kind == COMMAND_EMPTY)
        return op;
    op.waitValue.operation = waits ? (value->wide ? CU_STREAM_MEM_OP_WAIT_VALUE_64 : CU_STREAM_MEM_OP_WAIT_VALUE_32)
                             : value->wide ? CU_STREAM_MEM_OP_WRITE_VALUE_64
                                           : CU_STREAM_MEM_OP_WRITE_VALUE_32;
    op.waitValue.address = value->address;
    op.waitValue.value64 = value->value;
    op.waitValue.flags = value->flags;
    return op;
}

static CUresult show_ops(struct CUgraphNode_st *node, CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *out)
{
    CUstreamBatchMemOpParams *ops = room(node, node->command_count * sizeof *ops);
    if (ops == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < node->command_count; i++)
        ops[i] = show_op(&node->commands[i]);
    *out = (CUDA_BATCH_MEM_OP_NODE_PARAMS_v2){.count = (unsigned)node->command_count, .paramArray = ops};
    return CUDA_SUCCESS;
}

static CUDA_MEMSET_NODE_PARAMS_v2 show_set(const struct set_command *set)
{
    return (CUDA_MEMSET_NODE_PARAMS_v2){
        .dst = set->address,
        .pitch = set->pitch,
        .value = set->value,
        .elementSize = set->bytes,
        .width = set->width,
        .height = set->height,
    };
}

CUresult params_show(struct CUgraphNode_st *node, CUgraphNodeParams *params)
{
    *params = (CUgraphNodeParams){.type = node->type};
    const struct command *command = node->commands;
    switch (node->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return show_kernel(node, &params->kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        if (command->kind == COMMAND_COPY) /* not a copy of nothing */
            params->memcpy.copyParams = copy_describe(&command->copy);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEMSET:
        if (command->kind == COMMAND_SET)
            params->memset = show_set(&command->set);
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_HOST:
        params->host = (CUDA_HOST_NODE_PARAMS_v2){command->host.function, command->host.data};
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: params->eventWait.event = command->event.event; return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: params->eventRecord.event = command->event.event; return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        params->alloc.poolProps = node->alloc.poolProps;
        params->alloc.bytesize = node->alloc.bytesize;
        params->alloc.dptr = node->alloc.dptr;
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_FREE: params->free.dptr = node->address; return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: return show_ops(node, &params->memOp);
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}
