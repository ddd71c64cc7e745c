/* Tensor maps: a program's description is checked, and written where exec/engine/tensor_map.h reads it. The reason
 * of a refusal is in the error log. */
#include "driver/abi/tensor_map.h"

#include <string.h>

#include "driver/state/call.h"
#include "driver/state/device.h"
#include "driver/state/logs.h"
#include "exec/engine/tensor_map.h"

enum { MAP_ALIGNMENT = 64, FIRST_ARCHITECTURE = 90, WIDE_ARCHITECTURE = 100 };

/* The fields of all maps. */
struct description {
    CUtensorMap *to;
    CUtensorMapDataType type;
    cuuint32_t rank;
    void *address;
    const cuuint64_t *size, *stride;
    const cuuint32_t *step;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;
};

static CUresult refuse(const char *why)
{
    logs_note("%s", why);
    return CUDA_ERROR_INVALID_VALUE;
}

static const uint8_t types[] = {
    [CU_TENSOR_MAP_DATA_TYPE_UINT8] = TENSOR_U8,
    [CU_TENSOR_MAP_DATA_TYPE_UINT16] = TENSOR_U16,
    [CU_TENSOR_MAP_DATA_TYPE_UINT32] = TENSOR_U32,
    [CU_TENSOR_MAP_DATA_TYPE_INT32] = TENSOR_S32,
    [CU_TENSOR_MAP_DATA_TYPE_UINT64] = TENSOR_U64,
    [CU_TENSOR_MAP_DATA_TYPE_INT64] = TENSOR_S64,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = TENSOR_F16,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = TENSOR_F32,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = TENSOR_F64,
    [CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = TENSOR_BF16,
    [CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ] = TENSOR_F32_FTZ,
    [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32] = TENSOR_TF32,
    [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ] = TENSOR_TF32_FTZ,
    [CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B] = TENSOR_B4X16,
    [CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B] = TENSOR_B4X16_P64,
    [CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B] = TENSOR_B6X16_P32,
};

static const uint8_t swizzles[] = {
    [CU_TENSOR_MAP_SWIZZLE_NONE] = SWIZZLE_NONE,
    [CU_TENSOR_MAP_SWIZZLE_32B] = SWIZZLE_32,
    [CU_TENSOR_MAP_SWIZZLE_64B] = SWIZZLE_64,
    [CU_TENSOR_MAP_SWIZZLE_128B] = SWIZZLE_128,
    [CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B] = SWIZZLE_128_ATOM_32,
    [CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B] = SWIZZLE_128_ATOM_32_FLIP,
    [CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B] = SWIZZLE_128_ATOM_64,
};

/* Types and swizzles that came with sm_100. */
static bool is_later(const struct description *d)
{
    return d->type >= CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B || d->swizzle >= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B;
}

/* Fills in the dimensions. A stride of dimension 0 is not looked at without interleave. */
static void describe(const struct description *d, struct tensor_map *map)
{
    *map = (struct tensor_map){.address = (uint64_t)(uintptr_t)d->address,
                               .rank = (uint8_t)d->rank,
                               .type = types[d->type],
                               .interleave = (uint8_t)d->interleave,
                               .swizzle = swizzles[d->swizzle],
                               .promotion = (uint8_t)d->promotion,
                               .fill_nan = d->fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA};
    for (unsigned i = 0; i < d->rank; i++) {
        map->size[i] = d->size[i];
        map->stride[i] = i ? d->stride[i - 1] : 0;
        map->step[i] = d->step[i] <= UINT8_MAX ? (uint8_t)d->step[i] : UINT8_MAX;
        map->box[i] = 1;
    }
    if (d->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE)
        map->step[0] = 1;
}

/* Checks the arguments before anything is read. */
static CUresult check(const struct call *call, const struct description *d)
{
    unsigned architecture = call->driver->device.config.gpu.architecture;
    if (architecture < FIRST_ARCHITECTURE)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!d->to || !d->size || !d->step || (d->rank > 1 && !d->stride))
        return refuse("a pointer is NULL");
    if ((uintptr_t)d->to % MAP_ALIGNMENT)
        return refuse("the map's address is no multiple of 64");
    if (d->rank < 1 || d->rank > TENSOR_RANK)
        return refuse("the rank is not 1 to 5");
    if ((unsigned)d->type >= sizeof types)
        return refuse("the data type does not exist");
    if ((unsigned)d->swizzle >= sizeof swizzles)
        return refuse("the swizzle does not exist");
    if ((unsigned)d->interleave > CU_TENSOR_MAP_INTERLEAVE_32B)
        return refuse("the interleave does not exist");
    if ((unsigned)d->promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B)
        return refuse("the promotion in the L2 does not exist");
    if ((unsigned)d->fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
        return refuse("the fill does not exist");
    if (architecture < WIDE_ARCHITECTURE && is_later(d))
        return refuse("the GPU does not have this data type or swizzle");
    return CUDA_SUCCESS;
}

static CUresult encode(const struct description *d, const struct tensor_map *map)
{
    const char *wrong = tensor_map_wrong(map);
    if (wrong)
        return refuse(wrong);
    tensor_map_encode(map, (uint8_t *)(void *)d->to); /* the API takes 64 bytes of alignment, the type has 128 */
    return CUDA_SUCCESS;
}

static uint16_t at_most(cuuint32_t value) { return (uint16_t)(value <= UINT16_MAX ? value : UINT16_MAX); }

CUresult cuTensorMapEncodeTiled(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
                                void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
                                const cuuint32_t *boxDim, const cuuint32_t *elementStrides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill)
{
    struct call call;
    struct tensor_map map;
    const struct description d = {tensorMap,      tensorDataType, tensorRank, globalAddress, globalDim, globalStrides,
                                  elementStrides, interleave,     swizzle,    l2Promotion,   oobFill};
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = boxDim ? check(&call, &d) : refuse("a pointer is NULL");
    if (result == CUDA_SUCCESS) {
        describe(&d, &map);
        for (unsigned i = 0; i < tensorRank; i++)
            map.box[i] = at_most(boxDim[i]);
        result = encode(&d, &map);
    }
    return call_end(&call, result);
}

static int16_t clamped(int value)
{
    return (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
}

static CUresult encode_columns(const struct description *d, const int *lower, const int *upper, cuuint32_t channels,
                               cuuint32_t pixels)
{
    struct tensor_map map;
    describe(d, &map);
    map.im2col = true;
    map.box[0] = at_most(channels);
    map.pixels = at_most(pixels);
    for (unsigned i = 0; i + 2 < d->rank; i++) {
        map.lower[i] = clamped(lower[i]);
        map.upper[i] = clamped(upper[i]);
        if (map.lower[i] != lower[i] || map.upper[i] != upper[i])
            return refuse("a corner of the bounding box is outside of its range");
    }
    return encode(d, &map);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
                                 void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
                                 const int *pixelBoxLowerCorner, const int *pixelBoxUpperCorner,
                                 cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                                 const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                                 CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                                 CUtensorMapFloatOOBfill oobFill)
{
    struct call call;
    const struct description d = {tensorMap,      tensorDataType, tensorRank, globalAddress, globalDim, globalStrides,
                                  elementStrides, interleave,     swizzle,    l2Promotion,   oobFill};
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = pixelBoxLowerCorner && pixelBoxUpperCorner ? check(&call, &d) : refuse("a pointer is NULL");
    if (result == CUDA_SUCCESS && tensorRank < 3)
        result = refuse("the rank is not 3 to 5");
    if (result == CUDA_SUCCESS)
        result = encode_columns(&d, pixelBoxLowerCorner, pixelBoxUpperCorner, channelsPerPixel, pixelsPerColumn);
    return call_end(&call, result);
}

static CUresult encode_wide(const struct description *d, int lower, int upper, cuuint32_t channels, cuuint32_t pixels,
                            CUtensorMapIm2ColWideMode mode)
{
    struct tensor_map map;
    if (mode != CU_TENSOR_MAP_IM2COL_WIDE_MODE_W && mode != CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128)
        return refuse("the mode of im2col along W does not exist");
    if (lower != clamped(lower) || upper != clamped(upper))
        return refuse("a corner of the bounding box is outside of its range");
    describe(d, &map);
    map.im2col = true;
    map.wide = mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W ? TENSOR_WIDE_W : TENSOR_WIDE_W128;
    map.box[0] = at_most(channels);
    map.pixels = map.wide == TENSOR_WIDE_W128 ? TENSOR_W128_PIXELS : at_most(pixels);
    map.lower[0] = (int16_t)lower;
    map.upper[0] = (int16_t)upper;
    return encode(d, &map);
}

CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
                                     void *globalAddress, const cuuint64_t *globalDim, const cuuint64_t *globalStrides,
                                     int pixelBoxLowerCornerWidth, int pixelBoxUpperCornerWidth,
                                     cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                                     const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                                     CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle,
                                     CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill)
{
    struct call call;
    const struct description d = {tensorMap,      tensorDataType, tensorRank, globalAddress, globalDim, globalStrides,
                                  elementStrides, interleave,     swizzle,    l2Promotion,   oobFill};
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && call.driver->device.config.gpu.architecture < WIDE_ARCHITECTURE)
        result = CUDA_ERROR_NOT_SUPPORTED;
    if (result == CUDA_SUCCESS)
        result = check(&call, &d);
    if (result == CUDA_SUCCESS && tensorRank < 3)
        result = refuse("the rank is not 3 to 5");
    if (result == CUDA_SUCCESS)
        result = encode_wide(&d, pixelBoxLowerCornerWidth, pixelBoxUpperCornerWidth, channelsPerPixel, pixelsPerColumn,
                             mode);
    return call_end(&call, result);
}

static CUresult replace(CUtensorMap *to, void *address)
{
    struct tensor_map map;
    if (!to || (uintptr_t)to % MAP_ALIGNMENT)
        return refuse("the map's address is NULL or no multiple of 64");
    if (!tensor_map_decode((const uint8_t *)to->opaque, &map))
        return refuse("this is no tensor map");
    map.address = (uint64_t)(uintptr_t)address;
    const char *wrong = tensor_map_wrong(&map);
    if (wrong)
        return refuse(wrong);
    memcpy(to->opaque, &map.address, sizeof map.address);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *tensorMap, void *globalAddress)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && call.driver->device.config.gpu.architecture < FIRST_ARCHITECTURE)
        result = CUDA_ERROR_NOT_SUPPORTED;
    if (result == CUDA_SUCCESS)
        result = replace(tensorMap, globalAddress);
    return call_end(&call, result);
}
