#include "runtime/launch.h"

#include <assert.h>
#include <limits.h>

#include "driver/abi/api_module.h"
#include "driver/abi/api_stream.h"
#include "runtime/abi/api_launch.h"
#include "runtime/abi/api_stream.h"
#include "runtime/images.h"
#include "runtime/runtime.h"

static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute), "both APIs share the attributes of a launch");

static bool fits(unsigned value, CUdevice_attribute limit, int device)
{
    return value != 0 && value <= (unsigned)runtime_attribute((int)limit, device);
}

cudaError_t launch_check(const struct launch_shape *shape)
{
    CUdevice device;
    CUresult result = cuCtxGetDevice(&device);
    if (result != CUDA_SUCCESS)
        return (cudaError_t)result;
    const dim3 *grid = &shape->grid, *block = &shape->block;
    unsigned long long threads = (unsigned long long)block->x * block->y * block->z;
    bool good = fits(grid->x, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, device) &&
                fits(grid->y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, device) &&
                fits(grid->z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, device) &&
                fits(block->x, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, device) &&
                fits(block->y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, device) &&
                fits(block->z, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, device) &&
                threads <= (unsigned)runtime_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device);
    return good ? cudaSuccess : cudaErrorInvalidConfiguration;
}

cudaError_t launch(CUkernel kernel, const struct launch_shape *shape, void **arguments)
{
    cudaError_t error = launch_check(shape);
    if (error != cudaSuccess)
        return error;
    if (shape->shared > UINT_MAX)
        return cudaErrorInvalidValue;
    const dim3 *grid = &shape->grid, *block = &shape->block;
    CUfunction function = (CUfunction)(void *)kernel; /* the driver takes kernels for functions here */
    unsigned shared = (unsigned)shape->shared;
    if (shape->cooperative)
        return (cudaError_t)cuLaunchCooperativeKernel(function, grid->x, grid->y, grid->z, block->x, block->y, block->z,
                                                      shared, shape->stream, arguments);
    return (cudaError_t)cuLaunchKernel(function, grid->x, grid->y, grid->z, block->x, block->y, block->z, shared,
                                       shape->stream, arguments, NULL);
}

static cudaError_t launch_host(const void *func, const struct launch_shape *shape, void **args)
{
    CUkernel kernel;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = images_kernel(func, &kernel);
    return runtime_done(error == cudaSuccess ? launch(kernel, shape, args) : error);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                             cudaStream_t stream)
{
    RUNTIME_CALL;
    struct launch_shape shape = {.grid = gridDim, .block = blockDim, .shared = sharedMem, .stream = stream};
    return launch_host(func, &shape, args);
}

cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                        cudaStream_t stream)
{
    RUNTIME_CALL;
    struct launch_shape shape = {
        .grid = gridDim, .block = blockDim, .shared = sharedMem, .stream = stream, .cooperative = true};
    return launch_host(func, &shape, args);
}

CUlaunchConfig launch_config(const cudaLaunchConfig_t *config)
{
    return (CUlaunchConfig){
        .gridDimX = config->gridDim.x,
        .gridDimY = config->gridDim.y,
        .gridDimZ = config->gridDim.z,
        .blockDimX = config->blockDim.x,
        .blockDimY = config->blockDim.y,
        .blockDimZ = config->blockDim.z,
        .sharedMemBytes = (unsigned)config->dynamicSmemBytes,
        .hStream = config->stream,
        .attrs = (CUlaunchAttribute *)(void *)config->attrs,
        .numAttrs = config->numAttrs,
    };
}

static cudaError_t launch_extended(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    CUkernel kernel;
    if (config == NULL || config->dynamicSmemBytes > UINT_MAX || (config->numAttrs > 0 && config->attrs == NULL))
        return cudaErrorInvalidValue;
    struct launch_shape shape = {.grid = config->gridDim, .block = config->blockDim};
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = images_kernel(func, &kernel);
    if (error == cudaSuccess)
        error = launch_check(&shape);
    if (error != cudaSuccess)
        return error;
    CUlaunchConfig launched = launch_config(config);
    return (cudaError_t)cuLaunchKernelEx(&launched, (CUfunction)(void *)kernel, args, NULL);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    RUNTIME_CALL;
    return runtime_done(launch_extended(config, func, args));
}

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    RUNTIME_CALL;
    if (config == NULL)
        return runtime_done(cudaErrorInvalidValue);
    cudaLaunchConfig_t own = *config;
    own.stream = runtime_own(config->stream);
    return runtime_done(launch_extended(&own, func, args));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    RUNTIME_CALL;
    cudaError_t error = runtime_enter();
    return runtime_done(error == cudaSuccess ? (cudaError_t)cuLaunchHostFunc(stream, fn, userData) : error);
}
