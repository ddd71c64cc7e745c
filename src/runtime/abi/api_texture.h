/* Functions of the runtime API: textures, surfaces, mipmapped arrays. */
#ifndef SUBCORE_RUNTIME_ABI_API_TEXTURE_H
#define SUBCORE_RUNTIME_ABI_API_TEXTURE_H

#include "runtime/abi/error.h"
#include "runtime/abi/export.h"
#include "runtime/abi/texture.h"

RUNTIME_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                                                const struct cudaResourceDesc *pResDesc);
RUNTIME_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                                                const struct cudaResourceDesc *pResDesc,
                                                const struct cudaTextureDesc *pTexDesc,
                                                const struct cudaResourceViewDesc *pResViewDesc);
RUNTIME_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject);
RUNTIME_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject);
RUNTIME_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                                             const struct cudaChannelFormatDesc *fmtDesc, int device);
RUNTIME_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray);
RUNTIME_API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray,
                                                   unsigned int level);
RUNTIME_API cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                                         cudaSurfaceObject_t surfObject);
RUNTIME_API cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                                         cudaTextureObject_t texObject);
RUNTIME_API cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                                             cudaTextureObject_t texObject);
RUNTIME_API cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
                                                        cudaTextureObject_t texObject);
RUNTIME_API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                                 const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                                                 unsigned int numLevels, unsigned int flags);

#endif
