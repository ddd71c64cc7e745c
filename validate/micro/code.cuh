// Launches of kernels that do nothing, and straight code of growing length. See chains.cuh.

#pragma once

#include "chains.cuh"
#include "code_sizes.def"

KERNEL launch_empty() {}

// ---- instruction caches ------------------------------------------------------------------------------------------

enum { CODE_KIB = 1024 / 16, CODE_CHAINS = 8, CODE_TURNS = 16 };

// out: begin and end of each of 16 turns through the end of the code, of the size with this number; 0: past all of it.
struct code {
    u64 out;
    u32 size, first, b, c;
};

// KiB of straight code: each step is an FFMA, of eight chains in turn.
template <int KIB> __device__ __forceinline__ void run_code(u32 (&x)[CODE_CHAINS], u32 b, u32 c)
{
#pragma unroll
    for (int i = 0; i < KIB * CODE_KIB; i++)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+r"(x[i % CODE_CHAINS]) : "r"(b), "r"(c));
}

// A turn reads the clock, then jumps to where its code begins; from there on there is no branch.
#define CODE_ENTRY(NUMBER, KIB, NEXT)                                                                                  \
    case NUMBER:                                                                                                       \
        begin = clock64();                                                                                             \
        goto kib_##KIB;
#define CODE_PIECE(NUMBER, KIB, NEXT)                                                                                  \
    kib_##KIB:                                                                                                         \
    run_code<KIB - NEXT>(x, b, c);

KERNEL code_curve(const __grid_constant__ code p)
{
    u32 x[CODE_CHAINS], b = p.b, c = p.c;
    asm volatile("" : "+r"(b), "+r"(c)); // in registers once and for all
    for (int k = 0; k < CODE_CHAINS; k++)
        x[k] = p.first + k + threadIdx.x;
#pragma unroll 1
    for (u32 turn = 0; turn < CODE_TURNS; turn++) {
        u64 *out = (u64 *)p.out + 2 * turn, begin = 0;
        switch (p.size) {
            CODE_SIZES(CODE_ENTRY)
        default:
            begin = clock64();
            goto none;
        }
        CODE_SIZES(CODE_PIECE)
    none:
        u64 sum = 0;
        for (int k = 0; k < CODE_CHAINS; k++)
            sum ^= x[k];
        u64 end = clock_after(sum, out + 1);
        if (threadIdx.x == 0) {
            out[0] = begin;
            out[1] = end;
        }
    }
}
