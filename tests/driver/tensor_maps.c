/* Tensor maps: where fields are, and the driver's refusals. */
#include <string.h>

#include "driver/abi/tensor_map.h"
#include "tests/driver/rig.h"

/* The arguments of a map, right as they stand: a matrix of 256 x 64 halves. */
struct tiled {
    CUtensorMapDataType type;
    cuuint32_t rank;
    uint64_t address;
    cuuint64_t size[5], stride[4];
    cuuint32_t box[5], step[5];
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;
};

static struct tiled usual(void)
{
    return (struct tiled){.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                          .rank = 2,
                          .address = 0x700000001000,
                          .size = {256, 64, 1, 1, 1},
                          .stride = {512, 65536, 65536, 65536},
                          .box = {64, 32, 1, 1, 1},
                          .step = {1, 1, 1, 1, 1},
                          .swizzle = CU_TENSOR_MAP_SWIZZLE_128B};
}

static CUresult encode(CUtensorMap *map, const struct tiled *t)
{
    return cuTensorMapEncodeTiled(map, t->type, t->rank, (void *)(uintptr_t)t->address, /* NOLINT */
                                  t->size, t->stride, t->box, t->step, t->interleave, t->swizzle, t->promotion,
                                  t->fill);
}

static uint32_t word(const CUtensorMap *map, unsigned at)
{
    uint32_t value;
    memcpy(&value, (const uint8_t *)map->opaque + at, 4);
    return value;
}

/* The places are those that compiled tensormap.replace writes (ptxas 13.0). */
static void fields_are_where_compiled_code_changes_them(void **state)
{
    (void)state;
    rig_context("h200");
    CUtensorMap map;
    struct tiled t = {.type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                      .rank = 5,
                      .address = 0x123456789ab0,
                      .size = {1000, 77, UINT64_C(1) << 32, 3, 2},
                      .stride = {2048, 0x1234567890, 0xfffffffff0, 16},
                      .box = {32, 256, 3, 4, 5},
                      .step = {1, 2, 3, 4, 8},
                      .swizzle = CU_TENSOR_MAP_SWIZZLE_64B,
                      .fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA};
    SUCCEEDS(encode(&map, &t));
    assert_int_equal(map.opaque[0], t.address);
    assert_int_equal(word(&map, 0x08) & 0x79fff0, 4u << 4 | 10u << 7 | 2u << 13 | 1u << 15);
    assert_int_equal(word(&map, 0x0c), 2048 >> 4);
    assert_int_equal(word(&map, 0x10), 0x1234567890 >> 4 & 0xffffffff);
    assert_int_equal(word(&map, 0x14), 0xffffffff);
    assert_int_equal(word(&map, 0x18), 1);
    assert_int_equal(word(&map, 0x1c) & 0xffff, 0x1 << 4 | 0xf << 8);
    const uint32_t sizes[] = {999, 76, 0xffffffff, 2, 1};
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(word(&map, 0x20 + 4 * i), sizes[i]);
    assert_int_equal(word(&map, 0x34) & 0xff007fff, 31u << 24 | 1u << 3 | 2u << 6 | 3u << 9 | 7u << 12);
    assert_int_equal(word(&map, 0x38), 255u | 2u << 8 | 3u << 16 | 4u << 24);
    t.type = CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
    t.box[0] = 16;
    SUCCEEDS(encode(&map, &t));
    assert_int_equal(word(&map, 0x08) & 0x10780, 8u << 7 | 1u << 16);
}

static void a_new_address_changes_nothing_else(void **state)
{
    (void)state;
    CUtensorMap map, other;
    struct tiled t = usual();
    SUCCEEDS(encode(&map, &t));
    t.address += 4096;
    SUCCEEDS(encode(&other, &t));
    SUCCEEDS(cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)t.address)); /* NOLINT */
    assert_memory_equal(&map, &other, sizeof map);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)(t.address + 8))); /* NOLINT */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress(NULL, (void *)(uintptr_t)t.address));       /* NOLINT */
    memset(&map, 0, sizeof map);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)t.address)); /* NOLINT */
}

/* WRONG(change): with this change alone the map is refused. RIGHT: it is not. */
#define WITH(code, ...)                                                                                                \
    do {                                                                                                               \
        struct tiled t = usual();                                                                                      \
        __VA_ARGS__;                                                                                                   \
        ANSWERS(code, encode(&map, &t));                                                                               \
    } while (0)
#define WRONG(...) WITH(CUDA_ERROR_INVALID_VALUE, __VA_ARGS__)
#define RIGHT(...) WITH(CUDA_SUCCESS, __VA_ARGS__)

static void every_rule_of_the_documentation_is_checked_on_both_sides(void **state)
{
    (void)state;
    CUtensorMap map;
    RIGHT((void)t);
    WRONG(t.rank = 0);
    WRONG(t.rank = 6);
    WRONG(t.type = (CUtensorMapDataType)16);
    WRONG(t.address += 8);
    WRONG(t.size[1] = 0);
    WRONG(t.size[1] = (UINT64_C(1) << 32) + 1);
    RIGHT(t.size[1] = UINT64_C(1) << 32);
    WRONG(t.stride[0] = 520);
    RIGHT(t.stride[0] = 528);
    WRONG(t.stride[0] = UINT64_C(1) << 40);
    RIGHT(t.stride[0] = (UINT64_C(1) << 40) - 16);
    WRONG(t.box[1] = 0);
    WRONG(t.box[1] = 257);
    RIGHT(t.box[1] = 256);
    WRONG(t.box[0] = 60); /* 120 bytes */
    WRONG(t.box[0] = 72); /* 144 bytes, beyond the swizzle */
    RIGHT(t.box[0] = 72; t.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE);
    WRONG(t.swizzle = CU_TENSOR_MAP_SWIZZLE_64B);
    RIGHT(t.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; t.box[0] = 32);
    WRONG(t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; t.box[0] = 24);
    RIGHT(t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; t.box[0] = 16);
    WRONG(t.swizzle = (CUtensorMapSwizzle)7);
    WRONG(t.step[1] = 0);
    WRONG(t.step[1] = 9);
    WRONG(t.step[1] = 257);
    RIGHT(t.step[1] = 8);
    RIGHT(t.step[0] = 0); /* not looked at */
    WRONG(t.promotion = (CUtensorMapL2promotion)4);
    RIGHT(t.promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
    WRONG(t.fill = (CUtensorMapFloatOOBfill)2);
    RIGHT(t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
    WRONG(t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; t.type = CU_TENSOR_MAP_DATA_TYPE_UINT16);
}

static void interleaved_maps_have_rules_of_their_own(void **state)
{
    (void)state;
    CUtensorMap map;
    WRONG(t.interleave = (CUtensorMapInterleave)3; t.rank = 3);
    WRONG(t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B);
    RIGHT(t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; t.rank = 3);
    WRONG(t.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; t.rank = 3; t.step[0] = 0);
    WRONG(t.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; t.rank = 3);
    RIGHT(t.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; t.rank = 3; t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B);
    WRONG(t.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; t.rank = 3; t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
          t.address += 16);
    WRONG(t.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; t.rank = 3; t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
          t.stride[0] = 528);
}

static void pointers_are_checked(void **state)
{
    (void)state;
    _Alignas(128) uint8_t place[256];
    const struct tiled t = usual();
    void *at = (void *)(uintptr_t)t.address; /* NOLINT */
    CUtensorMap map;
#define CALL(to, size, stride, box, step)                                                                              \
    cuTensorMapEncodeTiled(to, t.type, t.rank, at, size, stride, box, step, t.interleave, t.swizzle, t.promotion,      \
                           t.fill)
    SUCCEEDS(CALL((CUtensorMap *)(void *)(place + 64), t.size, t.stride, t.box, t.step));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, CALL((CUtensorMap *)(void *)(place + 32), t.size, t.stride, t.box, t.step));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, CALL(NULL, t.size, t.stride, t.box, t.step));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, CALL(&map, NULL, t.stride, t.box, t.step));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, CALL(&map, t.size, NULL, t.box, t.step));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, CALL(&map, t.size, t.stride, NULL, t.step));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, CALL(&map, t.size, t.stride, t.box, NULL));
#undef CALL
}

static CUresult column(cuuint32_t rank, const int *lower, const int *upper, cuuint32_t channels, cuuint32_t pixels)
{
    CUtensorMap map;
    const cuuint64_t size[] = {64, 20, 20, 20, 4}, stride[] = {128, 2560, 51200, 1024000};
    const cuuint32_t step[] = {1, 1, 1, 1, 1};
    return cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rank, (void *)(uintptr_t)0x700000001000, size,
                                   stride, lower, upper, channels, pixels, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

#define CORNERS(...) ((const int[3]){__VA_ARGS__})

static void the_corners_of_im2col_have_a_range_by_rank(void **state)
{
    (void)state;
    const int *zero = CORNERS(0, 0, 0);
    SUCCEEDS(column(3, zero, zero, 64, 1024));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, column(2, zero, zero, 64, 64));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, column(3, zero, zero, 64, 1025));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, column(3, zero, zero, 64, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, column(3, zero, zero, 72, 64)); /* 144 bytes, beyond the swizzle */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, column(3, NULL, zero, 64, 64));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, column(3, zero, NULL, 64, 64));
    SUCCEEDS(column(3, CORNERS(-32768, 0, 0), CORNERS(32767, 0, 0), 64, 64));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, column(3, CORNERS(-32769, 0, 0), zero, 64, 64));
    SUCCEEDS(column(4, CORNERS(-128, -128, 0), CORNERS(127, 127, 0), 64, 64));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, column(4, CORNERS(-128, -129, 0), zero, 64, 64));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, column(4, zero, CORNERS(128, 0, 0), 64, 64));
    SUCCEEDS(column(5, CORNERS(-16, -16, -16), CORNERS(15, 15, 15), 64, 64));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, column(5, zero, CORNERS(0, 0, 16), 64, 64));
    SUCCEEDS(column(4, zero, CORNERS(-19, -19, 0), 64, 64));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, column(4, zero, CORNERS(-19, -20, 0), 64, 64)); /* empty */
}

static void im2col_along_w_came_with_sm_100(void **state)
{
    (void)state;
    CUtensorMap map;
    const cuuint64_t size[] = {64, 20, 4}, stride[] = {128, 2560};
    const cuuint32_t step[] = {1, 1, 1};
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED,
            cuTensorMapEncodeIm2colWide(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, (void *)(uintptr_t)0x700000001000,
                                        size, stride, 0, 0, 64, 64, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                        CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
}

UNIT_TESTS(UNIT(fields_are_where_compiled_code_changes_them), UNIT(a_new_address_changes_nothing_else),
           UNIT(every_rule_of_the_documentation_is_checked_on_both_sides),
           UNIT(interleaved_maps_have_rules_of_their_own), UNIT(pointers_are_checked),
           UNIT(the_corners_of_im2col_have_a_range_by_rank), UNIT(im2col_along_w_came_with_sm_100))
