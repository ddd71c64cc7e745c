/* The primary context: one for the device, shared by all that retain it. */
#include "driver/abi/api_device.h"
#include "driver/device/context_clear.h"
#include "driver/state/call.h"
#include "driver/state/context.h"

static CUresult begin(struct call *call, const char *name, CUdevice dev)
{
    CUresult result = call_begin(call, name, CALL_INITIALISED);
    return result == CUDA_SUCCESS && dev != 0 ? CUDA_ERROR_INVALID_DEVICE : result;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev);
    struct CUctx_st *primary = call.driver->primary;
    if (result == CUDA_SUCCESS && !pctx)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && !primary->active)
        result = context_start(primary);
    if (result == CUDA_SUCCESS) {
        ++primary->retained;
        *pctx = primary;
    }
    return call_end(&call, result);
}

static CUresult release(const char *name, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, name, dev);
    struct CUctx_st *primary = call.driver->primary;
    if (result == CUDA_SUCCESS && primary->retained == 0)
        result = CUDA_ERROR_INVALID_CONTEXT;
    if (result == CUDA_SUCCESS && --primary->retained == 0 && primary->active)
        context_clear(primary);
    return call_end(&call, result);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev) { return release(__func__, dev); }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev) { return release(__func__, dev); }

/* Those that have retained it still release it later. */
static CUresult reset(const char *name, CUdevice dev)
{
    struct call call;
    CUresult result = begin(&call, name, dev);
    if (result == CUDA_SUCCESS && call.driver->primary->active)
        context_clear(call.driver->primary);
    return call_end(&call, result);
}

CUresult cuDevicePrimaryCtxReset(CUdevice dev) { return reset(__func__, dev); }
CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev) { return reset(__func__, dev); }

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev);
    if (result == CUDA_SUCCESS && (!flags || !active))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        *flags = call.driver->primary->flags;
        *active = call.driver->primary->active;
    }
    return call_end(&call, result);
}

/* The form before CUDA 11. */
CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int flags)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev);
    if (result == CUDA_SUCCESS && !context_flags_known(flags))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && call.driver->primary->active && flags != call.driver->primary->flags)
        result = CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE;
    if (result == CUDA_SUCCESS)
        call.driver->primary->flags = flags;
    return call_end(&call, result);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
    struct call call;
    CUresult result = begin(&call, __func__, dev);
    if (result == CUDA_SUCCESS && !context_flags_known(flags))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        call.driver->primary->flags = flags;
    return call_end(&call, result);
}
