/* How many CTAs of a function the GPU holds, and the answers that follow from it. */
#include "driver/launch/occupancy.h"

#include "driver/abi/api_module.h"
#include "driver/state/lock.h"
#include "gpu/occupancy.h"

enum { THREADS = 1024, FLAGS = 1 /* CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE */ };

uint32_t occupancy_active(const struct driver *driver, struct CUfunc_st *function, uint32_t threads, uint64_t dynamic)
{
    const struct config *config = &driver->device.config;
    struct occupancy occupancy;
    uint32_t fixed = function_static_shared(driver, function), most = config->sm.shared_per_cta;
    if (threads > function_threads_most(driver, function) || fixed > most || dynamic > most - fixed ||
        dynamic > function_settings(function)->dynamic_shared_most)
        return 0;
    occupancy_compute(config, function->cubin->registers, threads, fixed + (uint32_t)dynamic, &occupancy);
    return occupancy.ctas_per_sm;
}

static CUresult begin(struct call *call, const char *name, CUfunction handle, struct CUfunc_st **function)
{
    CUresult result = call_begin(call, name, CALL_CONTEXT);
    return result == CUDA_SUCCESS ? function_check(call, handle, function) : result;
}

static CUresult max_active(struct call *call, int *blocks, struct CUfunc_st *function, int threads, size_t dynamic,
                           unsigned flags)
{
    if (!blocks || threads <= 0 || threads > THREADS || flags > FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    *blocks = (int)occupancy_active(call->driver, function, (uint32_t)threads, dynamic);
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, func, &function);
    if (result == CUDA_SUCCESS)
        result = max_active(&call, numBlocks, function, blockSize, dynamicSMemSize, 0);
    return call_end(&call, result);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func, int blockSize,
                                                              size_t dynamicSMemSize, unsigned int flags)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, func, &function);
    if (result == CUDA_SUCCESS)
        result = max_active(&call, numBlocks, function, blockSize, dynamicSMemSize, flags);
    return call_end(&call, result);
}

/* ---- the best block ---------------------------------------------------------------------------------------------- */

struct best {
    uint32_t threads, blocks;
};

/* The program's shared memory for a CTA of so many threads. Its function may call CUDA, and even unload ours. */
static bool ask(struct driver *driver, const struct CUfunc_st *function, CUoccupancyB2DSize size_of, uint32_t threads,
                size_t *dynamic)
{
    if (!size_of)
        return true;
    lock_leave(driver);
    *dynamic = size_of((int)threads);
    lock_return(driver);
    return handle_is(driver->handles, HANDLE_FUNCTION, function);
}

/* Of the sizes that keep most threads of an SM busy the largest. */
static CUresult find_best(struct driver *driver, struct CUfunc_st *function, CUoccupancyB2DSize size_of, size_t dynamic,
                          uint32_t limit, struct best *best)
{
    *best = (struct best){0, 0};
    for (uint32_t above = (limit + ISA_LANES - 1) / ISA_LANES * ISA_LANES; above > 0; above -= ISA_LANES) {
        uint32_t threads = above < limit ? above : limit;
        if (!ask(driver, function, size_of, threads, &dynamic))
            return CUDA_ERROR_INVALID_HANDLE;
        uint32_t blocks = occupancy_active(driver, function, threads, dynamic);
        if (blocks * threads > best->blocks * best->threads)
            *best = (struct best){threads, blocks};
        if (best->blocks * best->threads == driver->device.config.sm.threads)
            break;
    }
    return CUDA_SUCCESS;
}

static CUresult potential(struct call *call, int *grid, int *block, struct CUfunc_st *function,
                          CUoccupancyB2DSize size_of, size_t dynamic, int limit, unsigned flags)
{
    struct best best;
    if (!grid || !block || limit < 0 || flags > FLAGS)
        return CUDA_ERROR_INVALID_VALUE;
    uint32_t most = function_threads_most(call->driver, function);
    if (limit > 0 && (uint32_t)limit < most)
        most = (uint32_t)limit;
    CUresult result = find_best(call->driver, function, size_of, dynamic, most, &best);
    if (result != CUDA_SUCCESS)
        return result;
    *grid = (int)(best.blocks * call->driver->device.config.gpu.sms);
    *block = (int)best.threads;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                          int blockSizeLimit)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, func, &function);
    if (result == CUDA_SUCCESS)
        result = potential(&call, minGridSize, blockSize, function, blockSizeToDynamicSMemSize, dynamicSMemSize,
                           blockSizeLimit, 0);
    return call_end(&call, result);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                   size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, func, &function);
    if (result == CUDA_SUCCESS)
        result = potential(&call, minGridSize, blockSize, function, blockSizeToDynamicSMemSize, dynamicSMemSize,
                           blockSizeLimit, flags);
    return call_end(&call, result);
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

/* The share of each CTA, with so many on an SM, less the part that the program cannot use. */
static CUresult available(struct call *call, size_t *bytes, struct CUfunc_st *function, int blocks, int threads)
{
    const struct config_sm *sm = &call->driver->device.config.sm;
    if (!bytes || blocks <= 0 || threads <= 0 || threads > THREADS)
        return CUDA_ERROR_INVALID_VALUE;
    if (occupancy_active(call->driver, function, (uint32_t)threads, 0) < (uint32_t)blocks)
        return CUDA_ERROR_INVALID_VALUE;
    uint32_t share = sm->shared / (uint32_t)blocks / sm->shared_unit * sm->shared_unit;
    share = share > sm->shared_reserved ? share - sm->shared_reserved : 0;
    share = share < sm->shared_per_cta ? share : sm->shared_per_cta;
    uint32_t fixed = function_static_shared(call->driver, function);
    *bytes = share > fixed ? share - fixed : 0;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func, int numBlocks, int blockSize)
{
    struct call call;
    struct CUfunc_st *function;
    CUresult result = begin(&call, __func__, func, &function);
    if (result == CUDA_SUCCESS)
        result = available(&call, dynamicSmemSize, function, numBlocks, blockSize);
    return call_end(&call, result);
}
