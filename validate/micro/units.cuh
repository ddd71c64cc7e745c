// Latency and throughput of each kind of instruction. See chains.cuh.

#pragma once

#include "chains.cuh"

// Steps of the short and of the long run of one chain, in straight code; and of a turn of a stream, CHAINS of them beside
// each other, which runs so many turns and three times as many.
enum { SHORT_CHAIN = 4, LONG_CHAIN = 36, CHAINS = 4, STREAM = 32 };

// out: for each warp begin and end of the short run, then of each that of the long one.
struct unit {
    u64 out;
    u32 first, step, b, c; // of the chains: first + thread + chain * step; two operands
    u32 streams;           // turns of the loop; 0: one chain
};

__device__ __forceinline__ u64 *times_of(const unit &p, u32 run)
{
    return (u64 *)p.out + 2 * (run * (blockDim.x / 32) + threadIdx.x / 32);
}

template <class VALUE> struct operands {
    VALUE b, c;
    bool p;
};

// What one step of a chain is. The assembler has to make one instruction of it, or those that `with` names;
// tests/validate/instructions.c looks.
#define STEP(NAME, VALUE, LETTER, TEXT)                                                                                \
    struct step_##NAME {                                                                                               \
        typedef VALUE value;                                                                                           \
        static __device__ __forceinline__ void run(value &x, const operands<value> &o, int)                               \
        {                                                                                                              \
            asm volatile("{ .reg .pred p; .reg .b32 t, u; .reg .b16 h; setp.ne.u32 p, %3, 0; " TEXT " }"                \
                         : "+" LETTER(x)                                                                               \
                         : LETTER(o.b), LETTER(o.c), "r"((u32)o.p));                                                   \
        }                                                                                                              \
    };
#define STEP32(NAME, TEXT) STEP(NAME, u32, "r", TEXT)
#define STEP64(NAME, TEXT) STEP(NAME, u64, "l", TEXT)

STEP32(fadd, "add.f32 %0, %0, %1;")
STEP32(fmul, "mul.f32 %0, %0, %1;")
STEP32(ffma, "fma.rn.f32 %0, %0, %1, %2;")
STEP32(fmnmx, "min.f32 %0, %0, %1; max.f32 %0, %0, %2;")
STEP32(iadd3, "add.u32 t, %0, %1; add.u32 %0, t, %2;")
STEP32(imad, "mad.lo.u32 %0, %0, %1, %2;")
STEP64(imad_wide, "mov.b64 {t, u}, %0; mul.wide.u32 %0, t, u;")
STEP32(imnmx, "min.s32 %0, %0, %1; max.u32 %0, %0, %2;")
STEP32(lop3, "lop3.b32 %0, %0, %1, %2, 0xe8;")
STEP32(shf, "shf.l.wrap.b32 %0, %0, %1, %2;")
STEP32(sel, "selp.b32 %0, %0, %1, p;")
STEP32(prmt, "prmt.b32 %0, %0, %1, %2;")
STEP32(popc, "popc.b32 %0, %0;")
STEP32(flo, "bfind.u32 %0, %0;")
STEP32(brev, "brev.b32 %0, %0;")
STEP32(ex2, "ex2.approx.ftz.f32 %0, %0;")
STEP32(rcp, "abs.f32 t, %0; rcp.approx.ftz.f32 %0, t;")
STEP32(rsq, "rsqrt.approx.ftz.f32 %0, %0;")
STEP32(sin, "sin.approx.ftz.f32 %0, %0;")
STEP32(f2i, "cvt.rni.s32.f32 %0, %0;")
STEP32(i2f, "cvt.rn.f32.s32 %0, %0;")
STEP32(f2f, "cvt.rn.f16.f32 h, %0; cvt.u32.u16 %0, h;")
STEP32(frnd, "cvt.rni.f32.f32 %0, %0;")
STEP32(hadd2, "add.f16x2 %0, %0, %1;")
STEP32(hmul2, "mul.f16x2 %0, %0, %1;")
STEP32(hfma2, "fma.rn.f16x2 %0, %0, %1, %2;")
// A chain of pairs of halves goes to and fro between two units where there is HFMA2.MMA; of single halves it does not.
#define HALVES "{ .reg .b16 x, y, z, n; mov.b32 {x, n}, %0; mov.b32 {y, n}, %1; mov.b32 {z, n}, %2; "
STEP32(hadd2_alone, HALVES "add.f16 x, x, y; mov.b32 %0, {x, x}; }")
STEP32(hmul2_alone, HALVES "mul.f16 x, x, y; mov.b32 %0, {x, x}; }")
STEP32(hfma2_alone, HALVES "fma.rn.f16 x, x, y, z; mov.b32 %0, {x, x}; }")
STEP32(isetp, "setp.lt.u32 p, %0, %1; selp.b32 %0, %1, %2, p;")
STEP64(dadd, "add.f64 %0, %0, %1;")
STEP64(dmul, "mul.f64 %0, %0, %1;")
STEP64(dfma, "fma.rn.f64 %0, %0, %1, %2;")
STEP32(shfl, "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")
STEP32(vote, "setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;")
#if __CUDA_ARCH__ >= 700
STEP32(match, "match.any.sync.b32 %0, %0, -1;")
#endif
STEP32(lds, "ld.shared.b32 %0, [%0];")

template <class STEP, int STEPS, int COUNT>
__device__ __forceinline__ void run_steps(typename STEP::value (&x)[COUNT], const operands<typename STEP::value> &o)
{
#pragma unroll
    for (int step = 0; step < STEPS; step++)
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            STEP::run(x[k], o, k);
}

template <class STEP, int STEPS, int COUNT>
__device__ __forceinline__ void time_steps(typename STEP::value (&x)[COUNT], const operands<typename STEP::value> &o,
                                           u64 *out, u32 turns = 1)
{
    TWICE(round)
    {
        __syncthreads();
        u64 begin = clock64();
        if (COUNT == 1)
            run_steps<STEP, STEPS>(x, o);
        else
#pragma unroll 1
            for (u32 turn = 0; turn < turns; turn++)
                run_steps<STEP, STEPS>(x, o);
        u64 sum = 0;
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            sum ^= x[k];
        u64 end = clock_after(sum, out + 1);
        if (threadIdx.x % 32 == 0) {
            out[0] = begin;
            out[1] = end;
        }
    }
}

template <class STEP, int COUNT> struct chains_of {
    typename STEP::value x[COUNT];
    operands<typename STEP::value> o;
    __device__ __forceinline__ chains_of(const unit &p, u32 first)
    {
        typedef typename STEP::value value;
        o.b = (value)(threadIdx.x + p.b) * (value)0x100000001;
        o.c = (value)(threadIdx.x + p.c) * (value)0x100000001;
        o.p = (threadIdx.x ^ p.b) & 1;
        for (int k = 0; k < COUNT; k++)
            x[k] = (value)(first + k * p.step) * (value)0x100000001;
    }
};

template <class STEP> __device__ __forceinline__ void run_stream_of(const unit &p, u32 first)
{
    chains_of<STEP, CHAINS> c(p, first);
#pragma unroll 1
    for (u32 run = 0; run < 2; run++)
        time_steps<STEP, STREAM>(c.x, c.o, times_of(p, run), run ? 3 * p.streams : p.streams);
}

template <class STEP, class ALONE = STEP> __device__ __forceinline__ void run_unit(const unit &p, u32 first)
{
    if (p.streams) {
        run_stream_of<STEP>(p, first);
    } else {
        chains_of<ALONE, 1> c(p, first);
        time_steps<ALONE, SHORT_CHAIN>(c.x, c.o, times_of(p, 0));
        time_steps<ALONE, LONG_CHAIN>(c.x, c.o, times_of(p, 1));
    }
}

#define UNIT_AND(NAME, ALONE)                                                                                          \
    KERNEL __launch_bounds__(1024) unit_##NAME(const __grid_constant__ unit p)                                         \
    {                                                                                                                  \
        run_unit<step_##NAME, step_##ALONE>(p, p.first + threadIdx.x);                                                 \
    }
#define UNIT(NAME) UNIT_AND(NAME, NAME)

UNIT(fadd)
UNIT(fmul)
UNIT(ffma)
UNIT(fmnmx)
UNIT(iadd3)
UNIT(imad)
UNIT(imad_wide)
UNIT(imnmx)
UNIT(lop3)
UNIT(shf)
UNIT(sel)
UNIT(prmt)
UNIT(isetp)
UNIT(popc)
UNIT(flo)
UNIT(brev)
UNIT(ex2)
UNIT(rcp)
UNIT(rsq)
UNIT(sin)
UNIT(f2i)
UNIT(i2f)
UNIT(f2f)
UNIT(frnd)
UNIT_AND(hadd2, hadd2_alone)
UNIT_AND(hmul2, hmul2_alone)
UNIT_AND(hfma2, hfma2_alone)
UNIT(dadd)
UNIT(dmul)
UNIT(dfma)
UNIT(shfl)
UNIT(vote)
#if __CUDA_ARCH__ >= 700
UNIT(match)
#endif

// Of every four chains OTHERS are of the second kind.
template <class A, class B, int OTHERS> struct step_mix {
    typedef typename A::value value;
    static __device__ __forceinline__ void run(value &x, const operands<value> &o, int k)
    {
        if (OTHERS == 1 ? k == 3 : OTHERS == 2 ? k % 2 : k)
            B::run(x, o, k);
        else
            A::run(x, o, k);
    }
};

#define MIX(A, B, ONES, OTHERS)                                                                                        \
    KERNEL __launch_bounds__(1024) mix_##A##_##B##_##ONES##_##OTHERS(const __grid_constant__ unit p)                   \
    {                                                                                                                  \
        run_stream_of<step_mix<step_##A, step_##B, OTHERS>>(p, p.first + threadIdx.x);                                 \
    }

MIX(ffma, imad, 3, 1)
MIX(ffma, imad, 2, 2)
MIX(ffma, imad, 1, 3)
MIX(ffma, iadd3, 3, 1)
MIX(ffma, iadd3, 2, 2)
MIX(ffma, iadd3, 1, 3)
MIX(ffma, lop3, 3, 1)
MIX(ffma, lop3, 2, 2)
MIX(ffma, lop3, 1, 3)

// Each lane's words hold their own addresses.
KERNEL __launch_bounds__(1024) unit_lds(const __grid_constant__ unit p)
{
    u32 at = shared_address(space) + 4 * (threadIdx.x % 32);
    for (int k = 0; k < CHAINS; k++)
        asm volatile("st.shared.u32 [%0], %0;" : : "r"(at + k * p.step) : "memory");
    run_unit<step_lds>(p, at);
}

// Chains of 1 to 1024 steps; `streams` chooses the length. out: begin and end.
template <class STEP, int LENGTH> __device__ __forceinline__ void run_length(const unit &p)
{
    if (p.streams == LENGTH) {
        typename STEP::value x[1] = {p.first + threadIdx.x};
        const operands<typename STEP::value> o = {threadIdx.x + p.b, threadIdx.x + p.c, false};
        time_steps<STEP, LENGTH>(x, o, (u64 *)p.out);
    }
}

template <class STEP> __device__ __forceinline__ void run_lengths(const unit &p)
{
    run_length<STEP, 1>(p);
    run_length<STEP, 2>(p);
    run_length<STEP, 4>(p);
    run_length<STEP, 8>(p);
    run_length<STEP, 16>(p);
    run_length<STEP, 32>(p);
    run_length<STEP, 64>(p);
    run_length<STEP, 256>(p);
    run_length<STEP, 1024>(p);
}

KERNEL length_ffma(const __grid_constant__ unit p) { run_lengths<step_ffma>(p); }
KERNEL length_imad(const __grid_constant__ unit p) { run_lengths<step_imad>(p); }

// ---- barriers ----------------------------------------------------------------------------------------------------

STEP32(barrier, "bar.sync 0;")
STEP32(barrier_1, "bar.sync 1, 128;")
STEP32(barrier_2, "bar.sync 2, 128;")
STEP32(barrier_3, "bar.sync 3, 128;")
STEP32(barrier_4, "bar.sync 4, 128;")
STEP32(syncwarp, "bar.warp.sync %1;")

template <class STEP> __device__ __forceinline__ void run_barrier(const unit &p)
{
    u32 x[1] = {p.first};
    const operands<u32> o = {p.b, p.c, false};
    time_steps<STEP, SHORT_CHAIN>(x, o, times_of(p, 0));
    time_steps<STEP, LONG_CHAIN>(x, o, times_of(p, 1));
}

KERNEL __launch_bounds__(1024) barrier_cta(const __grid_constant__ unit p) { run_barrier<step_barrier>(p); }

// One of up to four groups of four warps, each with a barrier of its own.
template <class STEP> __device__ __forceinline__ void run_group(const unit &p)
{
    for (int run = 0; run < 2; run++) {
        u64 begin = 0, end = 0;
        TWICE(round)
        {
            begin = clock64();
            u32 x = 0;
            const operands<u32> o = {p.b, p.c, false};
            if (run == 0) {
#pragma unroll
                for (int step = 0; step < SHORT_CHAIN; step++)
                    STEP::run(x, o, 0);
            } else {
#pragma unroll
                for (int step = 0; step < LONG_CHAIN; step++)
                    STEP::run(x, o, 0);
            }
            end = clock64();
        }
        if (threadIdx.x % 32 == 0) {
            times_of(p, run)[0] = begin;
            times_of(p, run)[1] = end;
        }
    }
}

KERNEL __launch_bounds__(512) barrier_group(const __grid_constant__ unit p)
{
    if (threadIdx.x < 128)
        run_group<step_barrier_1>(p);
    else if (threadIdx.x < 256)
        run_group<step_barrier_2>(p);
    else if (threadIdx.x < 384)
        run_group<step_barrier_3>(p);
    else
        run_group<step_barrier_4>(p);
}

// b: the mask of all lanes.
KERNEL __launch_bounds__(1024) barrier_warp(const __grid_constant__ unit p) { run_barrier<step_syncwarp>(p); }

// ---- latency under load ------------------------------------------------------------------------------------------

// Each lane loads again and again from base + offset[lane], where it finds that address. out: begin and end of each
// warp.
KERNEL __launch_bounds__(1024) l1_chain(const __grid_constant__ pattern p)
{
    u64 at = p.base + ((const u32 *)p.offset)[threadIdx.x % 32], *out = (u64 *)p.out + 2 * (threadIdx.x / 32);
    TWICE(again)
    {
        __syncthreads();
        u64 begin = clock64();
#pragma unroll 1
        for (u32 round = 0; round < p.rounds; round++)
#pragma unroll
            for (int k = 0; k < 8; k++)
                at = load_next<CACHE_ALL>(at);
        u64 end = clock_after(at, out + 1);
        if (threadIdx.x % 32 == 0) {
            out[0] = begin;
            out[1] = end;
        }
    }
}

// The same in shared memory; base does not count.
KERNEL __launch_bounds__(1024) shared_chain(const __grid_constant__ pattern p)
{
    u32 at = shared_address(space) + ((const u32 *)p.offset)[threadIdx.x % 32];
    u64 *out = (u64 *)p.out + 2 * (threadIdx.x / 32);
    asm volatile("st.shared.u32 [%0], %0;" : : "r"(at) : "memory");
    TWICE(again)
    {
        __syncthreads();
        u64 begin = clock64();
#pragma unroll 1
        for (u32 round = 0; round < p.rounds; round++)
#pragma unroll
            for (int k = 0; k < 8; k++)
                asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
        u64 end = clock_after(at, out + 1);
        if (threadIdx.x % 32 == 0) {
            out[0] = begin;
            out[1] = end;
        }
    }
}

// One lane of each warp follows the ring of `lines` lines of 128 bytes at base, each from a place of its own; all have
// been read before. out: begin and end of each warp of the grid.
struct ring {
    u64 base, out;
    u32 lines, hops, apart; // apart: lines from one warp's place to the next one's
};

KERNEL __launch_bounds__(1024) l2_ring(const __grid_constant__ ring p)
{
    u32 thread = blockIdx.x * blockDim.x + threadIdx.x, warp = thread / 32, sum = 0;
    u64 *out = (u64 *)p.out + 2 * warp;
    for (u32 i = threadIdx.x; i < p.lines; i += blockDim.x)
        sum ^= load_words<CACHE_L2, 1>(p.base + (u64)i * 128);
    use(sum, out);
    u64 at = p.base + (u64)(warp * p.apart % p.lines) * 128;
    TWICE(again)
    {
        __syncthreads();
        if (threadIdx.x % 32 == 0) {
            u64 begin = clock_after(at, out + 1);
#pragma unroll 1
            for (u32 hop = 0; hop < p.hops; hop += 8)
#pragma unroll
                for (int k = 0; k < 8; k++)
                    at = load_next<CACHE_L2>(at);
            u64 end = clock_after(at, out + 1);
            out[0] = begin;
            out[1] = end;
        }
    }
}
