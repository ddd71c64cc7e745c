#include <stdio.h>

#include "driver/abi/api_module.h"
#include "runtime/abi/api_compiler.h"
#include "runtime/abi/api_device.h"
#include "runtime/images.h"
#include "runtime/launch.h"
#include "runtime/runtime.h"
#include "runtime/thread.h"

/* The host code of nvcc registers its images before main and launches by these functions. The contract is in the
 * toolkit's public headers crt/host_runtime.h and crt/device_functions.h. */

void **__cudaRegisterFatBinary(void *wrapper) { return (void **)image_add(wrapper); }

void __cudaRegisterFatBinaryEnd(void **image) { (void)image; }

void __cudaUnregisterFatBinary(void **image)
{
    if (image != NULL)
        image_remove((struct image *)image);
}

void __cudaRegisterFunction(void **image, const char *host, char *device, const char *name, int thread_limit,
                            struct uint3 *tid, struct uint3 *bid, dim3 *block, dim3 *grid, int *warp_size)
{
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    image_add_function((struct image *)image, host, name);
}

void __cudaRegisterVar(void **image, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global)
{
    (void)device, (void)external, (void)constant, (void)global;
    image_add_variable((struct image *)image, host, name, size);
}

void __cudaRegisterManagedVar(void **image, void **host, char *device, const char *name, int external, size_t size,
                              int constant, int global)
{
    (void)device, (void)external, (void)constant, (void)global;
    image_add_managed((struct image *)image, host, name, size);
}

/* Host code calls this before it first touches a managed variable. */
char __cudaInitModule(void **image)
{
    cudaError_t error = image == NULL ? cudaErrorInvalidResourceHandle : runtime_enter();
    if (error == cudaSuccess)
        error = image_load((struct image *)image);
    /* The caller goes on, whatever the answer. */
    if (error != cudaSuccess)
        fprintf(stderr, "subcore: error %d (%s): no managed variables, their image could not be loaded\n", (int)error,
                cudaGetErrorName(error));
    return runtime_done(error) == cudaSuccess;
}

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    struct runtime_thread *thread = runtime_thread();
    if (thread->depth == CONFIGURATIONS)
        return (unsigned)runtime_done(cudaErrorLaunchOutOfResources);
    thread->configurations[thread->depth++] =
        (struct configuration){.grid = grid, .block = block, .shared = shared, .stream = stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    struct runtime_thread *thread = runtime_thread();
    if (thread->depth == 0)
        return runtime_done(cudaErrorMissingConfiguration);
    const struct configuration *top = &thread->configurations[--thread->depth];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
    cudaError_t error = kernel == NULL ? cudaErrorInvalidValue : runtime_enter();
    return runtime_done(error == cudaSuccess ? images_kernel(host, kernel) : error);
}

/* Host code keeps the answer of __cudaGetKernel, also a NULL. */
static cudaError_t launch_kernel(cudaKernel_t kernel, const struct launch_shape *shape, void **arguments)
{
    return kernel == NULL ? images_missing_kernel() : launch(kernel, shape, arguments);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream)
{
    RUNTIME_CALL_AS("cudaLaunchKernel");
    struct launch_shape shape = {.grid = grid, .block = block, .shared = shared, .stream = stream};
    cudaError_t error = runtime_enter();
    return runtime_done(error == cudaSuccess ? launch_kernel(kernel, &shape, arguments) : error);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                    cudaStream_t stream)
{
    RUNTIME_CALL_AS("cudaLaunchKernel_ptsz");
    return __cudaLaunchKernel(kernel, grid, block, arguments, shared, runtime_own(stream));
}
