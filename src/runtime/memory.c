#include "driver/abi/api_memory.h"
#include "runtime/abi/api_memory.h"
#include "runtime/runtime.h"

/* An allocation of nothing gives NULL and succeeds. */

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    RUNTIME_CALL;
    if (devPtr == NULL)
        return runtime_done(cudaErrorInvalidValue);
    *devPtr = NULL;
    CUdeviceptr address = 0;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess && size > 0)
        error = (cudaError_t)cuMemAlloc_v2(&address, size);
    if (error == cudaSuccess)
        *devPtr = (void *)(uintptr_t)address;
    return runtime_done(error);
}

cudaError_t cudaFree(void *devPtr)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemFree_v2(runtime_pointer(devPtr)));
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    RUNTIME_CALL;
    if (pHost == NULL)
        return runtime_done(cudaErrorInvalidValue);
    *pHost = NULL;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess && size > 0)
        error = (cudaError_t)cuMemHostAlloc(pHost, size, flags);
    return runtime_done(error);
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    RUNTIME_CALL;
    return cudaHostAlloc(ptr, size, 0);
}

cudaError_t cudaFreeHost(void *ptr)
{
    RUNTIME_CALL;
    if (ptr == NULL)
        return runtime_done(runtime_enter());
    RUNTIME_RETURN(cuMemFreeHost(ptr));
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemHostRegister_v2(ptr, size, flags));
}

cudaError_t cudaHostUnregister(void *ptr)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemHostUnregister(ptr));
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
    RUNTIME_CALL;
    if (pDevice == NULL)
        return runtime_done(cudaErrorInvalidValue);
    CUdeviceptr address = 0;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuMemHostGetDevicePointer_v2(&address, pHost, flags);
    *pDevice = (void *)(uintptr_t)address;
    return runtime_done(error);
}

cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemHostGetFlags(pFlags, pHost));
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    RUNTIME_CALL;
    if (devPtr == NULL)
        return runtime_done(cudaErrorInvalidValue);
    CUdeviceptr address = 0;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuMemAllocManaged(&address, size, flags);
    if (error == cudaSuccess)
        *devPtr = (void *)(uintptr_t)address;
    return runtime_done(error);
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    RUNTIME_CALL;
    enum { ELEMENT = 4 }; /* bytes that a thread reads at once: decides nothing on devices of today */
    if (devPtr == NULL || pitch == NULL)
        return runtime_done(cudaErrorInvalidValue);
    *devPtr = NULL;
    *pitch = 0;
    CUdeviceptr address = 0;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess && width > 0 && height > 0)
        error = (cudaError_t)cuMemAllocPitch_v2(&address, pitch, width, height, ELEMENT);
    if (error == cudaSuccess)
        *devPtr = (void *)(uintptr_t)address;
    return runtime_done(error);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
    RUNTIME_CALL;
    size_t rows;
    if (pitchedDevPtr == NULL || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return runtime_done(cudaErrorInvalidValue);
    *pitchedDevPtr = (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return cudaMallocPitch(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows);
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemGetInfo_v2(free, total));
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream)
{
    RUNTIME_CALL;
    if (devPtr == NULL)
        return runtime_done(cudaErrorInvalidValue);
    CUdeviceptr address = 0;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess && size > 0)
        error = (cudaError_t)cuMemAllocAsync(&address, size, hStream);
    if (error == cudaSuccess)
        *devPtr = (void *)(uintptr_t)address;
    return runtime_done(error);
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream)
{
    RUNTIME_CALL;
    if (ptr == NULL)
        return runtime_done(cudaErrorInvalidValue);
    CUdeviceptr address = 0;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess && size > 0)
        error = (cudaError_t)cuMemAllocFromPoolAsync(&address, size, memPool, stream);
    if (error == cudaSuccess)
        *ptr = (void *)(uintptr_t)address;
    return runtime_done(error);
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuMemFreeAsync(runtime_pointer(devPtr), hStream));
}
