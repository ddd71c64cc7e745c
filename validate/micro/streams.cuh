// Streams over all SMs, atomics and fences. See chains.cuh.

#include "chains.cuh"

// ---- streams -----------------------------------------------------------------------------------------------------

enum { STREAM_NONE, STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_TRIAD };

// Pieces of 16 bytes. First `warm` pieces in the one mode, then `pieces` pieces behind them `passes` times in the
// other; counts are multiples of 4 x the threads of the grid. out: begin and end of each CTA.
struct stream {
    u64 a, b, c, out; // a is written; b and c are read
    u32 warm_mode, mode, warm, pieces, passes;
};

__device__ __forceinline__ uint4 load_piece(u64 base, u32 i)
{
    uint4 v;
    asm volatile("ld.global" NO_ALLOCATE ".v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(base + 16 * (u64)i));
    return v;
}

__device__ __forceinline__ void store_piece(u64 base, u32 i, uint4 v) { ((uint4 *)base)[i] = v; }

__device__ __forceinline__ float add_scaled(u32 b, u32 c) { return __uint_as_float(b) + 3.0f * __uint_as_float(c); }

__device__ __forceinline__ uint4 triad(uint4 b, uint4 c)
{
    return make_uint4(__float_as_uint(add_scaled(b.x, c.x)), __float_as_uint(add_scaled(b.y, c.y)),
                      __float_as_uint(add_scaled(b.z, c.z)), __float_as_uint(add_scaled(b.w, c.w)));
}

__device__ u32 run_stream(const stream &p, u32 mode, u32 from, u32 pieces)
{
    u32 threads = gridDim.x * blockDim.x, sum = 0;
    u32 i = from + blockIdx.x * blockDim.x + threadIdx.x, end = from + pieces;
    uint4 b[4], c[4];
    if (mode == STREAM_READ)
        for (; i < end; i += 4 * threads) {
            for (int k = 0; k < 4; k++)
                b[k] = load_piece(p.b, i + k * threads);
            for (int k = 0; k < 4; k++)
                sum ^= b[k].x ^ b[k].y ^ b[k].z ^ b[k].w;
        }
    else if (mode == STREAM_WRITE)
        for (; i < end; i += 4 * threads)
            for (int k = 0; k < 4; k++)
                store_piece(p.a, i + k * threads, make_uint4(i, i, i, i));
    else if (mode == STREAM_COPY)
        for (; i < end; i += 4 * threads) {
            for (int k = 0; k < 4; k++)
                b[k] = load_piece(p.b, i + k * threads);
            for (int k = 0; k < 4; k++)
                store_piece(p.a, i + k * threads, b[k]);
        }
    else if (mode == STREAM_TRIAD)
        for (; i < end; i += 4 * threads) {
            for (int k = 0; k < 4; k++) {
                b[k] = load_piece(p.b, i + k * threads);
                c[k] = load_piece(p.c, i + k * threads);
            }
            for (int k = 0; k < 4; k++)
                store_piece(p.a, i + k * threads, triad(b[k], c[k]));
        }
    return sum;
}

KERNEL __launch_bounds__(1024) stream_all(const __grid_constant__ stream p)
{
    u64 *out = (u64 *)p.out;
    use(run_stream(p, p.warm_mode, 0, p.warm), out);
    __syncthreads();
    u64 begin = clock64();
    u32 from = p.warm_mode == STREAM_READ ? 0 : p.warm; // what was read is read again, what was written is left
    for (u32 pass = 0; pass < p.passes; pass++)
        use(run_stream(p, p.mode, from, p.pieces), out);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = begin;
        out[2 * blockIdx.x + 1] = clock64();
    }
}

// ---- atomics -----------------------------------------------------------------------------------------------------

enum { ATOMIC_ADD, ATOMIC_CAS, ATOMIC_REDUCE };

// Each lane goes to base + offset[lane] + warp * warp_bytes + CTA * cta_bytes; lanes from `lanes` on do nothing.
struct atomics {
    u64 base, out, offset;
    u32 mode, rounds, lanes, warp_bytes, cta_bytes;
};

// A chain: what an atomic returns is the operand of the next.
KERNEL atomic_chain(const __grid_constant__ atomics p)
{
    u64 *out = (u64 *)p.out;
    u32 *at = (u32 *)(p.base + ((const u32 *)p.offset)[threadIdx.x]), value = 0;
    if (threadIdx.x >= p.lanes)
        return;
    TWICE(round)
    {
        u64 begin = clock_after(value, out + 1);
        if (p.mode == ATOMIC_ADD)
            for (u32 i = 0; i < p.rounds; i++)
                value = atomicAdd(at, value);
        else
            for (u32 i = 0; i < p.rounds; i++)
                value = atomicCAS(at, value, 0);
        u64 end = clock_after(value, out + 1);
        if (threadIdx.x == 0)
            out[0] = end - begin;
    }
}

KERNEL atomic_rate(const __grid_constant__ atomics p)
{
    u64 *out = (u64 *)p.out;
    u32 *at = (u32 *)(p.base + ((const u32 *)p.offset)[threadIdx.x % 32] + (u64)(threadIdx.x / 32) * p.warp_bytes +
                      (u64)blockIdx.x * p.cta_bytes);
    u32 sum = 0;
    TWICE(again)
    {
        __syncthreads();
        u64 begin = clock64();
        if (threadIdx.x % 32 < p.lanes) {
            if (p.mode == ATOMIC_REDUCE)
                for (u32 i = 0; i < p.rounds; i++)
                    asm volatile("red.global.add.u32 [%0], 1;" : : "l"(at) : "memory");
            else if (p.mode == ATOMIC_ADD)
#pragma unroll 4
                for (u32 i = 0; i < p.rounds; i++)
                    sum ^= atomicAdd(at, 1);
            else
#pragma unroll 4
                for (u32 i = 0; i < p.rounds; i++)
                    sum ^= atomicCAS(at, 0, 0);
        }
        __threadfence();
        write_times(out, begin, sum);
    }
}

KERNEL atomic_shared_chain(const __grid_constant__ atomics p)
{
    __shared__ u32 counters[2048];
    u64 *out = (u64 *)p.out;
    u32 *at = counters + ((const u32 *)p.offset)[threadIdx.x] / 4, value = 0;
    if (threadIdx.x >= p.lanes)
        return;
    *at = 0;
    __syncwarp(__activemask());
    TWICE(round)
    {
        u64 begin = clock_after(value, out + 1);
        if (p.mode == ATOMIC_ADD)
            for (u32 i = 0; i < p.rounds; i++)
                value = atomicAdd(at, value);
        else
            for (u32 i = 0; i < p.rounds; i++)
                value = atomicCAS(at, value, 0);
        u64 end = clock_after(value, out + 1);
        if (threadIdx.x == 0)
            out[0] = end - begin;
    }
}

KERNEL atomic_shared_rate(const __grid_constant__ atomics p)
{
    __shared__ u32 counters[2048];
    u64 *out = (u64 *)p.out;
    u32 *at = counters + ((const u32 *)p.offset)[threadIdx.x % 32] / 4, sum = 0;
    for (u32 i = threadIdx.x; i < 2048; i += blockDim.x)
        counters[i] = 0;
    TWICE(again)
    {
        __syncthreads();
        u64 begin = clock64();
        if (p.mode == ATOMIC_ADD)
#pragma unroll 8
            for (u32 i = 0; i < p.rounds; i++)
                sum ^= atomicAdd(at, 1);
        else
#pragma unroll 8
            for (u32 i = 0; i < p.rounds; i++)
                sum ^= atomicCAS(at, 0, 0);
        write_times(out, begin, sum);
    }
}

// ---- fences ------------------------------------------------------------------------------------------------------

enum { FENCE_NONE, FENCE_CTA, FENCE_GPU, FENCE_SYSTEM };

// out[0]: cycles of `rounds` fences, each behind a store when `store` is not 0.
KERNEL fence_cost(u32 *base, u64 *out, u32 mode, u32 store, u32 rounds)
{
    TWICE(again)
    {
        u64 begin = clock64();
        for (u32 i = 0; i < rounds; i++) {
            if (store)
                *(volatile u32 *)(base + threadIdx.x) = i;
            if (mode == FENCE_CTA)
                __threadfence_block();
            else if (mode == FENCE_GPU)
                __threadfence();
            else if (mode == FENCE_SYSTEM)
                __threadfence_system();
        }
        u64 end = clock64();
        if (threadIdx.x == 0)
            out[0] = end - begin;
    }
}
