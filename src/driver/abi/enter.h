/* The way of the libraries above the driver API to a context. */
#ifndef SUBCORE_DRIVER_ABI_ENTER_H
#define SUBCORE_DRIVER_ABI_ENTER_H

#include <stdbool.h>
#include <stddef.h>

#include "driver/abi/api_device.h"

/* Makes a context current: the thread's own, or else the primary one of the first device. Writes its device. Returns
 * false when there is none. */
static inline bool abi_enter(CUdevice *device)
{
    CUcontext context = NULL;
    if (cuInit(0) != CUDA_SUCCESS || cuCtxGetCurrent(&context) != CUDA_SUCCESS)
        return false;
    if (context == NULL &&
        (cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS || cuCtxSetCurrent(context) != CUDA_SUCCESS))
        return false;
    return cuCtxGetDevice(device) == CUDA_SUCCESS;
}

#endif
