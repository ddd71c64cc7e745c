/* Functions of the runtime API: memory. With _ptsz or _ptds no stream is the thread's own. */
#ifndef SUBCORE_RUNTIME_ABI_API_MEMORY_H
#define SUBCORE_RUNTIME_ABI_API_MEMORY_H

#include "runtime/abi/export.h"
#include "runtime/abi/launch.h"
#include "runtime/abi/memory.h"

RUNTIME_API cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                                         unsigned int *flags, cudaArray_t array);
RUNTIME_API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                               enum cudaChannelFormatKind f);
RUNTIME_API cudaError_t cudaFree(void *devPtr);
RUNTIME_API cudaError_t cudaFreeArray(cudaArray_t array);
RUNTIME_API cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream);
RUNTIME_API cudaError_t cudaFreeAsync_ptsz(void *devPtr, cudaStream_t hStream);
RUNTIME_API cudaError_t cudaFreeHost(void *ptr);
RUNTIME_API cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);
RUNTIME_API cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags);
RUNTIME_API cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags);
RUNTIME_API cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost);
RUNTIME_API cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags);
RUNTIME_API cudaError_t cudaHostUnregister(void *ptr);
RUNTIME_API cudaError_t cudaMalloc(void **devPtr, size_t size);
RUNTIME_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent);
RUNTIME_API cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                          struct cudaExtent extent, unsigned int flags);
RUNTIME_API cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                                        size_t height, unsigned int flags);
RUNTIME_API cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream);
RUNTIME_API cudaError_t cudaMallocAsync_ptsz(void **devPtr, size_t size, cudaStream_t hStream);
RUNTIME_API cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream);
RUNTIME_API cudaError_t cudaMallocFromPoolAsync_ptsz(void **ptr, size_t size, cudaMemPool_t memPool,
                                                     cudaStream_t stream);
RUNTIME_API cudaError_t cudaMallocHost(void **ptr, size_t size);
RUNTIME_API cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags);
RUNTIME_API cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height);
RUNTIME_API cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                                      struct cudaMemLocation location);
RUNTIME_API cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                                 enum cudaMemAllocationType type);
RUNTIME_API cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
RUNTIME_API cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                          enum cudaMemAllocationType type);
RUNTIME_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps);
RUNTIME_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool);
RUNTIME_API cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                             struct cudaMemLocation *location);
RUNTIME_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value);
RUNTIME_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList,
                                             size_t count);
RUNTIME_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value);
RUNTIME_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep);
RUNTIME_API cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize, enum cudaMemRangeAttribute attribute,
                                                 const void *devPtr, size_t count);
RUNTIME_API cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                                  enum cudaMemRangeAttribute *attributes, size_t numAttributes,
                                                  const void *devPtr, size_t count);
RUNTIME_API cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                                          cudaMemPool_t memPool);
RUNTIME_API cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr);

#endif
