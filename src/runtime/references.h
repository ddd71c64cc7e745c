/* Texture and surface references of CUDA 11 and before: functions and structures as the headers of CUDA 11.8 have them
 * (cuda_runtime_api.h, texture_types.h, surface_types.h, crt/host_runtime.h). Later toolkits have none of them. */
#ifndef SUBCORE_RUNTIME_REFERENCES_H
#define SUBCORE_RUNTIME_REFERENCES_H

#include "runtime/abi/error.h"
#include "runtime/abi/export.h"
#include "runtime/abi/texture.h"

struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int reserved[14];
};

struct surfaceReference {
    struct cudaChannelFormatDesc channelDesc;
};

RUNTIME_API void __cudaRegisterTexture(void **image, const struct textureReference *host, const void **device,
                                       const char *name, int dimensions, int fractions, int external);
RUNTIME_API void __cudaRegisterSurface(void **image, const struct surfaceReference *host, const void **device,
                                       const char *name, int dimensions, int external);
RUNTIME_API cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texref, const void *devPtr,
                                        const struct cudaChannelFormatDesc *desc, size_t size);
RUNTIME_API cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texref, const void *devPtr,
                                          const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                                          size_t pitch);
RUNTIME_API cudaError_t cudaBindTextureToArray(const struct textureReference *texref, cudaArray_const_t array,
                                               const struct cudaChannelFormatDesc *desc);
RUNTIME_API cudaError_t cudaBindTextureToMipmappedArray(const struct textureReference *texref,
                                                        cudaMipmappedArray_const_t mipmappedArray,
                                                        const struct cudaChannelFormatDesc *desc);
RUNTIME_API cudaError_t cudaUnbindTexture(const struct textureReference *texref);
RUNTIME_API cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texref);
RUNTIME_API cudaError_t cudaGetTextureReference(const struct textureReference **texref, const void *symbol);
RUNTIME_API cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surfref, cudaArray_const_t array,
                                               const struct cudaChannelFormatDesc *desc);
RUNTIME_API cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surfref, const void *symbol);

#endif
