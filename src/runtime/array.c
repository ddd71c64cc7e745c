#include "runtime/array.h"

#include "driver/abi/api_memory.h"
#include "runtime/abi/api_memory.h"
#include "runtime/runtime.h"

struct channel_format {
    enum cudaChannelFormatKind kind;
    int bits;
    CUarray_format format;
};

static const struct channel_format formats[] = {
    {cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
    {cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
    {cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
    {cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
    {cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
    {cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
    {cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF},
    {cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

/* One, two or four channels of equal width, the rest zero. */
static unsigned channels_of(const struct cudaChannelFormatDesc *desc)
{
    if (desc->x > 0 && desc->y == 0 && desc->z == 0 && desc->w == 0)
        return 1;
    if (desc->x > 0 && desc->y == desc->x && desc->z == 0 && desc->w == 0)
        return 2;
    if (desc->x > 0 && desc->y == desc->x && desc->z == desc->x && desc->w == desc->x)
        return 4;
    return 0;
}

cudaError_t array_format(const struct cudaChannelFormatDesc *desc, CUarray_format *format, unsigned *channels)
{
    *channels = channels_of(desc);
    for (int i = 0; i<FORMATS && * channels> 0; i++)
        if (formats[i].kind == desc->f && formats[i].bits == desc->x) {
            *format = formats[i].format;
            return cudaSuccess;
        }
    return cudaErrorInvalidChannelDescriptor;
}

static cudaError_t create(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, CUDA_ARRAY3D_DESCRIPTOR shape)
{
    if (array == NULL || desc == NULL)
        return cudaErrorInvalidValue;
    CUarray handle = NULL;
    cudaError_t error = array_format(desc, &shape.Format, &shape.NumChannels);
    if (error == cudaSuccess)
        error = runtime_enter();
    if (error == cudaSuccess)
        error = (cudaError_t)cuArray3DCreate_v2(&handle, &shape);
    if (error == cudaSuccess)
        *array = (cudaArray_t)(void *)handle;
    return error;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned int flags)
{
    RUNTIME_CALL;
    CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = width, .Height = height, .Flags = flags};
    return runtime_done(create(array, desc, shape));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned int flags)
{
    RUNTIME_CALL;
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    return runtime_done(create(array, desc, shape));
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    RUNTIME_CALL;
    if (array == NULL)
        return runtime_done(runtime_enter());
    RUNTIME_RETURN(cuArrayDestroy(array_handle(array)));
}

static const struct channel_format *format_of(CUarray_format format)
{
    for (int i = 0; i < FORMATS; i++)
        if (formats[i].format == format)
            return &formats[i];
    return NULL;
}

cudaError_t array_describe(cudaArray_const_t array, CUDA_ARRAY3D_DESCRIPTOR *descriptor, size_t *element)
{
    *element = 0;
    CUresult result = cuArray3DGetDescriptor_v2(descriptor, array_handle(array));
    if (result != CUDA_SUCCESS)
        return (cudaError_t)result;
    const struct channel_format *format = format_of(descriptor->Format);
    if (format != NULL)
        *element = (size_t)format->bits / 8 * descriptor->NumChannels;
    return cudaSuccess;
}

struct cudaChannelFormatDesc array_channel(CUarray_format name, unsigned channels)
{
    const struct channel_format *format = format_of(name);
    if (format == NULL)
        return (struct cudaChannelFormatDesc){.f = cudaChannelFormatKindNone};
    int bits = format->bits;
    return (struct cudaChannelFormatDesc){.x = bits,
                                          .y = channels > 1 ? bits : 0,
                                          .z = channels > 2 ? bits : 0,
                                          .w = channels > 2 ? bits : 0,
                                          .f = format->kind};
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
                             cudaArray_t array)
{
    RUNTIME_CALL;
    CUDA_ARRAY3D_DESCRIPTOR shape;
    size_t element;
    cudaError_t error = runtime_enter();
    if (error == cudaSuccess)
        error = array_describe(array, &shape, &element);
    if (error != cudaSuccess)
        return runtime_done(error);
    if (desc != NULL)
        *desc = array_channel(shape.Format, shape.NumChannels);
    if (extent != NULL)
        *extent = (struct cudaExtent){.width = shape.Width, .height = shape.Height, .depth = shape.Depth};
    if (flags != NULL)
        *flags = shape.Flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    RUNTIME_CALL;
    if (desc == NULL)
        return runtime_done(cudaErrorInvalidValue);
    return cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = f};
}
