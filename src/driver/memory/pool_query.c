/* Pools: made, destroyed, set, asked. */
#include <string.h>

#include "driver/abi/api_device.h"
#include "driver/abi/api_memory.h"
#include "driver/memory/allocations.h"
#include "driver/memory/pool.h"
#include "driver/state/call.h"

static CUresult location_known(const CUmemLocation *location)
{
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE)
        return location->id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    bool host = location->type == CU_MEM_LOCATION_TYPE_HOST || location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
                location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
    return host ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

static CUresult kind_known(const CUmemLocation *location, CUmemAllocationType type)
{
    if (type == CU_MEM_ALLOCATION_TYPE_MANAGED)
        return CUDA_ERROR_NOT_SUPPORTED;
    return type == CU_MEM_ALLOCATION_TYPE_PINNED ? location_known(location) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult create(struct driver *driver, CUmemoryPool *pool, const CUmemPoolProps *properties)
{
    if (!pool || !properties)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = kind_known(&properties->location, properties->allocType);
    if (result != CUDA_SUCCESS)
        return result;
    if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return CUDA_ERROR_NOT_SUPPORTED;
    struct CUmemPoolHandle_st *new = pool_create(driver, properties);
    if (!new)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *pool = new;
    return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = create(call.driver, pool, poolProps);
    return call_end(&call, result);
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && (!pool_is(call.driver, pool) || pool == pool_default(call.driver)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        pool_destroy(call.driver, pool);
    return call_end(&call, result);
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && !pool_is(call.driver, pool))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        pool_trim(call.driver, pool, minBytesToKeep);
    return call_end(&call, result);
}

static CUresult set(struct CUmemPoolHandle_st *pool, CUmemPool_attribute attribute, const void *value)
{
    int flag;
    cuuint64_t number;
    memcpy(&flag, value, sizeof flag);
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: pool->follow_events = flag != 0; return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: pool->opportunistic = flag != 0; return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        pool->internal_dependencies = flag != 0;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        memcpy(&pool->threshold, value, sizeof pool->threshold);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        memcpy(&number, value, sizeof number);
        if (number != 0)
            return CUDA_ERROR_INVALID_VALUE;
        if (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH)
            pool->used_high = pool->used;
        else
            pool->reserved_high = pool->reserved;
        return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = value && pool_is(call.driver, pool) ? set(pool, attr, value) : CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}

static CUresult get(const struct CUmemPoolHandle_st *pool, CUmemPool_attribute attribute, void *value)
{
    int flag = 0;
    cuuint64_t number = 0;
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: flag = pool->follow_events; break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: flag = pool->opportunistic; break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: flag = pool->internal_dependencies; break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: number = pool->threshold; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: number = pool->reserved; break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: number = pool->reserved_high; break;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: number = pool->used; break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: number = pool->used_high; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    if (attribute <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES)
        memcpy(value, &flag, sizeof flag);
    else
        memcpy(value, &number, sizeof number);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = value && pool_is(call.driver, pool) ? get(pool, attr, value) : CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}

/* There is one device, which always has access to its own pools. */
static CUresult set_access(const CUmemAccessDesc *map, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CUresult result = location_known(&map[i].location);
        if (result != CUDA_SUCCESS)
            return result;
        if (map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = pool_is(call.driver, pool) && (map || count == 0) ? set_access(map, count) : CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result =
            flags && location && pool_is(call.driver, memPool) ? location_known(location) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return call_end(&call, result);
}

static CUresult hand_out(struct CUmemPoolHandle_st *pool, CUmemoryPool *out)
{
    if (!pool)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *out = pool;
    return CUDA_SUCCESS;
}

static CUresult set_current(struct driver *driver, CUmemoryPool pool)
{
    if (!pool_is(driver, pool))
        return CUDA_ERROR_INVALID_VALUE;
    driver->allocations->current = pool;
    return CUDA_SUCCESS;
}

static CUresult of_device(const char *name, CUmemoryPool *pool, CUdevice device,
                          struct CUmemPoolHandle_st *(*which)(struct driver *driver))
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = device != 0 ? CUDA_ERROR_INVALID_DEVICE
                 : !pool     ? CUDA_ERROR_INVALID_VALUE
                             : hand_out(which(call.driver), pool);
    return call_end(&call, result);
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
    return of_device(__func__, pool_out, dev, pool_default);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev) { return of_device(__func__, pool, dev, pool_current); }

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = dev != 0 ? CUDA_ERROR_INVALID_DEVICE : set_current(call.driver, pool);
    return call_end(&call, result);
}

static CUresult of_location(const char *name, CUmemoryPool *pool, const CUmemLocation *location,
                            CUmemAllocationType type, struct CUmemPoolHandle_st *(*which)(struct driver *driver))
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = pool && location ? kind_known(location, type) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = hand_out(which(call.driver), pool);
    return call_end(&call, result);
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location, CUmemAllocationType type)
{
    return of_location(__func__, pool_out, location, type, pool_default);
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    return of_location(__func__, pool, location, type, pool_current);
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS)
        result = location ? kind_known(location, type) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = set_current(call.driver, pool);
    return call_end(&call, result);
}
