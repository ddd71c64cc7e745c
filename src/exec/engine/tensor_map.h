/* Tensor maps: a program's description of a tensor in device memory, 128 bytes, for the copies of tensors.
 *
 *   0x00  63:0   address                    0x0c + 4i  31:0   stride of dimension i + 1 in bytes >> 4, low bits
 *   0x08  6:4    rank - 1                   0x1c       4i+3:4i   its bits 39:36
 *         10:7   element type               0x20 + 4i  31:0   size of dimension i, minus 1
 *         12:11  interleave                 0x34       3i+2:3i   element stride of dimension i, minus 1
 *         14:13  swizzle                               31:24  box of dimension 0, minus 1
 *         15     fill with NaN              0x38       8i+7:8i   box of dimension i + 1, minus 1
 *         16     tf32
 *         21:19  chunk of a swizzle
 *         22     96-byte swizzle
 *
 * Compiled code changes these fields in place (tensormap.replace), so their places are given, and makes whole maps of
 * zeros with them. The others are ours:
 *
 *   0x08  1:0    tile, im2col, :w, :w::128  0x40 + 2i  lower, 0x46 + 2i upper corner in W, H, D (im2col)
 *         18:17  promotion in the L2        0x4c       pixels of a column, minus 1
 *                                           0x7c       a number that says that this is a map */
#ifndef SUBCORE_EXEC_TENSOR_MAP_H
#define SUBCORE_EXEC_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/engine/swizzle.h"

enum { TENSOR_MAP_BYTES = 128, TENSOR_RANK = 5, TENSOR_SPATIAL = 3 };

/* X(id, number in a map, tf32, elements in a unit, its bytes in device memory, in shared memory, is a float,
 * pattern that fills with NaN: HALF_OUTSIDE in each half word). Types of 4 and 6 bits come in units of 16 elements. */
#define TENSOR_TYPES(X)                                                                                                \
    X(U8, 0, false, 1, 1, 1, false, 0)                                                                                 \
    X(U16, 1, false, 1, 2, 2, false, 0)                                                                                \
    X(U32, 2, false, 1, 4, 4, false, 0)                                                                                \
    X(S32, 3, false, 1, 4, 4, false, 0)                                                                                \
    X(U64, 4, false, 1, 8, 8, false, 0)                                                                                \
    X(S64, 5, false, 1, 8, 8, false, 0)                                                                                \
    X(F16, 6, false, 1, 2, 2, true, 0x7ff7)                                                                            \
    X(F32, 7, false, 1, 4, 4, true, 0x7ff77ff7)                                                                        \
    X(F32_FTZ, 8, false, 1, 4, 4, true, 0x7ff77ff7)                                                                    \
    X(F64, 9, false, 1, 8, 8, true, 0x7ff77ff77ff77ff7)                                                                \
    X(BF16, 10, false, 1, 2, 2, true, 0x7ff7)                                                                          \
    X(B4X16, 11, false, 16, 8, 8, false, 0)                                                                            \
    X(B4X16_P64, 12, false, 16, 8, 16, false, 0)                                                                       \
    X(B6X16_P32, 13, false, 16, 12, 16, false, 0)                                                                      \
    X(TF32, 7, true, 1, 4, 4, true, 0x7ff77ff7)                                                                        \
    X(TF32_FTZ, 8, true, 1, 4, 4, true, 0x7ff77ff7)

enum tensor_type {
#define X(id, ...) TENSOR_##id,
    TENSOR_TYPES(X)
#undef X
        TENSOR_TYPE_COUNT
};

enum { TENSOR_WIDE_W = 1, TENSOR_WIDE_W128 };
enum { TENSOR_W128_PIXELS = 128 };

enum tensor_interleave { INTERLEAVE_NONE, INTERLEAVE_16B, INTERLEAVE_32B, INTERLEAVE_COUNT };

struct tensor_map {
    uint64_t address;
    uint64_t stride[TENSOR_RANK]; /* bytes, below 2^40; [0]: of a unit */
    uint64_t size[TENSOR_RANK];   /* elements, 1 .. 2^32 */
    uint16_t box[TENSOR_RANK];    /* elements, 1 .. 256; im2col: [0] channels of a pixel */
    uint8_t step[TENSOR_RANK];    /* 1 .. 8: every step-th element is taken */
    uint8_t rank;                 /* 1 .. 5 */
    uint8_t type;                 /* enum tensor_type */
    uint8_t interleave;           /* enum tensor_interleave */
    uint8_t swizzle;              /* enum swizzle */
    uint8_t promotion;            /* bytes that the L2 fetches at least: 0 a sector, 1 64, 2 128, 3 256 */
    bool fill_nan;                /* elements outside of the tensor are NaN, else 0 */
    bool im2col;
    uint8_t wide; /* of im2col: a column runs along W alone (1: im2col::w, 2: im2col::w::128) */
    int16_t lower[TENSOR_SPATIAL], upper[TENSOR_SPATIAL]; /* W, H, D */
    uint16_t pixels;                                      /* of a column, 1 .. 1024 */
};

struct tensor_type_facts {
    uint8_t number; /* in a map */
    bool tf32;
    uint8_t unit;   /* elements of a unit */
    uint8_t global; /* bytes of a unit in device memory */
    uint8_t shared; /* and in shared memory */
    bool is_float;
    uint64_t nan;
};

/* Returns the description of a type. */
const struct tensor_type_facts *tensor_type_facts(enum tensor_type type);

/* Returns the bytes among which the map's swizzle exchanges chunks (0: it has none). */
uint32_t tensor_map_span(const struct tensor_map *map);

/* Writes a map that tensor_map_wrong has nothing against. */
void tensor_map_encode(const struct tensor_map *map, uint8_t bytes[TENSOR_MAP_BYTES]);

/* Reads a map. Returns false if it is none. A map may still have mistakes. */
bool tensor_map_decode(const uint8_t bytes[TENSOR_MAP_BYTES], struct tensor_map *map);

/* Returns the mistake in a map, as a noun and a verb such as "its rank is above 5" (NULL: none). The rules are those of
 * cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide in the CUDA Driver API. */
const char *tensor_map_wrong(const struct tensor_map *map);

#endif
