#include "driver/graph/graph_params.h"

#include <stdlib.h>

#include "driver/capture/capture.h"
#include "driver/launch/kernel_make.h"
#include "driver/memory/copy.h"
#include "driver/memory/graph_memory.h"
#include "driver/queue/event.h"
#include "driver/state/context.h"
#include "driver/stream/value.h"

enum { OPS_MOST = 256 };

void params_clear(struct made *made)
{
    for (size_t i = 0; i < made->count; i++)
        command_clear(&made->commands[i]);
    free(made->commands);
    if (made->child != NULL && !made->moved)
        graph_free(made->child);
    *made = (struct made){.type = made->type};
}

void params_give(struct CUgraphNode_st *node, struct made *made)
{
    graph_node_give(node, made->commands, made->count);
    if (made->child != NULL) {
        if (node->child != NULL) {
            captures_abandon(node->child);
            graph_free(node->child);
        }
        node->child = made->child;
        node->child->owner = node;
    }
    node->alloc = made->alloc;
    node->address = made->address;
    *made = (struct made){.type = made->type};
}

/* Where the one command of a node goes (NULL: out of memory). */
static struct command *one_command(struct made *made)
{
    made->commands = calloc(1, sizeof *made->commands);
    made->count = made->commands != NULL ? 1 : 0;
    return made->commands;
}

/* A context may be named. Without one it is the current. */
static bool context_fits(const struct call *call, CUcontext context)
{
    return context == NULL || context_lives(call->driver, context);
}

static CUresult make_kernel(struct call *call, const CUDA_KERNEL_NODE_PARAMS_v3 *kernel,
                            const struct node_attributes *attributes, struct made *made)
{
    struct command *command = one_command(made);
    if (command == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!context_fits(call, kernel->ctx))
        return CUDA_ERROR_INVALID_VALUE;
    struct launch_shape shape = {
        .grid = {kernel->gridDimX, kernel->gridDimY, kernel->gridDimZ},
        .block = {kernel->blockDimX, kernel->blockDimY, kernel->blockDimZ},
        .dynamic_shared_bytes = kernel->sharedMemBytes,
    };
    for (uint32_t id = 0; attributes != NULL && id < CU_LAUNCH_ATTRIBUTE_MAX; id++) {
        CUlaunchAttribute attribute = {.id = (CUlaunchAttributeID)id, .value = attributes->value[id]};
        CUresult result = (attributes->given & 1u << id) != 0 ? launch_attributes(&attribute, 1, &shape) : CUDA_SUCCESS;
        if (result != CUDA_SUCCESS)
            return result;
    }
    if (kernel->kernelParams != NULL && kernel->extra != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUfunction function = kernel->func != NULL ? kernel->func : (CUfunction)(void *)kernel->kern;
    return kernel_make(call, function, &shape, kernel->kernelParams, kernel->extra, command);
}

static CUresult make_copy(struct call *call, const CUDA_MEMCPY_NODE_PARAMS *copy, struct made *made)
{
    struct command *command = one_command(made);
    if (command == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!context_fits(call, copy->copyCtx))
        return CUDA_ERROR_INVALID_VALUE;
    return copy_make(call->driver, &copy->copyParams, command);
}

static CUresult make_set(struct call *call, const CUDA_MEMSET_NODE_PARAMS_v2 *set, struct made *made)
{
    struct command *command = one_command(made);
    if (command == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!context_fits(call, set->ctx))
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMSET_NODE_PARAMS params = {set->dst,         set->pitch, set->value,
                                            set->elementSize, set->width, set->height};
    return set_make(call->driver, &params, command);
}

static CUresult make_host(const CUDA_HOST_NODE_PARAMS_v2 *host, struct made *made)
{
    struct command *command = one_command(made);
    if (command == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (host->fn == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *command = (struct command){.kind = COMMAND_HOST, .host = {.function = host->fn, .data = host->userData}};
    return CUDA_SUCCESS;
}

static CUresult make_event(const struct call *call, CUevent event, enum command_kind kind, struct made *made)
{
    struct command *command = one_command(made);
    if (command == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (event_find(call, event) == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *command = (struct command){.kind = kind, .event = {.event = event}};
    return CUDA_SUCCESS;
}

static CUresult make_ops(const struct call *call, const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 *ops, struct made *made)
{
    if (ops->count == 0 || ops->count > OPS_MOST || ops->paramArray == NULL || ops->flags != 0 ||
        !context_fits(call, ops->ctx))
        return CUDA_ERROR_INVALID_VALUE;
    made->commands = calloc(ops->count, sizeof *made->commands);
    if (made->commands == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < ops->count && result == CUDA_SUCCESS; i++) {
        result = value_op_make(call->driver, &ops->paramArray[i], &made->commands[i]);
        made->count++;
    }
    return result;
}

static CUresult make_child(const struct call *call, const CUDA_CHILD_GRAPH_NODE_PARAMS *child, struct made *made)
{
    struct CUgraph_st *graph = graph_find(call, child->graph);
    if (graph == NULL || graph->capture != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (child->ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE) {
        if (graph->owner != NULL)
            return CUDA_ERROR_INVALID_VALUE;
        made->child = graph;
        made->moved = true;
        return CUDA_SUCCESS;
    }
    if (child->ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE)
        return CUDA_ERROR_INVALID_VALUE;
    if (graph_has_memory(graph))
        return CUDA_ERROR_NOT_SUPPORTED; /* documented: memory belongs to one graph */
    made->child = graph_clone(graph);
    return made->child != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult make_alloc(struct call *call, CUDA_MEM_ALLOC_NODE_PARAMS_v2 *alloc, struct made *made)
{
    if (one_command(made) == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (alloc->bytesize == 0 || alloc->poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
        alloc->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE || alloc->poolProps.location.id != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUdeviceptr address = 0;
    CUresult result = graph_memory_take(call, alloc->bytesize, &address);
    if (result != CUDA_SUCCESS)
        return result;
    alloc->dptr = address;
    made->address = address;
    made->alloc = (CUDA_MEM_ALLOC_NODE_PARAMS){.poolProps = alloc->poolProps, .bytesize = alloc->bytesize};
    made->alloc.dptr = address;
    return CUDA_SUCCESS;
}

static CUresult make_free(const struct call *call, CUdeviceptr address, struct made *made)
{
    if (one_command(made) == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!graph_memory_is(call->driver, address))
        return CUDA_ERROR_INVALID_VALUE;
    made->address = address;
    return CUDA_SUCCESS;
}

static CUresult make(struct call *call, CUgraphNodeParams *params, const struct node_attributes *attributes,
                     struct made *made)
{
    switch (params->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: return make_kernel(call, &params->kernel, attributes, made);
    case CU_GRAPH_NODE_TYPE_MEMCPY: return make_copy(call, &params->memcpy, made);
    case CU_GRAPH_NODE_TYPE_MEMSET: return make_set(call, &params->memset, made);
    case CU_GRAPH_NODE_TYPE_HOST: return make_host(&params->host, made);
    case CU_GRAPH_NODE_TYPE_GRAPH: return make_child(call, &params->graph, made);
    case CU_GRAPH_NODE_TYPE_EMPTY: return one_command(made) != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: return make_event(call, params->eventWait.event, COMMAND_WAIT, made);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD: return make_event(call, params->eventRecord.event, COMMAND_RECORD, made);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return make_alloc(call, &params->alloc, made);
    case CU_GRAPH_NODE_TYPE_MEM_FREE: return make_free(call, params->free.dptr, made);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: return make_ops(call, &params->memOp, made);
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
    case CU_GRAPH_NODE_TYPE_CONDITIONAL: return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult params_make(struct call *call, CUgraphNodeParams *params, const struct node_attributes *attributes,
                     struct made *made)
{
    *made = (struct made){.type = params->type};
    CUresult result = make(call, params, attributes, made);
    if (result != CUDA_SUCCESS)
        params_clear(made);
    return result;
}

/* Copies between the same kinds of memory. The same operations on values. */
static bool fits(const struct command *old, const struct command *new)
{
    if (old->kind != new->kind || old->kind != COMMAND_COPY)
        return old->kind == new->kind;
    return old->copy.from.space == new->copy.from.space && old->copy.to.space == new->copy.to.space;
}

bool graph_function_lives(const struct driver *driver, const struct CUfunc_st *function)
{
    return handle_is(driver->handles, HANDLE_FUNCTION, function) && function->module != NULL;
}

/* A destroyed one has no context that could differ. */
static bool same_context(const struct driver *driver, const struct CUfunc_st *old, const struct CUfunc_st *new)
{
    return !graph_function_lives(driver, old) ||
           (graph_function_lives(driver, new) && old->module->context == new->module->context);
}

bool params_fit(const struct CUgraphNode_st *node, CUgraphNodeType type, const struct command *commands, size_t count)
{
    if (node->type != type || node->command_count != count)
        return false;
    if (type == CU_GRAPH_NODE_TYPE_KERNEL)
        return same_context(node->graph->driver, node->commands->kernel.function, commands->kernel.function);
    for (size_t i = 0; i < count; i++)
        if (!fits(&node->commands[i], &commands[i]))
            return false;
    return true;
}
