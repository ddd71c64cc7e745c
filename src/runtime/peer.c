#include "runtime/abi/api_device.h"
#include "runtime/runtime.h"

static cudaError_t check_pair(int one, int other)
{
    cudaError_t error = runtime_check_device(one);
    return error == cudaSuccess ? runtime_check_device(other) : error;
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
    RUNTIME_CALL;
    cudaError_t error = canAccessPeer == NULL ? cudaErrorInvalidValue : check_pair(device, peerDevice);
    if (error == cudaSuccess)
        error = (cudaError_t)cuDeviceCanAccessPeer(canAccessPeer, device, peerDevice);
    return runtime_done(error);
}

static cudaError_t peer_context(int device, CUcontext *context)
{
    cudaError_t error = runtime_check_device(device);
    if (error == cudaSuccess)
        error = runtime_enter();
    return error == cudaSuccess ? (cudaError_t)cuDevicePrimaryCtxRetain(context, device) : error;
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    RUNTIME_CALL;
    CUcontext context;
    cudaError_t error = flags != 0 ? cudaErrorInvalidValue : peer_context(peerDevice, &context);
    if (error == cudaSuccess && peerDevice == runtime_device())
        error = cudaErrorInvalidDevice;
    return runtime_done(error == cudaSuccess ? (cudaError_t)cuCtxEnablePeerAccess(context, flags) : error);
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
    RUNTIME_CALL;
    CUcontext context;
    cudaError_t error = peer_context(peerDevice, &context);
    if (error == cudaSuccess && peerDevice == runtime_device())
        error = cudaErrorPeerAccessNotEnabled;
    return runtime_done(error == cudaSuccess ? (cudaError_t)cuCtxDisablePeerAccess(context) : error);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice)
{
    RUNTIME_CALL;
    cudaError_t error = value == NULL ? cudaErrorInvalidValue : check_pair(srcDevice, dstDevice);
    if (error == cudaSuccess && srcDevice == dstDevice)
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        error = (cudaError_t)cuDeviceGetP2PAttribute(value, (CUdevice_P2PAttribute)attr, srcDevice, dstDevice);
    return runtime_done(error);
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities, const enum cudaAtomicOperation *operations,
                                               unsigned int count, int srcDevice, int dstDevice)
{
    RUNTIME_CALL;
    cudaError_t error = check_pair(srcDevice, dstDevice);
    if (error == cudaSuccess)
        error = (cudaError_t)cuDeviceGetP2PAtomicCapabilities(capabilities, (const CUatomicOperation *)operations,
                                                              count, srcDevice, dstDevice);
    return runtime_done(error);
}

cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities, const enum cudaAtomicOperation *operations,
                                                unsigned int count, int device)
{
    RUNTIME_CALL;
    cudaError_t error = runtime_check_device(device);
    if (error == cudaSuccess)
        error = (cudaError_t)cuDeviceGetHostAtomicCapabilities(capabilities, (const CUatomicOperation *)operations,
                                                               count, device);
    return runtime_done(error);
}
