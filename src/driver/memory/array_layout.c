#include "driver/memory/array_layout.h"

#include "base/bits.h"

enum {
    LAYERED = 0x01, /* CUDA_ARRAY3D_LAYERED and so on */
    SURFACE = 0x02,
    CUBEMAP = 0x04,
    GATHER = 0x08,
    DEPTH_TEXTURE = 0x10,
    COLOR = 0x20,
    SPARSE = 0x40,
    DEFERRED = 0x80,
    ROW_ALIGNMENT = 32
};

size_t array_format_bytes(CUarray_format format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8: return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF: return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT: return 4;
    default: return 0;
    }
}

/* Formats that the headers name beside the plain ones. */
static bool special_format(CUarray_format format)
{
    return (format >= CU_AD_FORMAT_BC1_UNORM && format <= CU_AD_FORMAT_YUV444_16bit_SemiPlanar) ||
           (format >= CU_AD_FORMAT_UNORM_INT8X1 && format <= CU_AD_FORMAT_SNORM_INT16X4) ||
           format == CU_AD_FORMAT_UNORM_INT_101010_2;
}

static size_t limit(const struct device *device, CUdevice_attribute attribute)
{
    int value = 0;
    return device_attribute(device, attribute, &value) && value > 0 ? (size_t)value : SIZE_MAX;
}

static bool fits(const struct device *device, const CUDA_ARRAY3D_DESCRIPTOR *d, CUdevice_attribute width,
                 CUdevice_attribute height, CUdevice_attribute depth)
{
    return d->Width <= limit(device, width) && (!height || d->Height <= limit(device, height)) &&
           (!depth || d->Depth <= limit(device, depth));
}

/* The largest extents are those of such textures. */
static bool extents_fit(const struct device *device, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    CUdevice_attribute none = (CUdevice_attribute)0;
    bool layered = (d->Flags & LAYERED) != 0;
    if ((d->Flags & CUBEMAP) != 0)
        return d->Width == d->Height && (layered ? d->Depth % 6 == 0 && d->Depth > 0 : d->Depth == 6) &&
               fits(device, d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH, none, none);
    if (layered && d->Depth == 0)
        return false;
    if (layered && d->Height == 0)
        return fits(device, d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH, none,
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS);
    if (layered)
        return fits(device, d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS);
    if (d->Depth > 0)
        return d->Height > 0 &&
               fits(device, d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH,
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH);
    if (d->Height > 0)
        return fits(device, d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH,
                    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT, none);
    return fits(device, d, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH, none, none);
}

CUresult array_lay_out(const struct device *device, const CUDA_ARRAY3D_DESCRIPTOR *d, struct array_layout *layout)
{
    enum { KNOWN = LAYERED | SURFACE | CUBEMAP | GATHER | DEPTH_TEXTURE | COLOR | SPARSE | DEFERRED };
    size_t channel = array_format_bytes(d->Format);
    if (channel == 0)
        return special_format(d->Format) ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
    if ((d->NumChannels != 1 && d->NumChannels != 2 && d->NumChannels != 4) || d->Width == 0 ||
        (d->Flags & ~(unsigned)KNOWN) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if ((d->Flags & GATHER) != 0 && (d->Height == 0 || d->Depth > 0)) /* two dimensions only */
        return CUDA_ERROR_INVALID_VALUE;
    if ((d->Flags & (SPARSE | DEFERRED)) != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!extents_fit(device, d))
        return CUDA_ERROR_INVALID_VALUE;
    layout->element = channel * d->NumChannels;
    if (__builtin_mul_overflow(d->Width, layout->element, &layout->row) || layout->row > SIZE_MAX - ROW_ALIGNMENT)
        return CUDA_ERROR_OUT_OF_MEMORY;
    layout->pitch = align_up(layout->row, ROW_ALIGNMENT);
    layout->height = d->Height ? d->Height : 1;
    layout->depth = d->Depth ? d->Depth : 1;
    if (__builtin_mul_overflow(layout->pitch, layout->height, &layout->bytes) ||
        __builtin_mul_overflow(layout->bytes, layout->depth, &layout->bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}
