#include <string.h>

#include "driver/abi/api_memory.h"
#include "runtime/abi/api_copy.h"
#include "runtime/abi/api_memory.h"
#include "runtime/location.h"
#include "runtime/runtime.h"

static enum cudaMemoryType type_of(CUmemorytype type, bool managed)
{
    if (managed)
        return cudaMemoryTypeManaged;
    return type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
           : type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
                                        : cudaMemoryTypeUnregistered;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    RUNTIME_CALL;
    if (attributes == NULL)
        return runtime_done(cudaErrorInvalidValue);
    CUmemorytype type = (CUmemorytype)0;
    unsigned managed = 0;
    int ordinal = 0;
    CUdeviceptr device = 0;
    void *host = NULL;
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                   CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *answers[] = {&type, &device, &host, &managed, &ordinal};
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error =
            (cudaError_t)cuPointerGetAttributes(sizeof asked / sizeof asked[0], asked, answers, runtime_pointer(ptr));
    if (error == cudaSuccess) {
        memset(attributes, 0, sizeof *attributes);
        attributes->type = type_of(type, managed != 0);
        attributes->device = ordinal;
        attributes->devicePointer = (void *)(uintptr_t)device;
        attributes->hostPointer = host;
    }
    return runtime_done(error);
}

cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemAdvise_v2(runtime_pointer(devPtr), count, (CUmem_advise)advice, driver_location(&location)));
}

cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, struct cudaMemLocation location, unsigned int flags,
                                 cudaStream_t stream)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemPrefetchAsync_v2(runtime_pointer(devPtr), count, driver_location(&location), flags, stream));
}

cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs,
                                      size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                      cudaStream_t stream)
{
    RUNTIME_CALL;
    bool good = dptrs != NULL && sizes != NULL && count > 0 && prefetchLocs != NULL && prefetchLocIdxs != NULL &&
                numPrefetchLocs > 0 && numPrefetchLocs <= count && flags == 0 && prefetchLocIdxs[0] == 0;
    for (size_t i = 1; good && i < numPrefetchLocs; i++)
        good = prefetchLocIdxs[i] > prefetchLocIdxs[i - 1] && prefetchLocIdxs[i] < count;
    cudaError_t error = good ? runtime_enter() : cudaErrorInvalidValue;
    size_t location = 0;
    for (size_t i = 0; error == cudaSuccess && i < count; i++) {
        while (location + 1 < numPrefetchLocs && prefetchLocIdxs[location + 1] <= i)
            location++;
        error = (cudaError_t)cuMemPrefetchAsync_v2(runtime_pointer(dptrs[i]), sizes[i],
                                                   driver_location(&prefetchLocs[location]), 0, stream);
    }
    return runtime_done(error);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize, enum cudaMemRangeAttribute attribute,
                                     const void *devPtr, size_t count)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(
        cuMemRangeGetAttribute(data, dataSize, (CUmem_range_attribute)attribute, runtime_pointer(devPtr), count));
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes, enum cudaMemRangeAttribute *attributes,
                                      size_t numAttributes, const void *devPtr, size_t count)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemRangeGetAttributes(data, dataSizes, (CUmem_range_attribute *)attributes, numAttributes,
                                           runtime_pointer(devPtr), count));
}

cudaError_t cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                     cudaStream_t stream)
{
    RUNTIME_CALL;
    if (dptrs == NULL || sizes == NULL || count == 0)
        return runtime_done(cudaErrorInvalidValue);
    RUNTIME_RETURN(cuMemDiscardBatchAsync((CUdeviceptr *)(void *)dptrs, sizes, count, flags, stream));
}

/* Contents that may be lost need not be: a prefetch is enough. */
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                                size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream)
{
    RUNTIME_CALL;
    return cudaMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
                                     stream);
}
