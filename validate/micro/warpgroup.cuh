// Matrix multiplications by a warpgroup (wgmma) of sm_90a. See units.cuh.

#pragma once

#include "units.cuh"

// Products of the short and of the long run. Their operands are in shared memory, rows of 128 bytes with the usual
// swizzle, or A is in registers.
enum { SHORT_PRODUCTS = 4, LONG_PRODUCTS = 20, WG_A_BYTES = 64 * 128, WG_BYTES = WG_A_BYTES + 256 * 128 };

__device__ __forceinline__ u64 wg_descriptor(const void *at)
{
    u64 address = __cvta_generic_to_shared(at), rows = 8 * 128;
    return (address & 0x3ffff) >> 4 | rows >> 4 << 32 | 1ull << 62;
}

#define WG_TEN(t) "r" t "0, r" t "1, r" t "2, r" t "3, r" t "4, r" t "5, r" t "6, r" t "7, r" t "8, r" t "9"
#define WG_4 "{r0, r1, r2, r3}"
#define WG_8 "{r0, r1, r2, r3, r4, r5, r6, r7}"
#define WG_16 "{" WG_TEN("") ", r10, r11, r12, r13, r14, r15}"
#define WG_30 WG_TEN("") ", " WG_TEN("1") ", " WG_TEN("2")
#define WG_60 WG_30 ", " WG_TEN("3") ", " WG_TEN("4") ", " WG_TEN("5")
#define WG_120 WG_60 ", " WG_TEN("6") ", " WG_TEN("7") ", " WG_TEN("8") ", " WG_TEN("9") ", " WG_TEN("10") ", " WG_TEN("11")
#define WG_32 "{" WG_30 ", r30, r31}"
#define WG_64 "{" WG_60 ", r60, r61, r62, r63}"
#define WG_128 "{" WG_120 ", r120, r121, r122, r123, r124, r125, r126, r127}"

#define WG_FOUR(text) text text text text
#define WG_ONCE(text) text
#define WG_ARRIVE "wgmma.fence.sync.aligned; "
#define WG_WAIT "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; "

// One run between two clocks, in one piece, so that its accumulators stay in their registers. The first product does
// not add.
#define WG_TIME(TIMES, TYPE, ONE, FIRST, REST)                                                                         \
    asm volatile("{ .reg ." TYPE " r<128>; .reg .pred p; .reg .b64 t; setp.ne.u32 p, 0, 0; mov.u64 %0, %%clock64; "     \
                 WG_ARRIVE ONE "setp.ne.u32 p, 1, 0; " FIRST TIMES(REST) WG_WAIT                                       \
                 "mov.b32 %2, r0; mov.u64 %1, %%clock64; }"                                                            \
                 : "=l"(begin), "=l"(end), "=r"(sum)                                                                   \
                 : "l"(a), "l"(b), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])                                          \
                 : "memory")

#define WG_NOTE(run)                                                                                                   \
    {                                                                                                                  \
        u64 *out = times_of(p, run);                                                                                   \
        if (threadIdx.x % 32 == 0) {                                                                                   \
            out[0] = begin;                                                                                            \
            out[1] = end + (sum == 1);                                                                                 \
        }                                                                                                              \
    }

// streams 0: a train of products, and one wait behind it. 1: a wait behind each.
#define WG_KERNEL(NAME, TYPE, ONE)                                                                                     \
    KERNEL __launch_bounds__(128) warpgroup_##NAME(const __grid_constant__ unit p)                                     \
    {                                                                                                                  \
        __shared__ alignas(1024) unsigned char shared[WG_BYTES];                                                       \
        u64 a = wg_descriptor(shared), b = wg_descriptor(shared + WG_A_BYTES), begin, end;                             \
        u32 x[4] = {p.first, p.b, p.c, p.step}, sum;                                                                   \
        for (u32 i = threadIdx.x; i < WG_BYTES / 4; i += blockDim.x)                                                   \
            ((u32 *)shared)[i] = 0;                                                                                    \
        asm volatile("fence.proxy.async;" ::: "memory");                                                               \
        TWICE(round)                                                                                                   \
        {                                                                                                              \
            __syncthreads();                                                                                           \
            if (p.streams == 0) {                                                                                      \
                WG_TIME(WG_ONCE, TYPE, ONE, "", ONE ONE ONE);                                                          \
                WG_NOTE(0)                                                                                             \
                __syncthreads();                                                                                       \
                WG_TIME(WG_ONCE, TYPE, ONE, ONE ONE ONE, WG_FOUR(WG_FOUR(ONE)));                                       \
                WG_NOTE(1)                                                                                             \
            } else {                                                                                                   \
                WG_TIME(WG_ONCE, TYPE, ONE, "", WG_WAIT WG_ARRIVE ONE WG_WAIT WG_ARRIVE ONE WG_WAIT WG_ARRIVE ONE);    \
                WG_NOTE(0)                                                                                             \
                __syncthreads();                                                                                       \
                WG_TIME(WG_FOUR, TYPE, ONE, WG_WAIT WG_ARRIVE ONE WG_WAIT WG_ARRIVE ONE WG_WAIT WG_ARRIVE ONE,         \
                        WG_FOUR(WG_WAIT WG_ARRIVE ONE));                                                               \
                WG_NOTE(1)                                                                                             \
            }                                                                                                          \
        }                                                                                                              \
    }

#define WG_MMA "wgmma.mma_async.sync.aligned."
#define WG_SS "%3, %4, p, 1, 1, 0, 0; "
#define WG_RS "{%5, %6, %7, %8}, %4, p, 1, 1, 0; "
#define WG_F16(N, COUNT)                                                                                               \
    WG_KERNEL(f16_ss_##N, "f32", WG_MMA "m64n" #N "k16.f32.f16.f16 " WG_##COUNT ", " WG_SS)                            \
    WG_KERNEL(f16_rs_##N, "f32", WG_MMA "m64n" #N "k16.f32.f16.f16 " WG_##COUNT ", " WG_RS)

WG_F16(8, 4)
WG_F16(16, 8)
WG_F16(32, 16)
WG_F16(64, 32)
WG_F16(128, 64)
WG_F16(256, 128)
WG_KERNEL(bf16_ss_256, "f32", WG_MMA "m64n256k16.f32.bf16.bf16 " WG_128 ", " WG_SS)
WG_KERNEL(tf32_ss_256, "f32", WG_MMA "m64n256k8.f32.tf32.tf32 " WG_128 ", %3, %4, p, 1, 1; ")
WG_KERNEL(e4m3_ss_256, "f32", WG_MMA "m64n256k32.f32.e4m3.e4m3 " WG_128 ", %3, %4, p, 1, 1; ")
WG_KERNEL(s8_ss_256, "b32", WG_MMA "m64n256k32.s32.s8.s8 " WG_128 ", %3, %4, p; ")
