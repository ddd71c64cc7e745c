/* Attributes of kernel nodes. Those that only advise the hardware are kept and change nothing. */
#include <stdlib.h>

#include "driver/abi/api_graph.h"
#include "driver/capture/graph.h"
#include "driver/graph/graph_params.h"
#include "driver/launch/kernel_make.h"
#include "driver/state/called.h"

static struct CUgraphNode_st *kernel_node(const struct call *call, CUgraphNode handle)
{
    struct CUgraphNode_st *node = graph_node_find(call, handle);
    return node != NULL && node->type == CU_GRAPH_NODE_TYPE_KERNEL ? node : NULL;
}

static bool known(CUkernelNodeAttrID id)
{
    switch (id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return true;
    default: return false;
    }
}

static void put(struct node_attributes *out, CUkernelNodeAttrID id, CUkernelNodeAttrValue value)
{
    out->given |= 1u << id;
    out->value[id] = value;
}

/* A captured launch has left its attributes in its command. */
void graph_node_attributes(const struct CUgraphNode_st *node, struct node_attributes *out)
{
    if (node->attributes != NULL) {
        *out = *node->attributes;
        return;
    }
    *out = (struct node_attributes){0};
    if (node->type != CU_GRAPH_NODE_TYPE_KERNEL)
        return;
    const struct kernel_command *k = &node->commands->kernel;
    if (k->cooperative)
        put(out, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, (CUkernelNodeAttrValue){.cooperative = 1});
    if (k->cluster.x != 0)
        put(out, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
            (CUkernelNodeAttrValue){.clusterDim = {k->cluster.x, k->cluster.y, k->cluster.z}});
    if (k->preferred_cluster.x != 0)
        put(out, CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
            (CUkernelNodeAttrValue){
                .preferredClusterDim = {k->preferred_cluster.x, k->preferred_cluster.y, k->preferred_cluster.z}});
    if (k->cluster_policy != CU_CLUSTER_SCHEDULING_POLICY_DEFAULT)
        put(out, CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
            (CUkernelNodeAttrValue){.clusterSchedulingPolicyPreference = k->cluster_policy});
}

static CUresult get(const struct call *call, CUgraphNode handle, CUkernelNodeAttrID id, CUkernelNodeAttrValue *value)
{
    const struct CUgraphNode_st *node = kernel_node(call, handle);
    struct node_attributes attributes;
    if (node == NULL || value == NULL || !known(id))
        return CUDA_ERROR_INVALID_VALUE;
    graph_node_attributes(node, &attributes);
    *value = attributes.value[id];
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, CUkernelNodeAttrValue *value_out)
{
    CALLED(CALL_CONTEXT, get(&call, hNode, attr, value_out));
}

/* Checks the launch anew, as these attributes ask for. */
static CUresult make_again(struct call *call, struct CUgraphNode_st *node, const struct node_attributes *attributes,
                           struct command *command)
{
    const struct kernel_command *kernel = &node->commands->kernel;
    if (!graph_function_lives(call->driver, kernel->function))
        return CUDA_ERROR_INVALID_VALUE;
    struct launch_shape shape = {
        .grid = kernel->grid, .block = kernel->block, .dynamic_shared_bytes = kernel->dynamic_shared_bytes};
    CUresult result = CUDA_SUCCESS;
    for (uint32_t id = 0; id < CU_LAUNCH_ATTRIBUTE_MAX && result == CUDA_SUCCESS; id++) {
        CUlaunchAttribute attribute = {.id = (CUlaunchAttributeID)id, .value = attributes->value[id]};
        if ((attributes->given & 1u << id) != 0)
            result = launch_attributes(&attribute, 1, &shape);
    }
    if (result == CUDA_SUCCESS)
        result =
            kernel_make_packed(call, kernel->function, &shape, kernel->parameters, kernel->parameter_bytes, command);
    return result;
}

/* The kernel's code is loaded, so nothing is waited for. */
static CUresult give(struct call *call, struct CUgraphNode_st *node, const struct node_attributes *attributes)
{
    struct node_attributes *kept = malloc(sizeof *kept);
    struct command command = {.kind = COMMAND_EMPTY};
    CUresult result = kept != NULL ? make_again(call, node, attributes, &command) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS && !graph_node_give_one(node, &command))
        result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result != CUDA_SUCCESS) {
        free(kept);
        return result;
    }
    *kept = *attributes;
    free(node->attributes);
    node->attributes = kept;
    return CUDA_SUCCESS;
}

static CUresult set(struct call *call, CUgraphNode handle, CUkernelNodeAttrID id, const CUkernelNodeAttrValue *value)
{
    struct CUgraphNode_st *node = kernel_node(call, handle);
    if (node == NULL || value == NULL || !known(id))
        return CUDA_ERROR_INVALID_VALUE;
    struct node_attributes attributes;
    graph_node_attributes(node, &attributes);
    put(&attributes, id, *value);
    return give(call, node, &attributes);
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue *value)
{
    CALLED(CALL_CONTEXT, set(&call, hNode, attr, value));
}

static CUresult copy(struct call *call, CUgraphNode to, CUgraphNode from)
{
    struct CUgraphNode_st *target = kernel_node(call, to), *source = kernel_node(call, from);
    if (target == NULL || source == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    struct node_attributes attributes;
    graph_node_attributes(source, &attributes);
    return give(call, target, &attributes);
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
    CALLED(CALL_CONTEXT, copy(&call, dst, src));
}
