/* Queries of the device. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "driver/abi/api_device.h"
#include "driver/state/call.h"

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

static CUresult get_uuid(struct call *call, CUresult result, CUuuid *uuid)
{
    if (result == CUDA_SUCCESS)
        *uuid = call->driver->device.uuid;
    return call_end(call, result);
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    struct call call;
    return get_uuid(&call, begin(&call, __func__, dev, uuid), uuid);
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
    struct call call;
    return get_uuid(&call, begin(&call, __func__, dev, uuid), uuid);
}

/* A name of devices on Windows. */
CUresult cuDeviceGetLuid(char *luid, unsigned int *deviceNodeMask, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev, luid && deviceNodeMask ? luid : NULL);
    return call_end(&call, result == CUDA_SUCCESS ? CUDA_ERROR_NOT_SUPPORTED : result);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev, bytes);
    if (result == CUDA_SUCCESS)
        *bytes = device_memory_bytes(&call.driver->device);
    return call_end(&call, result);
}

/* The form of 32-bit programs. */
CUresult cuDeviceTotalMem(unsigned int *bytes, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev, bytes);
    if (result == CUDA_SUCCESS) {
        size_t all = device_memory_bytes(&call.driver->device);
        *bytes = all > UINT_MAX ? UINT_MAX : (unsigned)all;
    }
    return call_end(&call, result);
}

static int attribute_of(const struct call *call, CUdevice_attribute attribute)
{
    int value;
    device_attribute(&call->driver->device, attribute, &value);
    return value;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev, major && minor ? major : NULL);
    if (result == CUDA_SUCCESS) {
        *major = attribute_of(&call, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
        *minor = attribute_of(&call, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    }
    return call_end(&call, result);
}

CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev, prop);
    if (result == CUDA_SUCCESS)
        *prop = (CUdevprop){
            .maxThreadsPerBlock = attribute_of(&call, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
            .maxThreadsDim = {attribute_of(&call, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                              attribute_of(&call, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                              attribute_of(&call, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
            .maxGridSize = {attribute_of(&call, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                            attribute_of(&call, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                            attribute_of(&call, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
            .sharedMemPerBlock = attribute_of(&call, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
            .totalConstantMemory = attribute_of(&call, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
            .SIMDWidth = attribute_of(&call, CU_DEVICE_ATTRIBUTE_WARP_SIZE),
            .memPitch = attribute_of(&call, CU_DEVICE_ATTRIBUTE_MAX_PITCH),
            .regsPerBlock = attribute_of(&call, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
            .clockRate = attribute_of(&call, CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
            .textureAlign = attribute_of(&call, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT),
        };
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

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev, pciBusId);
    if (result == CUDA_SUCCESS && len <= 0)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        snprintf(pciBusId, (size_t)len, "0000:%02x:00.0", DEVICE_PCI_BUS);
    return call_end(&call, result);
}

/* "domain:bus:device.function", "domain:bus:device" or "bus:device.function", all in hexadecimal digits. */
static CUresult parse_bus_id(const char *text, bool *ours)
{
    unsigned domain = 0, bus = 0, device = 0, function = 0;
    int end = 0;
    size_t length = strlen(text);
    bool parsed = (sscanf(text, "%x:%x:%x.%x%n", &domain, &bus, &device, &function, &end) == 4 && end == (int)length) ||
                  (sscanf(text, "%x:%x:%x%n", &domain, &bus, &device, &end) == 3 && end == (int)length);
    if (!parsed) {
        domain = 0;
        parsed = sscanf(text, "%x:%x.%x%n", &bus, &device, &function, &end) == 3 && end == (int)length;
    }
    *ours = domain == 0 && bus == DEVICE_PCI_BUS && device == 0 && function == 0;
    return parsed && length < 32 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
    struct call call;
    bool ours = false;
    CUresult result = begin(&call, __func__, 0, dev && pciBusId ? pciBusId : NULL);
    if (result == CUDA_SUCCESS)
        result = parse_bus_id(pciBusId, &ours);
    if (result == CUDA_SUCCESS && !ours)
        result = CUDA_ERROR_INVALID_DEVICE;
    if (result == CUDA_SUCCESS)
        *dev = 0;
    return call_end(&call, result);
}

CUresult cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev, pi);
    if (result == CUDA_SUCCESS && type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *pi = 0;
    return call_end(&call, result);
}
