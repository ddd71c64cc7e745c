/* Attributes of launches, and their requests. Cache policies and domains of memory synchronization are hints
 * that change nothing. */
#include "driver/launch/kernel_make.h"
#include "driver/state/say.h"

/* A cluster of no CTA is none. */
static CUresult take_cluster(unsigned x, unsigned y, unsigned z, struct exec_dim *out)
{
    if (!x || !y || !z)
        return CUDA_ERROR_INVALID_VALUE;
    *out = (struct exec_dim){x, y, z};
    return CUDA_SUCCESS;
}

static CUresult take_policy(CUclusterSchedulingPolicy policy, struct launch_shape *shape)
{
    if ((unsigned)policy > CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
        return CUDA_ERROR_INVALID_VALUE;
    shape->cluster_policy = policy;
    return CUDA_SUCCESS;
}

static CUresult take_carveout(unsigned percent, struct launch_shape *shape)
{
    shape->has_carveout = percent != UINT32_MAX; /* -1: as the driver likes */
    shape->carveout = percent;
    return shape->has_carveout && percent > 100 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* Either event may come late, so it is recorded when the kernel has ended. */
static CUresult take_event(CUevent event, int flags, struct launch_shape *shape)
{
    if (event == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    shape->event = event;
    return CUDA_SUCCESS;
}

static CUresult take(const CUlaunchAttribute *attribute, struct launch_shape *shape)
{
    const CUlaunchAttributeValue *v = &attribute->value;
    switch (attribute->id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: shape->cooperative = v->cooperative != 0; return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        return take_cluster(v->clusterDim.x, v->clusterDim.y, v->clusterDim.z, &shape->cluster);
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        return take_cluster(v->preferredClusterDim.x, v->preferredClusterDim.y, v->preferredClusterDim.z,
                            &shape->preferred_cluster);
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        return take_policy(v->clusterSchedulingPolicyPreference, shape);
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        shape->programmatic = v->programmaticStreamSerializationAllowed != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        shape->prioritised = true;
        shape->priority = v->priority;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return take_carveout(v->sharedMemCarveout, shape);
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
        return take_event(v->programmaticEvent.event, v->programmaticEvent.flags, shape);
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        return take_event(v->launchCompletionEvent.event, v->launchCompletionEvent.flags, shape);
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        say("launch attribute %d is not supported", (int)attribute->id);
        return CUDA_ERROR_NOT_SUPPORTED;
    default: return (unsigned)attribute->id < CU_LAUNCH_ATTRIBUTE_MAX ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult launch_attributes(const CUlaunchAttribute *attributes, unsigned count, struct launch_shape *shape)
{
    if (count > 0 && !attributes)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = take(&attributes[i], shape);
    return result;
}
