/* The properties of texture references that programs set. Each change counts for the launches that follow. */
#include <string.h>

#include "driver/abi/api_module.h"
#include "driver/memory/array.h"
#include "driver/module/reference.h"
#include "driver/state/logs.h"

/* ---- the bound resource ------------------------------------------------------------------------------------------ */

/* Binds, or leaves the old binding. */
static CUresult bind(struct call *call, struct reference *r, const CUDA_RESOURCE_DESC *resource)
{
    struct reference before = *r;
    r->resource = *resource;
    r->bound = true;
    CUresult result = reference_update(call, r);
    if (result != CUDA_SUCCESS) {
        r->resource = before.resource;
        r->bound = before.bound;
    }
    return result;
}

CUresult cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags)
{
    struct call call;
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = hArray};
    CUresult result = reference_begin(&call, __func__, hTexRef);
    (void)Flags; /* the array's format counts, with and without CU_TRSA_OVERRIDE_FORMAT */
    if (result == CUDA_SUCCESS)
        result = bind(&call, &hTexRef->base, &resource);
    if (result == CUDA_SUCCESS) {
        hTexRef->base.format = hArray->descriptor.Format;
        hTexRef->base.channels = hArray->descriptor.NumChannels;
    }
    return call_end(&call, result);
}

CUresult cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray, unsigned int Flags)
{
    struct call call;
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
                                         .res.mipmap.hMipmappedArray = hMipmappedArray};
    CUresult result = reference_begin(&call, __func__, hTexRef);
    (void)Flags;
    if (result == CUDA_SUCCESS)
        result = bind(&call, &hTexRef->base, &resource);
    return call_end(&call, result);
}

/* The bound array may have been freed since. Then nothing is bound any more, and the change succeeds. */
static CUresult update(struct call *call, struct reference *r)
{
    CUresult result = reference_update(call, r);
    if (result == CUDA_SUCCESS)
        return result;
    r->bound = false;
    return reference_update(call, r);
}

/* The texture begins at a multiple of the alignment, and the program adds the bytes from there. */
static CUresult set_address(struct call *call, size_t *offset, struct reference *r, CUdeviceptr address, size_t bytes)
{
    int alignment = 1;
    device_attribute(&call->driver->device, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, &alignment);
    size_t behind = address % (CUdeviceptr)alignment;
    if (!address && !bytes) { /* ASSUMED to unbind */
        r->bound = false;
        return reference_update(call, r);
    }
    if (behind && !offset)
        return logs_refuse("the address is no multiple of the texture alignment, and ByteOffset is NULL");
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR,
                                         .res.linear = {.devPtr = address - behind,
                                                        .format = r->format,
                                                        .numChannels = r->channels,
                                                        .sizeInBytes = bytes + behind}};
    CUresult result = bind(call, r, &resource);
    if (result == CUDA_SUCCESS && offset)
        *offset = behind;
    return result;
}

CUresult cuTexRefSetAddress_v2(size_t *ByteOffset, CUtexref hTexRef, CUdeviceptr dptr, size_t bytes)
{
    struct call call;
    CUresult result = reference_begin(&call, __func__, hTexRef);
    if (result == CUDA_SUCCESS)
        result = set_address(&call, ByteOffset, &hTexRef->base, dptr, bytes);
    return call_end(&call, result);
}

CUresult cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr dptr, size_t Pitch)
{
    struct call call;
    CUresult result = reference_begin(&call, __func__, hTexRef);
    if (result == CUDA_SUCCESS && !desc)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D,
                                         .res.pitch2D = {.devPtr = dptr,
                                                         .format = desc->Format,
                                                         .numChannels = desc->NumChannels,
                                                         .width = desc->Width,
                                                         .height = desc->Height,
                                                         .pitchInBytes = Pitch}};
    return call_end(&call, bind(&call, &hTexRef->base, &resource));
}

CUresult cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents)
{
    struct call call;
    CUresult result = reference_begin(&call, __func__, hTexRef);
    if (result == CUDA_SUCCESS && NumPackedComponents != 1 && NumPackedComponents != 2 && NumPackedComponents != 4)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return call_end(&call, result);
    struct reference *r = &hTexRef->base;
    r->format = fmt;
    r->channels = (unsigned)NumPackedComponents;
    if (r->bound && r->resource.resType == CU_RESOURCE_TYPE_LINEAR) {
        r->resource.res.linear.format = fmt;
        r->resource.res.linear.numChannels = r->channels;
        result = reference_update(&call, r);
    }
    return call_end(&call, result);
}

/* ---- the sampler ------------------------------------------------------------------------------------------------- */

/* Takes a sampler that differs in one member. */
static CUresult change(struct call *call, CUresult result, CUtexref reference, const CUDA_TEXTURE_DESC *sampler)
{
    if (result == CUDA_SUCCESS) {
        reference->base.sampler = *sampler;
        result = update(call, &reference->base);
    }
    return call_end(call, result);
}

#define SET(name, check, member, value, ...)                                                                           \
    CUresult name(CUtexref hTexRef, __VA_ARGS__)                                                                       \
    {                                                                                                                  \
        struct call call;                                                                                              \
        CUDA_TEXTURE_DESC s = {0};                                                                                     \
        CUresult result = reference_begin(&call, __func__, hTexRef);                                                   \
        if (result == CUDA_SUCCESS && !(check))                                                                        \
            result = CUDA_ERROR_INVALID_VALUE;                                                                         \
        if (result == CUDA_SUCCESS) {                                                                                  \
            s = hTexRef->base.sampler;                                                                                 \
            s.member = value;                                                                                          \
        }                                                                                                              \
        return change(&call, result, hTexRef, &s);                                                                     \
    }
/* clang-format off */
enum { FLAGS = 0x01 | 0x02 | 0x10 | 0x20 | 0x40 }; /* CU_TRSF_... */
SET(cuTexRefSetAddressMode, dim >= 0 && dim < 3 && (unsigned)am <= CU_TR_ADDRESS_MODE_BORDER, addressMode[dim], am,
    int dim, CUaddress_mode am)
SET(cuTexRefSetFilterMode, (unsigned)fm <= CU_TR_FILTER_MODE_LINEAR, filterMode, fm, CUfilter_mode fm)
SET(cuTexRefSetMipmapFilterMode, (unsigned)fm <= CU_TR_FILTER_MODE_LINEAR, mipmapFilterMode, fm, CUfilter_mode fm)
SET(cuTexRefSetMipmapLevelBias, true, mipmapLevelBias, bias, float bias)
SET(cuTexRefSetMaxAnisotropy, true, maxAnisotropy, maxAniso, unsigned int maxAniso)
SET(cuTexRefSetFlags, !(Flags & ~(unsigned)FLAGS), flags, Flags, unsigned int Flags)
/* clang-format on */
#undef SET

CUresult cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp, float maxMipmapLevelClamp)
{
    struct call call;
    CUDA_TEXTURE_DESC s = {0};
    CUresult result = reference_begin(&call, __func__, hTexRef);
    if (result == CUDA_SUCCESS) {
        s = hTexRef->base.sampler;
        s.minMipmapLevelClamp = minMipmapLevelClamp;
        s.maxMipmapLevelClamp = maxMipmapLevelClamp;
    }
    return change(&call, result, hTexRef, &s);
}

CUresult cuTexRefSetBorderColor(CUtexref hTexRef, float *pBorderColor)
{
    struct call call;
    CUDA_TEXTURE_DESC s = {0};
    CUresult result = reference_begin(&call, __func__, hTexRef);
    if (result == CUDA_SUCCESS && !pBorderColor)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        s = hTexRef->base.sampler;
        memcpy(s.borderColor, pBorderColor, sizeof s.borderColor);
    }
    return change(&call, result, hTexRef, &s);
}
