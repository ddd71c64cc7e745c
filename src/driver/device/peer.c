/* Functions about several devices, of which there is one, and about those that write to it from outside. */
#include <string.h>

#include "driver/abi/api_device.h"
#include "driver/state/call.h"
#include "driver/state/context.h"

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && !canAccessPeer)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && (dev != 0 || peerDev != 0))
        result = CUDA_ERROR_INVALID_DEVICE;
    if (result == CUDA_SUCCESS)
        *canAccessPeer = 0; /* a device is no peer of itself */
    return call_end(&call, result);
}

/* The two devices have to differ. */
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice)
{
    (void)srcDevice, (void)dstDevice;
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    bool known = attrib >= CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK &&
                 attrib <= CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED;
    if (result == CUDA_SUCCESS)
        result = value && known ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}

/* Atomic operations on memory at the other end of a link: there are none. */
static CUresult no_atomics(unsigned *capabilities, const CUatomicOperation *operations, unsigned count)
{
    if (!capabilities || !operations || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; ++i)
        if ((unsigned)operations[i] >= CU_ATOMIC_OPERATION_MAX)
            return CUDA_ERROR_INVALID_VALUE;
    memset(capabilities, 0, count * sizeof *capabilities);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetHostAtomicCapabilities(unsigned int *capabilities, const CUatomicOperation *operations,
                                           unsigned int count, CUdevice dev)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && dev != 0)
        result = CUDA_ERROR_INVALID_DEVICE;
    if (result == CUDA_SUCCESS)
        result = no_atomics(capabilities, operations, count);
    return call_end(&call, result);
}

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned int *capabilities, const CUatomicOperation *operations,
                                          unsigned int count, CUdevice srcDevice, CUdevice dstDevice)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_INITIALISED);
    if (result == CUDA_SUCCESS && (srcDevice != 0 || dstDevice != 0))
        result = CUDA_ERROR_INVALID_DEVICE;
    if (result == CUDA_SUCCESS)
        result = no_atomics(capabilities, operations, count);
    return call_end(&call, result);
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && Flags != 0)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = context_lives(call.driver, peerContext) && peerContext != call.context
                     ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
                     : CUDA_ERROR_INVALID_CONTEXT;
    return call_end(&call, result);
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result =
            context_lives(call.driver, peerContext) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : CUDA_ERROR_INVALID_CONTEXT;
    return call_end(&call, result);
}

CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    bool known =
        target == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX &&
        (scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER || scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES);
    if (result == CUDA_SUCCESS)
        result = known ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}
