#include "driver/abi/api_graph.h"
#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "runtime/abi/api_device.h"
#include "runtime/abi/api_graph.h"
#include "runtime/abi/api_memory.h"
#include "runtime/images.h"
#include "runtime/runtime.h"
#include "runtime/thread.h"

/* Flags of a device: how host threads wait (bits 0 to 2), mapped host memory (always on), local memory, and
 * synchronous copies. */
enum { FLAG_MAP_HOST = 0x08, FLAGS_KNOWN = 0x9f };

cudaError_t cudaGetDeviceCount(int *count)
{
    RUNTIME_CALL;
    if (count == NULL)
        return runtime_done(cudaErrorInvalidValue);
    cudaError_t error = runtime_start();
    if (error != cudaSuccess)
        *count = 0;
    return error == cudaSuccess ? runtime_answer(cuDeviceGetCount(count)) : runtime_done(error);
}

cudaError_t cudaGetDevice(int *device)
{
    RUNTIME_CALL;
    if (device == NULL)
        return runtime_done(cudaErrorInvalidValue);
    cudaError_t error = runtime_start();
    *device = runtime_device();
    return runtime_done(error);
}

cudaError_t cudaSetDevice(int device)
{
    RUNTIME_CALL;
    cudaError_t error = runtime_check_device(device);
    if (error == cudaSuccess) {
        runtime_thread()->device = device;
        error = runtime_enter();
    }
    return runtime_done(error);
}

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
    RUNTIME_CALL;
    cudaError_t error = runtime_check_device(device);
    if (error == cudaSuccess && flags > 1) /* 1: the flags of the device are meant */
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess && flags == 1)
        error = cudaSetDeviceFlags(deviceFlags);
    CUcontext context;
    return runtime_done(error == cudaSuccess ? (cudaError_t)cuDevicePrimaryCtxRetain(&context, device) : error);
}

/* There is one device: any list that names it is as good as none. */
cudaError_t cudaSetValidDevices(int *device_arr, int len)
{
    RUNTIME_CALL;
    cudaError_t error = len < 0 || (len > 0 && device_arr == NULL) ? cudaErrorInvalidValue : cudaSuccess;
    for (int i = 0; i < len && error == cudaSuccess; i++)
        error = runtime_check_device(device_arr[i]);
    return runtime_done(error);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    RUNTIME_CALL;
    if (device == NULL || prop == NULL)
        return runtime_done(cudaErrorInvalidValue);
    *device = 0;
    return runtime_done(runtime_check_device(0));
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    RUNTIME_CALL;
    unsigned wait = flags & 7; /* automatic, spin, yield or block: one of them */
    if ((flags & ~(unsigned)FLAGS_KNOWN) != 0 || (wait != 0 && wait != 1 && wait != 2 && wait != 4))
        return runtime_done(cudaErrorInvalidValue);
    cudaError_t error = runtime_start();
    if (error == cudaSuccess)
        error = (cudaError_t)cuDevicePrimaryCtxSetFlags_v2(runtime_device(), flags & ~(unsigned)FLAG_MAP_HOST);
    return runtime_done(error);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    RUNTIME_CALL;
    if (flags == NULL)
        return runtime_done(cudaErrorInvalidValue);
    int active;
    cudaError_t error = runtime_start();
    if (error == cudaSuccess)
        error = (cudaError_t)cuDevicePrimaryCtxGetState(runtime_device(), flags, &active);
    if (error == cudaSuccess)
        *flags |= FLAG_MAP_HOST;
    return runtime_done(error);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    RUNTIME_CALL;
    cudaError_t error = value == NULL ? cudaErrorInvalidValue : runtime_check_device(device);
    if (error == cudaSuccess)
        error = (cudaError_t)cuDeviceGetAttribute(value, (CUdevice_attribute)attr, device);
    return runtime_done(error);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    RUNTIME_CALL;
    if (device == NULL || pciBusId == NULL)
        return runtime_done(cudaErrorInvalidValue);
    cudaError_t error = runtime_start();
    return runtime_done(error == cudaSuccess ? (cudaError_t)cuDeviceGetByPCIBusId(device, pciBusId) : error);
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    RUNTIME_CALL;
    cudaError_t error = pciBusId == NULL || len <= 0 ? cudaErrorInvalidValue : runtime_check_device(device);
    return runtime_done(error == cudaSuccess ? (cudaError_t)cuDeviceGetPCIBusId(pciBusId, len, device) : error);
}

cudaError_t cudaDeviceSynchronize(void)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuCtxSynchronize());
}

cudaError_t cudaDeviceReset(void)
{
    RUNTIME_CALL;
    cudaError_t error = runtime_start();
    if (error == cudaSuccess)
        error = (cudaError_t)cuDevicePrimaryCtxReset_v2(runtime_device());
    if (error == cudaSuccess) {
        images_count_reset();
        runtime_forget_error();
    }
    return runtime_done(error);
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuCtxSetLimit((CUlimit)limit, value));
}

cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuCtxGetLimit(pValue, (CUlimit)limit));
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuCtxSetCacheConfig((CUfunc_cache)cacheConfig));
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuCtxGetCacheConfig((CUfunc_cache *)pCacheConfig));
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuCtxSetSharedMemConfig((CUsharedconfig)config));
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuCtxGetSharedMemConfig((CUsharedconfig *)pConfig));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuCtxGetStreamPriorityRange(leastPriority, greatestPriority));
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuCtxResetPersistingL2Cache());
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                               enum cudaFlushGPUDirectRDMAWritesScope scope)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(
        cuFlushGPUDirectRDMAWrites((CUflushGPUDirectRDMAWritesTarget)target, (CUflushGPUDirectRDMAWritesScope)scope));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    RUNTIME_CALL;
    cudaError_t error = runtime_check_device(device);
    if (error == cudaSuccess)
        error = (cudaError_t)cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)attr, value);
    return runtime_done(error);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    RUNTIME_CALL;
    cudaError_t error = runtime_check_device(device);
    if (error == cudaSuccess)
        error = (cudaError_t)cuDeviceSetGraphMemAttribute(device, (CUgraphMem_attribute)attr, value);
    return runtime_done(error);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    RUNTIME_CALL;
    cudaError_t error = runtime_check_device(device);
    return runtime_done(error == cudaSuccess ? (cudaError_t)cuDeviceGraphMemTrim(device) : error);
}
