/* How many clusters of a function the GPU holds, and how large they can be. */
#include "driver/abi/api_module.h"
#include "driver/launch/cluster.h"
#include "driver/launch/occupancy.h"
#include "gpu/occupancy.h"

enum { THREADS = 1024 };

/* The request of the launch. Its grid does not count. */
static CUresult shape_of(struct call *call, const CUlaunchConfig *config, const struct CUfunc_st *function,
                         struct launch_shape *shape)
{
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    if (!cluster_supported(call->driver))
        return CUDA_ERROR_NOT_SUPPORTED;
    *shape = (struct launch_shape){.block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                                   .dynamic_shared_bytes = config->sharedMemBytes};
    CUresult result = cluster_unfold(function, shape);
    if (result != CUDA_SUCCESS)
        return result;
    uint64_t threads = cluster_ctas(shape->block);
    if (threads == 0 || threads > THREADS)
        return CUDA_ERROR_INVALID_VALUE;
    return launch_attributes(config->attrs, config->numAttrs, shape);
}

/* CTAs that the GPU holds when they come in clusters of `size`. */
static uint64_t resident(const struct driver *driver, struct CUfunc_st *function, const struct launch_shape *shape,
                         uint32_t size)
{
    uint32_t ctas =
        occupancy_active(driver, function, (uint32_t)cluster_ctas(shape->block), shape->dynamic_shared_bytes);
    return occupancy_resident(&driver->device.config, ctas, size);
}

/* CUDA_ERROR_INVALID_CLUSTER_SIZE when neither the function nor the launch has a size. */
static CUresult active_clusters(struct call *call, int *clusters, struct CUfunc_st *function,
                                const CUlaunchConfig *config)
{
    struct launch_shape shape;
    struct exec_dim required, cluster = {1, 1, 1};
    CUresult result = clusters ? shape_of(call, config, function, &shape) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    cluster_required(function, &required);
    if (!required.x && !shape.cluster.x)
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    result = cluster_choose(call->driver, function, &shape, false, &cluster);
    if (result != CUDA_SUCCESS)
        return result;
    uint32_t size = (uint32_t)cluster_ctas(cluster);
    *clusters = (int)(resident(call->driver, function, &shape, size) / size);
    return CUDA_SUCCESS;
}

static CUresult potential_size(struct call *call, int *size, struct CUfunc_st *function, const CUlaunchConfig *config)
{
    struct launch_shape shape;
    struct exec_dim required;
    CUresult result = size ? shape_of(call, config, function, &shape) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    cluster_required(function, &required);
    uint32_t found = required.x ? (uint32_t)cluster_ctas(required) : cluster_most(call->driver, function);
    while (!required.x && found > 0 && resident(call->driver, function, &shape, found) == 0)
        found--;
    *size = (int)found;
    return CUDA_SUCCESS;
}

static CUresult begin(struct call *call, const char *name, CUfunction handle, struct CUfunc_st **function)
{
    CUresult result = call_begin(call, name, CALL_CONTEXT);
    return result == CUDA_SUCCESS ? function_check(call, handle, function) : result;
}

CUresult cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func, const CUlaunchConfig *config)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, func, &function);
    if (result == CUDA_SUCCESS)
        result = active_clusters(&call, numClusters, function, config);
    return call_end(&call, result);
}

CUresult cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func, const CUlaunchConfig *config)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, func, &function);
    if (result == CUDA_SUCCESS)
        result = potential_size(&call, clusterSize, function, config);
    return call_end(&call, result);
}
