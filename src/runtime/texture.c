/* Textures and surfaces: the runtime's descriptions become the driver's, and back. */
#include "runtime/abi/api_texture.h"

#include <string.h>

#include "driver/abi/api_memory.h"
#include "runtime/array.h"
#include "runtime/runtime.h"

/* CU_TRSF_... */
enum { INTEGERS = 0x01, NORMALIZED = 0x02, SRGB = 0x10, TRILINEAR = 0x20, SEAMLESS = 0x40 };

/* ---- resources --------------------------------------------------------------------------------------------------- */

static cudaError_t to_driver(const struct cudaResourceDesc *from, CUDA_RESOURCE_DESC *to)
{
    *to = (CUDA_RESOURCE_DESC){.resType = (CUresourcetype)from->resType};
    switch (from->resType) {
    case cudaResourceTypeArray: to->res.array.hArray = array_handle(from->res.array.array); return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        to->res.mipmap.hMipmappedArray = (CUmipmappedArray)(void *)from->res.mipmap.mipmap;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        to->res.linear.devPtr = runtime_pointer(from->res.linear.devPtr);
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        return array_format(&from->res.linear.desc, &to->res.linear.format, &to->res.linear.numChannels);
    case cudaResourceTypePitch2D:
        to->res.pitch2D.devPtr = runtime_pointer(from->res.pitch2D.devPtr);
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        return array_format(&from->res.pitch2D.desc, &to->res.pitch2D.format, &to->res.pitch2D.numChannels);
    default: return cudaErrorInvalidValue;
    }
}

static void to_runtime(const CUDA_RESOURCE_DESC *from, struct cudaResourceDesc *to)
{
    memset(to, 0, offsetof(struct cudaResourceDesc, flags));
    to->resType = (enum cudaResourceType)from->resType;
    switch (from->resType) {
    case CU_RESOURCE_TYPE_ARRAY: to->res.array.array = (cudaArray_t)(void *)from->res.array.hArray; break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        to->res.mipmap.mipmap = (cudaMipmappedArray_t)(void *)from->res.mipmap.hMipmappedArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        to->res.linear.devPtr = (void *)(uintptr_t)from->res.linear.devPtr; /* NOLINT: a device address */
        to->res.linear.desc = array_channel(from->res.linear.format, from->res.linear.numChannels);
        to->res.linear.sizeInBytes = from->res.linear.sizeInBytes;
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        to->res.pitch2D.devPtr = (void *)(uintptr_t)from->res.pitch2D.devPtr; /* NOLINT: as above */
        to->res.pitch2D.desc = array_channel(from->res.pitch2D.format, from->res.pitch2D.numChannels);
        to->res.pitch2D.width = from->res.pitch2D.width;
        to->res.pitch2D.height = from->res.pitch2D.height;
        to->res.pitch2D.pitchInBytes = from->res.pitch2D.pitchInBytes;
        break;
    }
}

/* Finds the format of an array. False: it is none. */
static bool format_of(const CUDA_RESOURCE_DESC *resource, CUarray_format *format)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor;
    CUarray array = NULL;
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_LINEAR: *format = resource->res.linear.format; return true;
    case CU_RESOURCE_TYPE_PITCH2D: *format = resource->res.pitch2D.format; return true;
    case CU_RESOURCE_TYPE_ARRAY: array = resource->res.array.hArray; break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        if (cuMipmappedArrayGetLevel(&array, resource->res.mipmap.hMipmappedArray, 0) != CUDA_SUCCESS)
            return false;
        break;
    }
    if (cuArray3DGetDescriptor_v2(&descriptor, array) != CUDA_SUCCESS)
        return false;
    *format = descriptor.Format;
    return true;
}

/* ---- textures ---------------------------------------------------------------------------------------------------- */

/* Linear filters need floats as results, and whole numbers of 32 bits are no fractions of 1. */
static cudaError_t check_read(const CUDA_RESOURCE_DESC *resource, const struct cudaTextureDesc *texture)
{
    CUarray_format format;
    if (!format_of(resource, &format))
        return cudaSuccess; /* the driver reports the reason */
    bool floats = format == CU_AD_FORMAT_FLOAT || format == CU_AD_FORMAT_HALF;
    bool words = format == CU_AD_FORMAT_UNSIGNED_INT32 || format == CU_AD_FORMAT_SIGNED_INT32;
    if (texture->readMode == cudaReadModeNormalizedFloat && words)
        return cudaErrorInvalidNormSetting;
    if (texture->filterMode == cudaFilterModeLinear && !floats && texture->readMode == cudaReadModeElementType)
        return cudaErrorInvalidFilterSetting;
    return cudaSuccess;
}

static CUDA_TEXTURE_DESC sampler_of(const struct cudaTextureDesc *t)
{
    CUDA_TEXTURE_DESC s = {
        .filterMode = (CUfilter_mode)t->filterMode,
        .maxAnisotropy = t->maxAnisotropy,
        .mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode,
        .mipmapLevelBias = t->mipmapLevelBias,
        .minMipmapLevelClamp = t->minMipmapLevelClamp,
        .maxMipmapLevelClamp = t->maxMipmapLevelClamp,
    };
    for (int i = 0; i < 3; i++)
        s.addressMode[i] = (CUaddress_mode)t->addressMode[i];
    s.flags |= t->readMode == cudaReadModeElementType ? INTEGERS : 0;
    s.flags |= t->normalizedCoords ? NORMALIZED : 0;
    s.flags |= t->sRGB ? SRGB : 0;
    s.flags |= t->disableTrilinearOptimization ? TRILINEAR : 0;
    s.flags |= t->seamlessCubemap ? SEAMLESS : 0;
    memcpy(s.borderColor, t->borderColor, sizeof s.borderColor);
    return s;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject, const struct cudaResourceDesc *pResDesc,
                                    const struct cudaTextureDesc *pTexDesc,
                                    const struct cudaResourceViewDesc *pResViewDesc)
{
    RUNTIME_CALL;
    CUDA_RESOURCE_DESC resource;
    CUDA_RESOURCE_VIEW_DESC view;
    _Static_assert(sizeof view == sizeof *pResViewDesc, "views are the same in both interfaces");
    if (pTexObject == NULL || pResDesc == NULL || pTexDesc == NULL)
        return runtime_done(cudaErrorInvalidValue);
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = to_driver(pResDesc, &resource);
    if (error == cudaSuccess)
        error = check_read(&resource, pTexDesc);
    if (error != cudaSuccess)
        return runtime_done(error);
    CUDA_TEXTURE_DESC sampler = sampler_of(pTexDesc);
    if (pResViewDesc != NULL)
        memcpy(&view, pResViewDesc, sizeof view);
    return runtime_answer(cuTexObjectCreate(pTexObject, &resource, &sampler, pResViewDesc != NULL ? &view : NULL));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject)
{
    RUNTIME_CALL;
    if (texObject == 0)
        return runtime_done(runtime_enter());
    RUNTIME_RETURN(cuTexObjectDestroy(texObject));
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc, cudaTextureObject_t texObject)
{
    RUNTIME_CALL;
    CUDA_RESOURCE_DESC resource;
    if (pResDesc == NULL)
        return runtime_done(cudaErrorInvalidValue);
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuTexObjectGetResourceDesc(&resource, texObject);
    if (error == cudaSuccess)
        to_runtime(&resource, pResDesc);
    return runtime_done(error);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc, cudaTextureObject_t texObject)
{
    RUNTIME_CALL;
    CUDA_TEXTURE_DESC s;
    if (pTexDesc == NULL)
        return runtime_done(cudaErrorInvalidValue);
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuTexObjectGetTextureDesc(&s, texObject);
    if (error != cudaSuccess)
        return runtime_done(error);
    *pTexDesc = (struct cudaTextureDesc){
        .filterMode = (enum cudaTextureFilterMode)s.filterMode,
        .readMode = s.flags & INTEGERS ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
        .sRGB = (s.flags & SRGB) != 0,
        .normalizedCoords = (s.flags & NORMALIZED) != 0,
        .maxAnisotropy = s.maxAnisotropy,
        .mipmapFilterMode = (enum cudaTextureFilterMode)s.mipmapFilterMode,
        .mipmapLevelBias = s.mipmapLevelBias,
        .minMipmapLevelClamp = s.minMipmapLevelClamp,
        .maxMipmapLevelClamp = s.maxMipmapLevelClamp,
        .disableTrilinearOptimization = (s.flags & TRILINEAR) != 0,
        .seamlessCubemap = (s.flags & SEAMLESS) != 0,
    };
    for (int i = 0; i < 3; i++)
        pTexDesc->addressMode[i] = (enum cudaTextureAddressMode)s.addressMode[i];
    memcpy(pTexDesc->borderColor, s.borderColor, sizeof s.borderColor);
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                                 cudaTextureObject_t texObject)
{
    RUNTIME_CALL;
    RUNTIME_RETURN(cuTexObjectGetResourceViewDesc((CUDA_RESOURCE_VIEW_DESC *)(void *)pResViewDesc, texObject));
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                                 const struct cudaChannelFormatDesc *fmtDesc, int device)
{
    RUNTIME_CALL;
    CUarray_format format;
    unsigned channels;
    if (maxWidthInElements == NULL || fmtDesc == NULL)
        return runtime_done(cudaErrorInvalidValue);
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = runtime_check_device(device);
    if (error == cudaSuccess)
        error = array_format(fmtDesc, &format, &channels);
    if (error == cudaSuccess)
        *maxWidthInElements = (size_t)runtime_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, device);
    return runtime_done(error);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject, const struct cudaResourceDesc *pResDesc)
{
    RUNTIME_CALL;
    CUDA_RESOURCE_DESC resource;
    if (pSurfObject == NULL || pResDesc == NULL)
        return runtime_done(cudaErrorInvalidValue);
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = to_driver(pResDesc, &resource);
    if (error == cudaSuccess)
        error = (cudaError_t)cuSurfObjectCreate(pSurfObject, &resource);
    return runtime_done(error);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject)
{
    RUNTIME_CALL;
    if (surfObject == 0)
        return runtime_done(runtime_enter());
    RUNTIME_RETURN(cuSurfObjectDestroy(surfObject));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc, cudaSurfaceObject_t surfObject)
{
    RUNTIME_CALL;
    CUDA_RESOURCE_DESC resource;
    if (pResDesc == NULL)
        return runtime_done(cudaErrorInvalidValue);
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuSurfObjectGetResourceDesc(&resource, surfObject);
    if (error == cudaSuccess)
        to_runtime(&resource, pResDesc);
    return runtime_done(error);
}

/* ---- mipmapped arrays -------------------------------------------------------------------------------------------- */

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray, const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int numLevels, unsigned int flags)
{
    RUNTIME_CALL;
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    CUmipmappedArray made = NULL;
    if (mipmappedArray == NULL || desc == NULL)
        return runtime_done(cudaErrorInvalidValue);
    cudaError_t error = array_format(desc, &shape.Format, &shape.NumChannels);
    if (error == cudaSuccess)
        error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuMipmappedArrayCreate(&made, &shape, numLevels);
    if (error == cudaSuccess)
        *mipmappedArray = (cudaMipmappedArray_t)(void *)made;
    return runtime_done(error);
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray,
                                       unsigned int level)
{
    RUNTIME_CALL;
    CUarray array = NULL;
    if (levelArray == NULL)
        return runtime_done(cudaErrorInvalidValue);
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuMipmappedArrayGetLevel(&array, (CUmipmappedArray)(uintptr_t)mipmappedArray, level);
    if (error == cudaSuccess)
        *levelArray = (cudaArray_t)(void *)array;
    return runtime_done(error);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray)
{
    RUNTIME_CALL;
    if (mipmappedArray == NULL)
        return runtime_done(runtime_enter());
    RUNTIME_RETURN(cuMipmappedArrayDestroy((CUmipmappedArray)(void *)mipmappedArray));
}
