#include "driver/abi/api_device.h"
#include "runtime/images.h"
#include "runtime/runtime.h"
#include "runtime/thread.h"

/* cuInit may be called any number of times and from any thread. The driver keeps its result. */
cudaError_t runtime_start(void) { return (cudaError_t)cuInit(0); }

/* A thread whose context was reset since its last call has to activate it again. */
static cudaError_t take_primary(CUcontext current)
{
    CUcontext primary = NULL;
    CUdevice device;
    unsigned resets = images_resets();
    images_watch_exit();
    CUresult result = cuDeviceGet(&device, runtime_device());
    if (result == CUDA_SUCCESS)
        result = cuDevicePrimaryCtxRetain(&primary, device);
    if (result == CUDA_SUCCESS && (current == NULL || current == primary))
        result = cuCtxSetCurrent(primary);
    if (result == CUDA_SUCCESS)
        runtime_thread()->resets = resets;
    return (cudaError_t)result;
}

cudaError_t runtime_enter(void)
{
    CUcontext current = NULL;
    if (cuCtxGetCurrent(&current) != CUDA_SUCCESS) {
        cudaError_t error = runtime_start();
        if (error != cudaSuccess)
            return error;
    }
    if (current != NULL && runtime_thread()->resets == images_resets())
        return cudaSuccess;
    return take_primary(current);
}

CUcontext runtime_context(void)
{
    CUcontext context = NULL;
    return cuCtxGetCurrent(&context) == CUDA_SUCCESS ? context : NULL;
}

cudaError_t runtime_check_device(int device)
{
    int count = 0;
    cudaError_t error = runtime_start();
    if (error == cudaSuccess)
        error = (cudaError_t)cuDeviceGetCount(&count);
    if (error == cudaSuccess && (device < 0 || device >= count))
        error = cudaErrorInvalidDevice;
    return error;
}

int runtime_attribute(int attribute, int device)
{
    int value = 0;
    return cuDeviceGetAttribute(&value, (CUdevice_attribute)attribute, device) == CUDA_SUCCESS ? value : 0;
}
