#include <assert.h>

#include "driver/abi/api_memory.h"
#include "runtime/abi/api_device.h"
#include "runtime/abi/api_memory.h"
#include "runtime/location.h"
#include "runtime/runtime.h"

static_assert(sizeof(struct cudaMemPoolProps) == sizeof(CUmemPoolProps), "both APIs share the properties of a pool");
static_assert(sizeof(struct cudaMemAccessDesc) == sizeof(CUmemAccessDesc), "and the rights to access it");

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
    RUNTIME_CALL;
    cudaError_t error = memPool == NULL ? cudaErrorInvalidValue : runtime_check_device(device);
    return runtime_done(error == cudaSuccess ? (cudaError_t)cuDeviceGetDefaultMemPool(memPool, device) : error);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
    RUNTIME_CALL;
    cudaError_t error = memPool == NULL ? cudaErrorInvalidValue : runtime_check_device(device);
    return runtime_done(error == cudaSuccess ? (cudaError_t)cuDeviceGetMemPool(memPool, device) : error);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
    RUNTIME_CALL;
    cudaError_t error = runtime_check_device(device);
    return runtime_done(error == cudaSuccess ? (cudaError_t)cuDeviceSetMemPool(device, memPool) : error);
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
    RUNTIME_CALL;
    if (location == NULL)
        return runtime_done(cudaErrorInvalidValue);
    CUmemLocation place = driver_location(location);
    RUNTIME_RETURN(cuMemGetDefaultMemPool(memPool, &place, (CUmemAllocationType)type));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
    RUNTIME_CALL;
    if (location == NULL)
        return runtime_done(cudaErrorInvalidValue);
    CUmemLocation place = driver_location(location);
    RUNTIME_RETURN(cuMemGetMemPool(memPool, &place, (CUmemAllocationType)type));
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type, cudaMemPool_t memPool)
{
    RUNTIME_CALL;
    if (location == NULL)
        return runtime_done(cudaErrorInvalidValue);
    CUmemLocation place = driver_location(location);
    RUNTIME_RETURN(cuMemSetMemPool(&place, (CUmemAllocationType)type, memPool));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemPoolCreate(memPool, (const CUmemPoolProps *)(const void *)poolProps));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemPoolDestroy(memPool));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemPoolGetAttribute(memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemPoolSetAttribute(memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList, size_t count)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemPoolSetAccess(memPool, (const CUmemAccessDesc *)(const void *)descList, count));
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                 struct cudaMemLocation *location)
{
    RUNTIME_CALL;
    if (location == NULL || flags == NULL)
        return runtime_done(cudaErrorInvalidValue);
    CUmemLocation place = driver_location(location);
    RUNTIME_RETURN(cuMemPoolGetAccess((CUmemAccess_flags *)flags, memPool, &place));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemPoolTrimTo(memPool, minBytesToKeep));
}
