#include "driver/memory/texture.h"

#include <string.h>

#include "driver/memory/allocation.h"
#include "driver/memory/array.h"
#include "driver/memory/array_layout.h"
#include "driver/memory/space.h"
#include "driver/state/logs.h"

enum { LAYERED = 0x01, CUBEMAP = 0x04 }; /* CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_CUBEMAP */

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static const struct {
    CUarray_format name;
    uint8_t format;
} formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, TEXTURE_U8},   {CU_AD_FORMAT_SIGNED_INT8, TEXTURE_S8},
    {CU_AD_FORMAT_UNSIGNED_INT16, TEXTURE_U16}, {CU_AD_FORMAT_SIGNED_INT16, TEXTURE_S16},
    {CU_AD_FORMAT_UNSIGNED_INT32, TEXTURE_U32}, {CU_AD_FORMAT_SIGNED_INT32, TEXTURE_S32},
    {CU_AD_FORMAT_HALF, TEXTURE_F16},           {CU_AD_FORMAT_FLOAT, TEXTURE_F32},
};

/* CUDA does not document the answers to queries of type and order. ASSUMED: the driver's number of the format, and the
 * number of channels. */
static bool set_format(struct texture *t, CUarray_format format, unsigned channels)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].name == format && (channels == 1 || channels == 2 || channels == 4)) {
            t->format = formats[i].format;
            t->channels = (uint8_t)channels;
            t->data_type = (uint32_t)format;
            t->order = channels;
            return true;
        }
    return false;
}

/* Formats of a view, in their order: three of each, with 1, 2 and 4 channels. */
static CUresult set_view_format(struct texture *t, CUresourceViewFormat view)
{
    static const CUarray_format names[] = {
        CU_AD_FORMAT_UNSIGNED_INT8,  CU_AD_FORMAT_SIGNED_INT8,  CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_SIGNED_INT16,
        CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_SIGNED_INT32, CU_AD_FORMAT_HALF,           CU_AD_FORMAT_FLOAT};
    unsigned bytes = texture_texel_bytes(t), number = (unsigned)view - CU_RES_VIEW_FORMAT_UINT_1X8;
    if (view == CU_RES_VIEW_FORMAT_NONE)
        return CUDA_SUCCESS;
    if (view >= CU_RES_VIEW_FORMAT_UNSIGNED_BC1 && view <= CU_RES_VIEW_FORMAT_UNSIGNED_BC7) {
        logs_note("block-compressed views (BC1 to BC7) are not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (view < CU_RES_VIEW_FORMAT_NONE || view > CU_RES_VIEW_FORMAT_FLOAT_4X32)
        return logs_refuse("the view's format is not a CUresourceViewFormat");
    set_format(t, names[number / 3], 1u << number % 3);
    return texture_texel_bytes(t) == bytes ? CUDA_SUCCESS
                                           : logs_refuse("the view's texels and the array's differ in size");
}

/* ---- resources --------------------------------------------------------------------------------------------------- */

static struct texture_level level_of(const struct CUarray_st *array, const struct texture *t)
{
    const struct array_layout *l = &array->layout;
    return (struct texture_level){.address = array->address,
                                  .pitch = l->pitch,
                                  .slice = l->pitch * l->height,
                                  .width = (uint32_t)array->descriptor.Width,
                                  .height = (uint32_t)l->height,
                                  .depth = t->dimensions == 3 ? (uint32_t)l->depth : 1};
}

static CUresult describe_array(const struct CUarray_st *array, struct texture *t)
{
    const CUDA_ARRAY3D_DESCRIPTOR *d = &array->descriptor;
    if (!set_format(t, d->Format, d->NumChannels))
        return CUDA_ERROR_NOT_SUPPORTED;
    t->layered = (d->Flags & LAYERED) != 0;
    t->cube = (d->Flags & CUBEMAP) != 0;
    bool deep = d->Depth > 0 && !t->layered && !t->cube;
    t->dimensions = deep ? 3 : d->Height > 0 ? 2 : 1;
    t->layers = t->layered || t->cube ? (uint32_t)d->Depth : 1;
    t->levels = 1;
    t->level[0] = level_of(array, t);
    return CUDA_SUCCESS;
}

static CUresult describe_mipmap(const struct CUmipmappedArray_st *mipmap, struct texture *t)
{
    CUresult result = describe_array(mipmap->level[0], t);
    t->levels = (uint8_t)mipmap->levels;
    for (unsigned i = 0; i < mipmap->levels; i++)
        t->level[i] = level_of(mipmap->level[i], t);
    return result;
}

static bool aligned(const struct driver *driver, CUdeviceptr address)
{
    int alignment = 1;
    device_attribute(&driver->device, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, &alignment);
    return address && address % (CUdeviceptr)alignment == 0;
}

static CUresult describe_linear(const struct driver *driver, const CUDA_RESOURCE_DESC *r, struct texture *t)
{
    int most = 0;
    device_attribute(&driver->device, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, &most);
    if (!set_format(t, r->res.linear.format, r->res.linear.numChannels))
        return logs_refuse("linear memory has 1, 2 or 4 channels of 8, 16 or 32 bits");
    if (!aligned(driver, r->res.linear.devPtr))
        return logs_refuse("the address of linear memory is no multiple of the texture alignment");
    uint64_t texels = r->res.linear.sizeInBytes / texture_texel_bytes(t);
    if (texels == 0 || texels > (uint64_t)most ||
        !allocation_holds(driver, r->res.linear.devPtr, r->res.linear.sizeInBytes))
        return logs_refuse("linear memory is empty, too large, or not inside of one allocation");
    t->linear = true;
    t->dimensions = t->levels = 1;
    t->layers = 1;
    t->level[0] =
        (struct texture_level){.address = r->res.linear.devPtr, .width = (uint32_t)texels, .height = 1, .depth = 1};
    return CUDA_SUCCESS;
}

static CUresult describe_plane(const struct driver *driver, const CUDA_RESOURCE_DESC *r, struct texture *t)
{
    enum { PITCH_ALIGNMENT = 32, MOST = 131072 };
    size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height, pitch = r->res.pitch2D.pitchInBytes;
    if (!set_format(t, r->res.pitch2D.format, r->res.pitch2D.numChannels))
        return logs_refuse("a pitched plane has 1, 2 or 4 channels of 8, 16 or 32 bits");
    if (!aligned(driver, r->res.pitch2D.devPtr))
        return logs_refuse("the address of a pitched plane is no multiple of the texture alignment");
    if (width == 0 || height == 0 || width > MOST || height > MOST)
        return logs_refuse("a pitched plane has 1 to 131072 texels in each dimension");
    size_t row = width * texture_texel_bytes(t);
    if (pitch < row || pitch % PITCH_ALIGNMENT)
        return logs_refuse("the pitch is less than a row, or no multiple of 32 bytes");
    if (!allocation_holds(driver, r->res.pitch2D.devPtr, pitch * (height - 1) + row))
        return logs_refuse("the plane is not inside of one allocation");
    t->dimensions = 2;
    t->levels = 1;
    t->layers = 1;
    t->level[0] = (struct texture_level){.address = r->res.pitch2D.devPtr,
                                         .pitch = pitch,
                                         .slice = pitch * height,
                                         .width = (uint32_t)width,
                                         .height = (uint32_t)height,
                                         .depth = 1};
    return CUDA_SUCCESS;
}

static CUresult apply_view(const CUDA_RESOURCE_VIEW_DESC *view, struct texture *t)
{
    CUresult result = set_view_format(t, view->format);
    if (result != CUDA_SUCCESS)
        return result;
    unsigned levels = view->lastMipmapLevel - view->firstMipmapLevel + 1;
    if (view->firstMipmapLevel > view->lastMipmapLevel || view->lastMipmapLevel >= t->levels)
        return logs_refuse("the array lacks the view's levels");
    memmove(t->level, t->level + view->firstMipmapLevel, levels * sizeof *t->level);
    t->levels = (uint8_t)levels;
    if (!t->layered)
        return CUDA_SUCCESS;
    if (view->firstLayer > view->lastLayer || view->lastLayer >= t->layers)
        return logs_refuse("the array lacks the view's layers");
    for (unsigned i = 0; i < t->levels; i++)
        t->level[i].address += view->firstLayer * t->level[i].slice;
    t->layers = view->lastLayer - view->firstLayer + 1;
    return t->cube && t->layers % 6 ? logs_refuse("the view cuts a cube") : CUDA_SUCCESS;
}

CUresult texture_describe(const struct driver *driver, const CUDA_RESOURCE_DESC *r, const CUDA_RESOURCE_VIEW_DESC *view,
                          struct texture *t)
{
    CUresult result;
    *t = (struct texture){0};
    if (r->flags)
        return logs_refuse("the flags of a resource are 0");
    switch (r->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        if (!handle_is(driver->handles, HANDLE_ARRAY, r->res.array.hArray))
            return CUDA_ERROR_INVALID_HANDLE;
        result = describe_array(r->res.array.hArray, t);
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        if (!handle_is(driver->handles, HANDLE_MIPMAPPED_ARRAY, r->res.mipmap.hMipmappedArray))
            return CUDA_ERROR_INVALID_HANDLE;
        result = describe_mipmap(r->res.mipmap.hMipmappedArray, t);
        break;
    case CU_RESOURCE_TYPE_LINEAR: result = describe_linear(driver, r, t); break;
    case CU_RESOURCE_TYPE_PITCH2D: result = describe_plane(driver, r, t); break;
    default: return logs_refuse("the resource's type is not a CUresourcetype");
    }
    if (result != CUDA_SUCCESS || !view)
        return result;
    if (r->resType != CU_RESOURCE_TYPE_ARRAY && r->resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        return logs_refuse("only an array or a mipmapped array can have a view");
    return apply_view(view, t);
}

/* ---- samplers ---------------------------------------------------------------------------------------------------- */

CUresult texture_describe_sampler(const CUDA_TEXTURE_DESC *s, const CUDA_RESOURCE_DESC *resource, struct texture *t)
{
    enum { INTEGERS = 0x01, NORMALIZED = 0x02, SRGB = 0x10, TRILINEAR = 0x20, SEAMLESS = 0x40, MOST_PROBES = 16 };
    if (s->flags & ~(unsigned)(INTEGERS | NORMALIZED | SRGB | TRILINEAR | SEAMLESS))
        return logs_refuse("a flag of the texture is not a CU_TRSF_... value");
    if ((unsigned)s->filterMode > CU_TR_FILTER_MODE_LINEAR || (unsigned)s->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR)
        return logs_refuse("a filter mode is none of CUfilter_mode");
    for (unsigned i = 0; i < 3; i++) {
        if ((unsigned)s->addressMode[i] > CU_TR_ADDRESS_MODE_BORDER)
            return logs_refuse("an address mode is none of CUaddress_mode");
        t->mode[i] = (uint8_t)s->addressMode[i];
    }
    t->normalized = (s->flags & NORMALIZED) != 0;
    if (resource->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY && !t->normalized)
        return logs_refuse("a texture of a mipmapped array has normalized coordinates");
    t->integers = (s->flags & INTEGERS) != 0;
    t->srgb = (s->flags & SRGB) != 0;
    t->seamless = (s->flags & SEAMLESS) != 0;
    t->smooth = s->filterMode == CU_TR_FILTER_MODE_LINEAR;
    t->mip_smooth = s->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
    t->bias = s->mipmapLevelBias;
    t->anisotropy = (uint8_t)(s->maxAnisotropy < MOST_PROBES ? s->maxAnisotropy : MOST_PROBES);
    t->least = s->minMipmapLevelClamp;
    t->most = s->maxMipmapLevelClamp;
    memcpy(t->border, s->borderColor, sizeof t->border);
    return CUDA_SUCCESS;
}
