// The kernels of the micro-benchmarks. They are plain CUDA and read clock64 themselves, so that the simulator and a
// real GPU run the same code; measure.h says how the host side sees a GPU.
//
// A host program that measures lays chains of addresses into memory: each word holds the address of the next.

#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;

#define KERNEL extern "C" __global__ void

// ---- one access --------------------------------------------------------------------------------------------------

// ALL: plain. L2: weak as well, but the line is not kept in the L1. STRONG: .cg, which compilers make a load that is
// coherent over the GPU.
enum { CACHE_ALL, CACHE_L2, CACHE_STRONG };

#define LOAD(CACHE, SUFFIX, RESULT, AT)                                                                                \
    if (CACHE == CACHE_ALL)                                                                                            \
        asm volatile("ld.global" SUFFIX : RESULT : "l"(AT));                                                           \
    else if (CACHE == CACHE_L2)                                                                                        \
        asm volatile("ld.global" NO_ALLOCATE SUFFIX : RESULT : "l"(AT));                                           \
    else                                                                                                               \
        asm volatile("ld.global.cg" SUFFIX : RESULT : "l"(AT))
#define COMMA ,

template <int CACHE> __device__ __forceinline__ u64 load_next(u64 at)
{
    u64 next;
    LOAD(CACHE, ".u64 %0, [%1];", "=l"(next), at);
    return next;
}

// WORDS x 4 bytes by one lane.
template <int CACHE, int WORDS> __device__ __forceinline__ u32 load_words(u64 at)
{
    u32 a, b = 0, c = 0, d = 0;
    if (WORDS == 1) {
        LOAD(CACHE, ".u32 %0, [%1];", "=r"(a), at);
    } else if (WORDS == 2) {
        LOAD(CACHE, ".v2.u32 {%0, %1}, [%2];", "=r"(a) COMMA "=r"(b), at);
    } else {
        LOAD(CACHE, ".v4.u32 {%0, %1, %2, %3}, [%4];", "=r"(a) COMMA "=r"(b) COMMA "=r"(c) COMMA "=r"(d), at);
    }
    return a ^ b ^ c ^ d;
}

template <int WORDS> __device__ __forceinline__ u32 load_shared(u32 at)
{
    u32 a, b = 0, c = 0, d = 0;
    if (WORDS == 1)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
    else if (WORDS == 2)
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
    else
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
    return a ^ b ^ c ^ d;
}

extern __shared__ uint4 space[]; // dynamic

__device__ __forceinline__ u32 shared_address(const void *at) { return (u32)__cvta_generic_to_shared(at); }

__device__ __forceinline__ u32 sm_number()
{
    u32 sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

// Stores what an access gave, which makes the warp wait for it, then reads the clock.
__device__ __forceinline__ u64 clock_after(u64 value, u64 *keep)
{
    *(volatile u64 *)keep = value;
    return clock64();
}

// The first time brings the code into the instruction caches, the second one counts.
#define TWICE(round) _Pragma("unroll 1") for (int round = 0; round < 2; round++)

// Stands where a result must be used but is never wanted.
__device__ __forceinline__ void use(u32 value, u64 *out)
{
    if (value == 0x5ca1ab1e)
        *out = value;
}

// ---- chains ------------------------------------------------------------------------------------------------------

// The i-th place of a walk over 0..mask in an order without a pattern: a one-to-one map. chain.c has the same.
__device__ __forceinline__ u32 place_of(u32 i, u32 mask)
{
    u32 shift = (32 - __clz(mask)) / 2 + 1;
    i = (i * 0x9e3779b1u) & mask;
    i ^= i >> shift;
    i = (i * 0x85ebca6bu) & mask;
    i ^= i >> shift;
    return i;
}

struct chase {
    u64 base, out, first;
    u32 lines, mask, stride; // places of the chain, the walk they come from, bytes between them
    u32 warm;                // passes over all lines, by all threads, into the L2, in the chain's order
    u32 pages;               // before these: a line of each 2 MiB is touched
    u32 lap, hops;           // untimed and timed, both multiples of 8
};

template <int CACHE> __device__ __forceinline__ void run_chase(const chase &p)
{
    u32 sum = 0;
    for (u32 i = threadIdx.x; i < p.pages; i += blockDim.x)
        sum ^= load_words<CACHE_L2, 1>(p.base + ((u64)i << 21));
    for (u32 pass = 0; pass < p.warm; pass++)
        for (u32 i = threadIdx.x; i <= p.mask; i += blockDim.x) {
            u32 line = place_of(i, p.mask);
            if (line < p.lines)
                sum ^= load_words<CACHE_L2, 1>(p.base + (u64)line * p.stride);
        }
    u64 *out = (u64 *)p.out;
    use(sum, out);
    __syncthreads();
    if (threadIdx.x)
        return;
    u64 at = p.first;
    TWICE(round)
    {
        u64 begin = clock_after(at, out + 1);
#pragma unroll 1
        for (u32 i = 0; i < (round ? p.hops : p.lap); i += 8)
#pragma unroll
            for (int k = 0; k < 8; k++)
                at = load_next<CACHE>(at);
        out[0] = clock_after(at, out + 1) - begin;
    }
}

KERNEL chase_ca(const __grid_constant__ chase p) { run_chase<CACHE_ALL>(p); }
KERNEL chase_l2(const __grid_constant__ chase p) { run_chase<CACHE_L2>(p); }
KERNEL chase_cg(const __grid_constant__ chase p) { run_chase<CACHE_STRONG>(p); }

// The same in shared memory: `table` holds `count` byte offsets, each of the next.
KERNEL chase_shared(const u32 *table, u64 *out, u32 count, u32 hops)
{
    u32 *shared = (u32 *)space;
    u32 base = shared_address(shared);
    for (u32 i = threadIdx.x; i < count; i += blockDim.x)
        shared[i] = table[i] + base;
    __syncthreads();
    if (threadIdx.x)
        return;
    u32 at = base;
    TWICE(round)
    {
        u64 begin = clock_after(at, out + 1);
#pragma unroll 1
        for (u32 i = 0; i < hops; i += 8)
#pragma unroll
            for (int k = 0; k < 8; k++)
                asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
        out[0] = clock_after(at, out + 1) - begin;
    }
}

// The same in the constant bank: the kernel's own parameters are the chain, of byte offsets.
struct constant_chase {
    u64 out;
    u32 lap, hops;
    u32 next[960];
};

KERNEL chase_constant(const __grid_constant__ constant_chase p)
{
    u64 *out = (u64 *)p.out;
    u32 at = p.hops == 1 ? threadIdx.x : 0; // not known to be the same in all lanes: LDC, not its uniform kin
    TWICE(round)
    {
        u64 begin = clock_after(at, out + 1);
#pragma unroll 1
        for (u32 i = 0; i < (round ? p.hops : p.lap); i += 8)
#pragma unroll
            for (int k = 0; k < 8; k++)
                at = *(const u32 *)((const char *)p.next + at);
        out[0] = clock_after(at, out + 1) - begin;
    }
}

// ---- fine chases: each hop by itself -----------------------------------------------------------------------------

enum { FINE_HOPS = 512 };

template <int CACHE> __device__ __forceinline__ void run_fine(u64 at, u32 hops, u64 *keep, u32 *time)
{
    u64 last = clock_after(at, keep);
#pragma unroll 1
    for (u32 i = 0; i < hops; i++) {
        at = load_next<CACHE>(at);
        u64 now = clock_after(at, keep);
        time[i] = (u32)(now - last);
        last = now;
    }
}

// What a hop costs beside the access: on a chain in the L1. lap: untimed hops before.
KERNEL fine_ca(u64 first, u32 *out, u32 lap, u32 hops)
{
    __shared__ u32 time[FINE_HOPS];
    __shared__ u64 keep;
    u64 at = first;
    for (u32 i = 0; i < lap; i++)
        at = load_next<CACHE_ALL>(at);
    run_fine<CACHE_ALL>(at, hops, &keep, time);
    for (u32 i = 0; i < hops; i++)
        out[i] = time[i];
}

struct far {
    u64 base, out, flag;     // out: u32[2][FINE_HOPS]; flag: a zero word
    u64 first[2];            // of a chain that the other SM reads first, and of one that nobody does
    u32 toucher, timer;      // SM numbers
    u32 lines, stride, hops; // of the first region
    u32 pages;
};

KERNEL far_hops(const __grid_constant__ far p)
{
    __shared__ u32 time[FINE_HOPS];
    __shared__ u64 keep;
    u32 sm = sm_number(), sum = 0;
    volatile u32 *flag = (volatile u32 *)p.flag;
    u64 *out = (u64 *)p.out;
    if (sm == p.toucher) {
        for (u32 i = threadIdx.x; i < p.lines; i += blockDim.x)
            sum ^= load_words<CACHE_L2, 1>(p.base + (u64)i * p.stride);
        use(sum, out);
        __syncthreads();
        __threadfence();
        if (threadIdx.x == 0)
            *flag = 1;
    }
    if (sm != p.timer)
        return;
    for (u32 i = threadIdx.x; i < p.pages; i += blockDim.x)
        sum ^= load_words<CACHE_L2, 1>(p.base + ((u64)i << 21));
    use(sum, out);
    __syncthreads();
    if (threadIdx.x)
        return;
    while (p.toucher != p.timer && *flag == 0)
        ;
    for (int part = 0; part < 2; part++) {
        run_fine<CACHE_L2>(p.first[part], p.hops, &keep, time);
        for (u32 i = 0; i < p.hops; i++)
            ((u32 *)p.out)[part * FINE_HOPS + i] = time[i];
    }
}

// Each SM, line by line: the line's word holds its own address. out: cycles of `hops` hops, [SM][line].
KERNEL slice_map(u64 base, u32 *out, u32 lines, u32 stride, u32 hops)
{
    __shared__ u64 keep;
    u32 sm = sm_number();
    if (threadIdx.x)
        return;
    for (u32 i = 0; i < lines; i++) {
        u32 line = (i + sm * 5) % lines; // so that SMs do not meet at a slice
        u64 at = load_next<CACHE_L2>(base + (u64)line * stride);
        u64 begin = clock_after(at, &keep);
        for (u32 k = 0; k < hops; k += 4)
#pragma unroll
            for (int h = 0; h < 4; h++)
                at = load_next<CACHE_L2>(at);
        out[sm * lines + line] = (u32)(clock_after(at, &keep) - begin);
    }
}

// ---- throughput inside an SM -------------------------------------------------------------------------------------

// Each lane reads base + offset[lane] + k * advance, k = 0..7, again and again, and `flip` further from one round to the
// next, modulo wrap + 1: or compilers would make one load of several.
// out: for each warp begin and end. Narrow loads are unrolled further, so that a warp that is left alone keeps going.
struct pattern {
    u64 base, out, offset;
    u32 rounds, advance, flip, wrap;
};

// Waits for `sum`.
__device__ __forceinline__ void write_times(u64 *out, u64 begin, u32 sum)
{
    u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    u64 end = clock_after(sum, out + 2 * warp + 1);
    if (threadIdx.x % 32 == 0) {
        out[2 * warp] = begin;
        out[2 * warp + 1] = end;
    }
}

template <int CACHE, int WORDS> __device__ __forceinline__ void run_loads(const pattern &p)
{
    u64 at = p.base + ((const u32 *)p.offset)[threadIdx.x % 32], *out = (u64 *)p.out;
    u32 sum = 0;
    TWICE(again)
    {
        __syncthreads();
        u64 begin = clock64();
#pragma unroll 4 / WORDS
        for (u32 round = 0; round < p.rounds; round++) {
            u64 from = at + (round * p.flip & p.wrap);
#pragma unroll
            for (int k = 0; k < 8; k++)
                sum ^= load_words<CACHE, WORDS>(from + k * p.advance);
        }
        write_times(out, begin, sum);
    }
}

KERNEL __launch_bounds__(1024) load_ca_32(const __grid_constant__ pattern p) { run_loads<CACHE_ALL, 1>(p); }
KERNEL __launch_bounds__(1024) load_ca_64(const __grid_constant__ pattern p) { run_loads<CACHE_ALL, 2>(p); }
KERNEL __launch_bounds__(1024) load_ca_128(const __grid_constant__ pattern p) { run_loads<CACHE_ALL, 4>(p); }
KERNEL __launch_bounds__(1024) load_l2_32(const __grid_constant__ pattern p) { run_loads<CACHE_L2, 1>(p); }

// Shared memory: the same; base does not count. `flip` and `advance` stay inside the 32 KiB and 128 bytes of the CTA.
template <int WORDS> __device__ __forceinline__ void run_shared_loads(const pattern &p)
{
    u32 at = shared_address(space) + ((const u32 *)p.offset)[threadIdx.x % 32], sum = 0;
    u64 *out = (u64 *)p.out;
    for (u32 i = threadIdx.x; i < 8192; i += blockDim.x)
        ((u32 *)space)[i] = i;
    TWICE(again)
    {
        __syncthreads();
        u64 begin = clock64();
#pragma unroll 4 / WORDS
        for (u32 round = 0; round < p.rounds; round++) {
            u32 from = at + (round * p.flip & p.wrap);
#pragma unroll
            for (int k = 0; k < 8; k++)
                sum ^= load_shared<WORDS>(from + k * p.advance);
        }
        write_times(out, begin, sum);
    }
}

KERNEL __launch_bounds__(1024) load_shared_32(const __grid_constant__ pattern p) { run_shared_loads<1>(p); }
KERNEL __launch_bounds__(1024) load_shared_64(const __grid_constant__ pattern p) { run_shared_loads<2>(p); }
KERNEL __launch_bounds__(1024) load_shared_128(const __grid_constant__ pattern p) { run_shared_loads<4>(p); }

// Latency of a shared access whose lanes go to offset[lane], where each finds its own address.
template <int WORDS> __device__ __forceinline__ void run_bank_chain(const pattern &p)
{
    u32 at = shared_address(space) + ((const u32 *)p.offset)[threadIdx.x % 32], sum = 0, a = at, b, c, d;
    u64 *out = (u64 *)p.out;
    if (threadIdx.x < 32)
        for (int k = 0; k < WORDS; k++)
            asm volatile("st.shared.u32 [%0], %1;" : : "r"(at + 4 * k), "r"(k ? 0 : at) : "memory");
    __syncthreads();
    u64 time = 0;
    TWICE(again)
    {
        u64 begin = clock_after(a, out + 1);
#pragma unroll 1
        for (u32 round = 0; round < p.rounds; round++)
#pragma unroll
            for (int k = 0; k < 8; k++)
                if (WORDS == 1) {
                    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(a));
                } else if (WORDS == 2) {
                    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(a));
                    sum += b;
                } else {
                    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                                 : "r"(a));
                    sum += b ^ c ^ d;
                }
        time = clock_after(a, out + 1) - begin;
    }
    use(sum, out);
    if (threadIdx.x == 0)
        out[0] = time;
}

KERNEL bank_chain_32(const __grid_constant__ pattern p) { run_bank_chain<1>(p); }
KERNEL bank_chain_64(const __grid_constant__ pattern p) { run_bank_chain<2>(p); }
KERNEL bank_chain_128(const __grid_constant__ pattern p) { run_bank_chain<4>(p); }
