// Chips of sm_90 and later beside each other: the path of FP32 and integers, the FP64 unit, chains by length, and an L1
// that is written. See units.cuh.

#pragma once

#include "units.cuh"

// out: two readings of the clock with nothing between them.
KERNEL clock_pair(const __grid_constant__ unit p)
{
    TWICE(round)
    {
        u64 begin = clock64(), end = clock64();
        if (threadIdx.x % 32 == 0) {
            times_of(p, 0)[0] = begin;
            times_of(p, 0)[1] = end;
        }
    }
}

// `streams` dependent instructions between two readings of the clock, of which the second does not wait for the last.
template <class STEP, int LENGTH> __device__ __forceinline__ void run_unwaited(const unit &p)
{
    if (p.streams != LENGTH)
        return;
    typedef typename STEP::value value;
    value x[1] = {(value)(p.first + threadIdx.x)};
    const operands<value> o = {(value)(threadIdx.x + p.b), (value)(threadIdx.x + p.c), false};
    TWICE(round)
    {
        __syncthreads();
        u64 begin = clock64();
        run_steps<STEP, LENGTH>(x, o);
        u64 end = clock64();
        *(volatile value *)(times_of(p, 1)) = x[0];
        if (threadIdx.x % 32 == 0) {
            times_of(p, 0)[0] = begin;
            times_of(p, 0)[1] = end;
        }
    }
}

#define UNWAITED(NAME)                                                                                                 \
    KERNEL unwaited_##NAME(const __grid_constant__ unit p)                                                             \
    {                                                                                                                  \
        run_unwaited<step_##NAME, 1>(p);                                                                               \
        run_unwaited<step_##NAME, 2>(p);                                                                               \
    }

UNWAITED(dfma)

// ---- integers and FP32 in one chain ------------------------------------------------------------------------------

// A step is one instruction of each kind, each of which takes the result of the one before.
STEP32(imad_ffma, "mad.lo.u32 %0, %0, %1, %2; fma.rn.f32 %0, %0, %1, %2;")
STEP32(iadd3_ffma, "add.u32 t, %0, %1; add.u32 %0, t, %2; fma.rn.f32 %0, %0, %1, %2;")
STEP32(lop3_ffma, "lop3.b32 %0, %0, %1, %2, 0xe8; fma.rn.f32 %0, %0, %1, %2;")
STEP32(converted, "mad.lo.u32 %0, %0, %1, %2; cvt.rn.f32.s32 %0, %0; fma.rn.f32 %0, %0, %1, %2; cvt.rzi.s32.f32 %0, %0;")

UNIT(imad_ffma)
UNIT(iadd3_ffma)
UNIT(lop3_ffma)
UNIT(converted)

// ---- chains by length --------------------------------------------------------------------------------------------

// So many turns (`step`) of a loop with a chain of `streams` instructions; each turn goes on where the last one ended.
template <class STEP, int LENGTH> __device__ __forceinline__ void run_looped(const unit &p)
{
    if (p.streams != LENGTH)
        return;
    typedef typename STEP::value value;
    value x[1] = {(value)(p.first + threadIdx.x)};
    const operands<value> o = {(value)(threadIdx.x + p.b), (value)(threadIdx.x + p.c), false};
    TWICE(round)
    {
        __syncthreads();
        u64 begin = clock64(), *out = times_of(p, 0);
#pragma unroll 1
        for (u32 turn = 0; turn < p.step; turn++)
            run_steps<STEP, LENGTH>(x, o);
        u64 end = clock_after((u64)x[0], out + 1);
        if (threadIdx.x % 32 == 0) {
            out[0] = begin;
            out[1] = end;
        }
    }
}

#define LOOPED(NAME)                                                                                                   \
    KERNEL __launch_bounds__(1024) looped_##NAME(const __grid_constant__ unit p)                                                               \
    {                                                                                                                  \
        run_looped<step_##NAME, 1>(p);                                                                                 \
        run_looped<step_##NAME, 2>(p);                                                                                 \
        run_looped<step_##NAME, 4>(p);                                                                                 \
        run_looped<step_##NAME, 8>(p);                                                                                 \
        run_looped<step_##NAME, 16>(p);                                                                                \
        run_looped<step_##NAME, 32>(p);                                                                                \
        run_looped<step_##NAME, 64>(p);                                                                                \
    }

LOOPED(imad)
LOOPED(ffma)
LOOPED(dfma)

// ---- an L1 that is written ---------------------------------------------------------------------------------------

// Each thread adds to a word of its own again and again, by a load and a store. out: begin and end of each warp.
KERNEL __launch_bounds__(1024) rewrite(const __grid_constant__ pattern p)
{
    u64 at = p.base + 4 * (u64)threadIdx.x, *out = (u64 *)p.out + 2 * (threadIdx.x / 32);
    TWICE(again)
    {
        __syncthreads();
        u64 begin = clock64();
#pragma unroll 1
        for (u32 round = 0; round < p.rounds; round++) {
            u32 x;
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(at) : "memory");
            asm volatile("st.global.u32 [%0], %1;" : : "l"(at), "r"(x + 1) : "memory");
        }
        u64 end = clock64();
        if (threadIdx.x % 32 == 0) {
            out[0] = begin;
            out[1] = end;
        }
    }
}
