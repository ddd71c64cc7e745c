/* Functions by which nvcc's host code registers and launches (crt/host_runtime.h is its contract). */
#ifndef SUBCORE_RUNTIME_ABI_API_COMPILER_H
#define SUBCORE_RUNTIME_ABI_API_COMPILER_H

#include "runtime/abi/export.h"
#include "runtime/abi/launch.h"

struct uint3;

RUNTIME_API void **__cudaRegisterFatBinary(void *wrapper);
RUNTIME_API void __cudaRegisterFatBinaryEnd(void **image);
RUNTIME_API void __cudaUnregisterFatBinary(void **image);
RUNTIME_API void __cudaRegisterFunction(void **image, const char *host, char *device, const char *name,
                                        int thread_limit, struct uint3 *tid, struct uint3 *bid, dim3 *block, dim3 *grid,
                                        int *warp_size);
RUNTIME_API void __cudaRegisterVar(void **image, char *host, char *device, const char *name, int external, size_t size,
                                   int constant, int global);
RUNTIME_API void __cudaRegisterManagedVar(void **image, void **host, char *device, const char *name, int external,
                                          size_t size, int constant, int global);
RUNTIME_API char __cudaInitModule(void **image);
RUNTIME_API unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
RUNTIME_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
RUNTIME_API cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
RUNTIME_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                           cudaStream_t stream);
RUNTIME_API cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                                size_t shared, cudaStream_t stream);

#endif
