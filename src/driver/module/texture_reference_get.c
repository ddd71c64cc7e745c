/* The properties of texture references that programs query. */
#include <string.h>

#include "driver/abi/api_module.h"
#include "driver/module/reference.h"

static bool is_bound(const struct reference *r, CUresourcetype type) { return r->bound && r->resource.resType == type; }

#define GET(name, type, check, value, ...)                                                                             \
    CUresult name(type *out, CUtexref hTexRef __VA_ARGS__)                                                             \
    {                                                                                                                  \
        struct call call;                                                                                              \
        CUresult result = reference_begin(&call, __func__, hTexRef);                                                   \
        if (result == CUDA_SUCCESS && (!out || !(check)))                                                              \
            result = CUDA_ERROR_INVALID_VALUE;                                                                         \
        if (result == CUDA_SUCCESS) {                                                                                  \
            const struct reference *r = &hTexRef->base;                                                                \
            *out = value;                                                                                              \
        }                                                                                                              \
        return call_end(&call, result);                                                                                \
    }
GET(cuTexRefGetAddress_v2, CUdeviceptr, is_bound(&hTexRef->base, CU_RESOURCE_TYPE_LINEAR),
    r->resource.res.linear.devPtr, )
GET(cuTexRefGetArray, CUarray, is_bound(&hTexRef->base, CU_RESOURCE_TYPE_ARRAY), r->resource.res.array.hArray, )
GET(cuTexRefGetMipmappedArray, CUmipmappedArray, is_bound(&hTexRef->base, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY),
    r->resource.res.mipmap.hMipmappedArray, )
GET(cuTexRefGetAddressMode, CUaddress_mode, dim >= 0 && dim < 3, r->sampler.addressMode[dim], , int dim)
GET(cuTexRefGetFilterMode, CUfilter_mode, true, r->sampler.filterMode, )
GET(cuTexRefGetMipmapFilterMode, CUfilter_mode, true, r->sampler.mipmapFilterMode, )
GET(cuTexRefGetMipmapLevelBias, float, true, r->sampler.mipmapLevelBias, )
GET(cuTexRefGetMaxAnisotropy, int, true, (int)r->sampler.maxAnisotropy, )
GET(cuTexRefGetFlags, unsigned int, true, r->sampler.flags, )
#undef GET

CUresult cuTexRefGetFormat(CUarray_format *pFormat, int *pNumChannels, CUtexref hTexRef)
{
    struct call call;
    CUresult result = reference_begin(&call, __func__, hTexRef);
    if (result == CUDA_SUCCESS && pFormat)
        *pFormat = hTexRef->base.format;
    if (result == CUDA_SUCCESS && pNumChannels)
        *pNumChannels = (int)hTexRef->base.channels;
    return call_end(&call, result);
}

CUresult cuTexRefGetMipmapLevelClamp(float *pminMipmapLevelClamp, float *pmaxMipmapLevelClamp, CUtexref hTexRef)
{
    struct call call;
    CUresult result = reference_begin(&call, __func__, hTexRef);
    if (result == CUDA_SUCCESS && (!pminMipmapLevelClamp || !pmaxMipmapLevelClamp))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        *pminMipmapLevelClamp = hTexRef->base.sampler.minMipmapLevelClamp;
        *pmaxMipmapLevelClamp = hTexRef->base.sampler.maxMipmapLevelClamp;
    }
    return call_end(&call, result);
}

CUresult cuTexRefGetBorderColor(float *pBorderColor, CUtexref hTexRef)
{
    struct call call;
    CUresult result = reference_begin(&call, __func__, hTexRef);
    if (result == CUDA_SUCCESS && !pBorderColor)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        memcpy(pBorderColor, hTexRef->base.sampler.borderColor, sizeof hTexRef->base.sampler.borderColor);
    return call_end(&call, result);
}
