/* What programs ask of the device. */
#include <string.h>

#include "driver/abi/api_device.h"
#include "driver/call.h"

/* All of these take a device and one address to write to. */
static CUresult begin(struct call *call, const char *name, CUdevice dev, const void *answer)
{
    CUresult result = call_begin(call, name, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && !answer)
        result = CUDA_ERROR_INVALID_VALUE;
    return result == CUDA_SUCCESS && dev != 0 ? CUDA_ERROR_INVALID_DEVICE : result;
}

CUresult cuDeviceGetCount(int *count)
{
    struct call call;
    CUresult result = begin(&call, __func__, 0, count);
    if (result == CUDA_SUCCESS)
        *count = 1;
    return call_end(&call, result);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    struct call call;
    CUresult result = begin(&call, __func__, ordinal, device);
    if (result == CUDA_SUCCESS)
        *device = ordinal;
    return call_end(&call, result);
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev, name);
    if (result == CUDA_SUCCESS && len <= 0)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        snprintf(name, (size_t)len, "%s", call.driver->device.config.gpu.name);
    return call_end(&call, result);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev, bytes);
    if (result == CUDA_SUCCESS)
        *bytes = device_memory_bytes(&call.driver->device);
    return call_end(&call, result);
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev, major && minor ? major : NULL);
    if (result == CUDA_SUCCESS) {
        *major = (int)call.driver->device.config.gpu.architecture / 10;
        *minor = (int)call.driver->device.config.gpu.architecture % 10;
    }
    return call_end(&call, result);
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev, pi);
    if (result == CUDA_SUCCESS && !device_attribute(&call.driver->device, attrib, pi))
        result = CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}
