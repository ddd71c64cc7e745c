#include "driver/launch/kernel_make.h"

#include <stdlib.h>
#include <string.h>

#include "driver/launch/cluster.h"
#include "gpu/occupancy.h"

enum { GRID_X = 0x7fffffff, GRID_YZ = 65535, BLOCK_XY = 1024, BLOCK_Z = 64, THREADS = 1024 };
enum { EXTRA_END = 0, EXTRA_BUFFER = 1, EXTRA_SIZE = 2 }; /* CU_LAUNCH_PARAM_* */

/* ---- shape ------------------------------------------------------------------------------------------------------- */

static CUresult check_dimensions(const struct launch_shape *s)
{
    const struct exec_dim g = s->grid, b = s->block;
    bool grid = g.x && g.y && g.z && g.x <= GRID_X && g.y <= GRID_YZ && g.z <= GRID_YZ;
    bool block = b.x && b.y && b.z && b.x <= BLOCK_XY && b.y <= BLOCK_XY && b.z <= BLOCK_Z &&
                 (uint64_t)b.x * b.y * b.z <= THREADS;
    return grid && block ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The architecture of the code. */
static CUresult check_bounds(const struct driver *driver, const struct CUfunc_st *function, struct exec_dim b)
{
    const uint32_t *required = function->cubin->required_threads, *most = function->cubin->max_threads;
    uint32_t threads = b.x * b.y * b.z;
    if (required[0] &&
        (b.x != required[0] || (required[1] && b.y != required[1]) || (required[2] && b.z != required[2])))
        return CUDA_ERROR_INVALID_VALUE;
    if (most[0] && threads > (uint64_t)most[0] * (most[1] ? most[1] : 1) * (most[2] ? most[2] : 1))
        return CUDA_ERROR_INVALID_VALUE;
    return threads > function_threads_most(driver, function) ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : CUDA_SUCCESS;
}

static CUresult check_shared(const struct driver *driver, struct CUfunc_st *function, uint32_t dynamic)
{
    uint32_t fixed = function_static_shared(driver, function), most = driver->device.config.sm.shared_per_cta;
    bool fits = fixed <= most && dynamic <= most - fixed;
    return fits && dynamic <= function_settings(function)->dynamic_shared_most ? CUDA_SUCCESS
                                                                               : CUDA_ERROR_INVALID_VALUE;
}

/* CTAs that the GPU holds at once. */
static uint64_t resident(const struct driver *driver, const struct CUfunc_st *function, const struct launch_shape *s,
                         struct exec_dim cluster)
{
    const struct config *config = &driver->device.config;
    struct occupancy occupancy;
    occupancy_compute(config, function->cubin->registers, s->block.x * s->block.y * s->block.z,
                      function_static_shared(driver, function) + s->dynamic_shared_bytes, &occupancy);
    return occupancy_resident(config, occupancy.ctas_per_sm, cluster.x ? (uint32_t)cluster_ctas(cluster) : 1);
}

/* All CTAs of a cluster have to be resident at once, and all of a cooperative grid. */
static CUresult check_resident(const struct driver *driver, const struct CUfunc_st *function,
                               const struct launch_shape *s, struct exec_dim cluster)
{
    if (cluster_ctas(cluster) <= 1 && !s->cooperative)
        return CUDA_SUCCESS;
    uint64_t most = resident(driver, function, s, cluster);
    if (most == 0 && cluster_ctas(cluster) > 1)
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    return !s->cooperative || cluster_ctas(s->grid) <= most ? CUDA_SUCCESS : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

/* Fills the cluster, too. */
static CUresult check(const struct driver *driver, struct CUfunc_st *function, const struct launch_shape *s,
                      struct exec_dim *cluster)
{
    CUresult result = check_dimensions(s);
    if (result == CUDA_SUCCESS)
        result = check_bounds(driver, function, s->block);
    if (result == CUDA_SUCCESS)
        result = check_shared(driver, function, s->dynamic_shared_bytes);
    if (result == CUDA_SUCCESS)
        result = cluster_choose(driver, function, s, true, cluster);
    if (result == CUDA_SUCCESS)
        result = check_resident(driver, function, s, *cluster);
    return result;
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static CUresult pack_bytes(const struct cubin_kernel *k, const void *bytes, size_t size, struct kernel_command *out)
{
    if (size < k->parameter_bytes || (!bytes && size > 0))
        return CUDA_ERROR_INVALID_VALUE;
    out->parameters = malloc(k->parameter_bytes ? k->parameter_bytes : 1);
    if (!out->parameters)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (k->parameter_bytes)
        memcpy(out->parameters, bytes, k->parameter_bytes);
    out->parameter_bytes = k->parameter_bytes;
    return CUDA_SUCCESS;
}

/* A buffer ends with the last parameter, without the padding of a structure: a driver (580.159.04, H200) answered 701
 * to a longer one. */
static CUresult pack_extra(const struct cubin_kernel *k, void **extra, struct kernel_command *out)
{
    const void *buffer = NULL;
    const size_t *size = NULL;
    for (; (uintptr_t)extra[0] != EXTRA_END; extra += 2) {
        switch ((uintptr_t)extra[0]) {
        case EXTRA_BUFFER: buffer = extra[1]; break;
        case EXTRA_SIZE: size = extra[1]; break;
        default: return CUDA_ERROR_INVALID_VALUE;
        }
    }
    if (!size && k->parameter_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (size && *size > k->parameter_bytes)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    return pack_bytes(k, buffer, size ? *size : 0, out);
}

static CUresult pack_each(const struct cubin_kernel *k, void **parameters, struct kernel_command *out)
{
    if (!parameters && k->parameter_count > 0)
        return CUDA_ERROR_INVALID_VALUE;
    out->parameters = calloc(1, k->parameter_bytes ? k->parameter_bytes : 1);
    if (!out->parameters)
        return CUDA_ERROR_OUT_OF_MEMORY;
    out->parameter_bytes = k->parameter_bytes;
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        if (!parameters[i])
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(out->parameters + k->parameters[i].offset, parameters[i], k->parameters[i].size);
    }
    return CUDA_SUCCESS;
}

/* How much shared memory an SM should have, in bytes: 0 leaves it to the driver, which takes the CTAs' need. */
static uint32_t preferred_shared(const struct call *call, struct CUfunc_st *function, const struct launch_shape *shape)
{
    const struct function_settings *s = function_settings(function);
    const struct config_sm *sm = &call->driver->device.config.sm;
    if (shape->has_carveout || s->carveout >= 0)
        return (uint32_t)((uint64_t)sm->shared * (shape->has_carveout ? shape->carveout : (unsigned)s->carveout) / 100);
    CUfunc_cache cache = s->cache == CU_FUNC_CACHE_PREFER_NONE ? call->context->cache : s->cache;
    switch (cache) {
    case CU_FUNC_CACHE_PREFER_SHARED: return sm->shared;
    case CU_FUNC_CACHE_PREFER_EQUAL: return sm->unified / 2;
    default: return 0;
    }
}

/* The instruction came with sm_90. */
static bool has_preexit(const struct call *call) { return call->driver->device.config.gpu.architecture >= 90; }

/* Whether the kernel's own code lets dependents launch. */
static bool executes_preexit(const struct cubin_kernel *k)
{
    enum { BYTES = 16, OPCODE = 0xfff, PREEXIT = 0x82d };
    for (size_t at = 0; at + BYTES <= k->code.size; at += BYTES) {
        uint16_t low;
        memcpy(&low, k->code.data + at, sizeof low);
        if ((low & OPCODE) == PREEXIT)
            return true;
    }
    return false;
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static CUresult begin_command(struct call *call, CUfunction handle, const struct launch_shape *shape,
                              struct command *command)
{
    struct CUfunc_st *function;
    struct launch_shape run = *shape;
    struct exec_dim cluster;
    *command = (struct command){.kind = COMMAND_EMPTY};
    CUresult result = function_find(call, handle, &function);
    if (result == CUDA_SUCCESS)
        result = cluster_unfold(function, &run);
    if (result == CUDA_SUCCESS)
        result = check(call->driver, function, &run, &cluster);
    if (result != CUDA_SUCCESS)
        return result;
    command->kind = COMMAND_KERNEL;
    command->kernel = (struct kernel_command){.function = function,
                                              .grid = shape->grid,
                                              .block = shape->block,
                                              .cluster = shape->cluster,
                                              .preferred_cluster = shape->preferred_cluster,
                                              .cluster_policy = shape->cluster_policy,
                                              .run = {run.grid, run.block, cluster},
                                              .dynamic_shared_bytes = shape->dynamic_shared_bytes,
                                              .shared_preferred = preferred_shared(call, function, shape),
                                              .cooperative = shape->cooperative,
                                              .programmatic = shape->programmatic,
                                              .preexits = has_preexit(call) && executes_preexit(function->cubin),
                                              .prioritised = shape->prioritised,
                                              .priority = shape->priority};
    return CUDA_SUCCESS;
}

static CUresult end_command(struct command *command, CUresult result)
{
    if (result != CUDA_SUCCESS)
        command_clear(command);
    return result;
}

CUresult kernel_make(struct call *call, CUfunction handle, const struct launch_shape *shape, void **parameters,
                     void **extra, struct command *command)
{
    CUresult result = begin_command(call, handle, shape, command);
    if (result != CUDA_SUCCESS)
        return result;
    const struct cubin_kernel *k = command->kernel.function->cubin;
    if (parameters && extra)
        result = CUDA_ERROR_INVALID_VALUE;
    else if (extra)
        result = pack_extra(k, extra, &command->kernel);
    else
        result = pack_each(k, parameters, &command->kernel);
    return end_command(command, result);
}

CUresult kernel_make_packed(struct call *call, CUfunction handle, const struct launch_shape *shape,
                            const void *parameters, size_t bytes, struct command *command)
{
    CUresult result = begin_command(call, handle, shape, command);
    if (result != CUDA_SUCCESS)
        return result;
    return end_command(command, pack_bytes(command->kernel.function->cubin, parameters, bytes, &command->kernel));
}
