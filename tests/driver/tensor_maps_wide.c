/* Tensor maps of sm_100: im2col along W, and the checks of packed types. */
#include <string.h>

#include "driver/abi/tensor_map.h"
#include "tests/driver/rig.h"

static CUresult wide(CUtensorMap *map, cuuint32_t rank, int lower, int upper, cuuint32_t channels, cuuint32_t pixels,
                     unsigned mode, CUtensorMapSwizzle swizzle)
{
    const cuuint64_t size[] = {64, 20, 20, 20, 4}, stride[] = {128, 2560, 51200, 1024000};
    const cuuint32_t step[] = {1, 1, 1, 1, 1};
    return cuTensorMapEncodeIm2colWide(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rank, (void *)(uintptr_t)0x700000001000,
                                       size, stride, lower, upper, channels, pixels, step,
                                       CU_TENSOR_MAP_INTERLEAVE_NONE, (CUtensorMapIm2ColWideMode)mode, swizzle,
                                       CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static void im2col_along_w_has_rules_of_its_own(void **state)
{
    enum { W = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, W128 = CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 };
    const CUtensorMapSwizzle good = CU_TENSOR_MAP_SWIZZLE_128B;
    const CUresult bad = CUDA_ERROR_INVALID_VALUE;
    (void)state;
    CUtensorMap map, other;
    rig_context("b200");
    SUCCEEDS(wide(&map, 3, 0, 0, 64, 1024, W, good));
    SUCCEEDS(wide(&map, 5, 0, 0, 64, 64, W, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B));
    SUCCEEDS(wide(&map, 5, 0, 0, 32, 64, W, CU_TENSOR_MAP_SWIZZLE_64B));
    ANSWERS(bad, wide(&map, 5, 0, 0, 64, 64, W, CU_TENSOR_MAP_SWIZZLE_64B)); /* wider than the swizzle */
    ANSWERS(bad, wide(&map, 3, 0, 0, 8, 64, W, CU_TENSOR_MAP_SWIZZLE_NONE));
    ANSWERS(bad, wide(&map, 3, 0, 0, 8, 64, W, CU_TENSOR_MAP_SWIZZLE_32B));
    ANSWERS(bad, wide(&map, 3, 0, 0, 8, 64, W, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B));
    ANSWERS(bad, wide(&map, 3, 0, 0, 8, 64, W, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B));
    ANSWERS(bad, wide(&map, 2, 0, 0, 64, 64, W, good));
    ANSWERS(bad, wide(&map, 3, 0, 0, 64, 64, 2, good));
    ANSWERS(bad, wide(&map, 3, 0, 0, 64, 1025, W, good));
    ANSWERS(bad, wide(&map, 3, 0, 0, 64, 0, W, good));
    SUCCEEDS(wide(&map, 5, -32768, 32767, 64, 64, W, good)); /* 16 bits in each rank */
    ANSWERS(bad, wide(&map, 5, -32769, 0, 64, 64, W, good));
    ANSWERS(bad, wide(&map, 5, 0, 32768, 64, 64, W, good));
    SUCCEEDS(wide(&map, 4, 0, -19, 64, 64, W, good));
    ANSWERS(bad, wide(&map, 4, 0, -20, 64, 64, W, good)); /* empty */
    ANSWERS(bad, wide(NULL, 3, 0, 0, 64, 64, W, good));
    SUCCEEDS(wide(&map, 3, 0, 0, 64, 5000, W128, good)); /* always 128 pixels */
    SUCCEEDS(wide(&other, 3, 0, 0, 64, 0, W128, good));
    assert_memory_equal(&map, &other, sizeof map);
}

static CUresult packed(CUtensorMapDataType type, uint64_t address, cuuint64_t size0, cuuint64_t stride0,
                       cuuint32_t box0, CUtensorMapSwizzle swizzle, CUtensorMapInterleave interleave)
{
    CUtensorMap map;
    const cuuint64_t size[] = {size0, 64, 4}, stride[] = {stride0, 64 * stride0};
    const cuuint32_t box[] = {box0, 16, 1}, step[] = {1, 1, 1};
    return cuTensorMapEncodeTiled(&map, type, 3, (void *)(uintptr_t)address, size, stride, box, step, interleave,
                                  swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static void packed_elements_have_rules_of_their_own(void **state)
{
    enum { AT = 0x1000 };
    const CUtensorMapDataType u4 = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B, u4p = CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B,
                              u6p = CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B;
    const CUtensorMapSwizzle none = CU_TENSOR_MAP_SWIZZLE_NONE, s128 = CU_TENSOR_MAP_SWIZZLE_128B;
    const CUtensorMapInterleave flat = CU_TENSOR_MAP_INTERLEAVE_NONE;
    const CUresult bad = CUDA_ERROR_INVALID_VALUE;
    (void)state;
    SUCCEEDS(packed(u4, AT + 16, 256, 128, 256, s128, flat));
    ANSWERS(bad, packed(u4, AT + 8, 256, 128, 256, s128, flat));
    SUCCEEDS(packed(u4, AT, 254, 128, 32, s128, flat)); /* an even number of elements */
    ANSWERS(bad, packed(u4, AT, 255, 128, 32, s128, flat));
    ANSWERS(bad, packed(u4, AT, 256, 128, 16, s128, flat)); /* 8 bytes */
    const CUtensorMapDataType padded[] = {u4p, u6p};
    for (unsigned i = 0; i < 2; i++) {
        SUCCEEDS(packed(padded[i], AT + 32, 256, 192, 128, s128, flat));
        SUCCEEDS(packed(padded[i], AT, 256, 192, 128, none, flat));
        SUCCEEDS(packed(padded[i], AT, 256, 192, 128, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, flat));
        ANSWERS(bad, packed(padded[i], AT + 16, 256, 192, 128, s128, flat));
        ANSWERS(bad, packed(padded[i], AT, 256, 208, 128, s128, flat)); /* the stride is no multiple of 32 */
        ANSWERS(bad, packed(padded[i], AT, 192, 192, 128, s128, flat));
        ANSWERS(bad, packed(padded[i], AT, 256, 192, 64, s128, flat));
        ANSWERS(bad, packed(padded[i], AT, 256, 192, 128, CU_TENSOR_MAP_SWIZZLE_64B, flat));
        ANSWERS(bad, packed(padded[i], AT, 256, 192, 128, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, flat));
    }
    ANSWERS(bad, packed(u6p, AT, 256, 192, 128, none, CU_TENSOR_MAP_INTERLEAVE_16B));
}

UNIT_TESTS(UNIT(im2col_along_w_has_rules_of_its_own), UNIT(packed_elements_have_rules_of_their_own))
