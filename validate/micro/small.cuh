// Matrices of 8, 6 and 4 bits: mma.sync of FP8 from sm_89 on, here of sm_90, where it becomes conversions and products of
// FP16; and every form of sm_120. See matrix.cuh.

#pragma once

#include "matrix.cuh"

#define EIGHT "kind::f8f6f4."

#if __CUDA_ARCH__ >= 1200
MMA_442(e4m3_f32_16832, EIGHT "m16n8k32.row.col.f32.e4m3.e4m3.f32")
MMA_442(e5m2_f32_16832, EIGHT "m16n8k32.row.col.f32.e5m2.e5m2.f32")
#else
// A takes the accumulator in: the compiler adds products of FP16 to it, and of equal operands it would make one product.
#define MMA_CONVERTED(NAME, FORM)                                                                                      \
    struct mma_##NAME {                                                                                                \
        typedef u32 value;                                                                                             \
        enum { ACCUMULATORS = 4 };                                                                                     \
        static __device__ __forceinline__ void run(u32 *x, const fragments<u32> &f)                                    \
        {                                                                                                              \
            u32 a = f.a[0] ^ x[0];                                                                                     \
            asm volatile("mma.sync.aligned." FORM " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"    \
                         : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])                                              \
                         : "r"(a), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]));                   \
        }                                                                                                              \
    };
MMA_CONVERTED(e4m3_f32_16832, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
MMA_CONVERTED(e5m2_f32_16832, "m16n8k32.row.col.f32.e5m2.e5m2.f32")
#endif

MATRIX(e4m3_f32_16832)
MATRIX(e5m2_f32_16832)

#if __CUDA_ARCH__ >= 1200
// With scales: of A, of B, and which bytes and lanes have them.
#define MMA_SCALED(NAME, FORM)                                                                                         \
    struct mma_##NAME {                                                                                                \
        typedef u32 value;                                                                                             \
        enum { ACCUMULATORS = 4 };                                                                                     \
        static __device__ __forceinline__ void run(u32 *x, const fragments<u32> &f)                                    \
        {                                                                                                              \
            asm volatile("mma.sync.aligned." FORM " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, "   \
                         "%10, {0, 0}, %11, {0, 0};"                                                                   \
                         : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])                                              \
                         : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]),               \
                           "r"(f.a[0]), "r"(f.b[0]));                                                                  \
        }                                                                                                              \
    };

MMA_242(e4m3_f16_16832, EIGHT "m16n8k32.row.col.f16.e4m3.e4m3.f16")
MMA_442(e3m2_f32_16832, EIGHT "m16n8k32.row.col.f32.e3m2.e3m2.f32")
MMA_442(e2m3_f32_16832, EIGHT "m16n8k32.row.col.f32.e2m3.e2m3.f32")
MMA_442(e2m1_f32_16832, EIGHT "m16n8k32.row.col.f32.e2m1.e2m1.f32")
MMA_SCALED(mxf8_16832, "kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0")
MMA_SCALED(mxf6_16832, "kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e3m2.e3m2.f32.ue8m0")
MMA_SCALED(mxf4_16864, "kind::mxf4.block_scale.scale_vec::2X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0")
MMA_SCALED(nvf4_16864, "kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3")

MATRIX(e4m3_f16_16832)
MATRIX(e3m2_f32_16832)
MATRIX(e2m3_f32_16832)
MATRIX(e2m1_f32_16832)
MATRIX(mxf8_16832)
MATRIX(mxf6_16832)
MATRIX(mxf4_16864)
MATRIX(nvf4_16864)
#endif
