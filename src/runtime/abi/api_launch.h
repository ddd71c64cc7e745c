/* Functions of the runtime API: kernels, symbols, libraries, launches, occupancy. With _ptsz or _ptds no
 * stream is the thread's own. */
#ifndef SUBCORE_RUNTIME_ABI_API_LAUNCH_H
#define SUBCORE_RUNTIME_ABI_API_LAUNCH_H

#include "runtime/abi/device.h"
#include "runtime/abi/export.h"
#include "runtime/abi/launch.h"

RUNTIME_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func);
RUNTIME_API cudaError_t cudaFuncGetName(const char **name, const void *func);
RUNTIME_API cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                                             size_t *paramSize);
RUNTIME_API cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value);
RUNTIME_API cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig);
RUNTIME_API cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config);
RUNTIME_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr);
RUNTIME_API cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr);
RUNTIME_API cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol);
RUNTIME_API cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol);
RUNTIME_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr, int value,
                                                        int device);
RUNTIME_API cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                                    size_t sharedMem, cudaStream_t stream);
RUNTIME_API cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                                         size_t sharedMem, cudaStream_t stream);
RUNTIME_API cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                         cudaStream_t stream);
RUNTIME_API cudaError_t cudaLaunchKernel_ptsz(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                                              size_t sharedMem, cudaStream_t stream);
RUNTIME_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args);
RUNTIME_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func, void **args);
RUNTIME_API cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels, cudaLibrary_t lib);
RUNTIME_API cudaError_t cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name);
RUNTIME_API cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name);
RUNTIME_API cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib);
RUNTIME_API cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name);
RUNTIME_API cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jitOptions,
                                            void **jitOptionsValues, unsigned int numJitOptions,
                                            enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
                                            unsigned int numLibraryOptions);
RUNTIME_API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                                                enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                                unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions,
                                                void **libraryOptionValues, unsigned int numLibraryOptions);
RUNTIME_API cudaError_t cudaLibraryUnload(cudaLibrary_t library);
RUNTIME_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func,
                                                                  int numBlocks, int blockSize);
RUNTIME_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func, int blockSize,
                                                                      size_t dynamicSMemSize);
RUNTIME_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func,
                                                                               int blockSize, size_t dynamicSMemSize,
                                                                               unsigned int flags);
RUNTIME_API cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                                       const cudaLaunchConfig_t *launchConfig);
RUNTIME_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                             const cudaLaunchConfig_t *launchConfig);

#endif
