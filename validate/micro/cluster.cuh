// Clusters: a chain of loads from another CTA's shared memory, a stream of them, and the barrier.

struct cluster_walk {
    u64 out;
    u32 hops, remote; // remote: from the next CTA of the cluster; 0: through the own CTA's window
};

__device__ __forceinline__ u32 cluster_size()
{
    u32 n;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    return n;
}

__device__ __forceinline__ u32 cluster_rank()
{
    u32 rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ __forceinline__ void cluster_meet()
{
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ u64 cluster_window(void *own, u32 rank)
{
    u64 there;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"((u64)own), "r"(rank));
    return there;
}

// Each word says where the next is; cycles of all hops of one thread of rank 0.
template <u32 N> __device__ __forceinline__ void cluster_chase(const cluster_walk &p)
{
    __shared__ u64 word[32];
    u32 rank = cluster_rank();
    u64 there = cluster_window(word, p.remote ? (rank + 1) % N : rank);
    word[threadIdx.x] = cluster_window(word, rank) + 8 * ((threadIdx.x + 1) % 32);
    cluster_meet();
    u64 *out = (u64 *)p.out;
    if (rank == 0 && threadIdx.x == 0) {
        u64 at = there;
        TWICE(round)
        {
            u64 begin = clock_after(at, out + 1);
#pragma unroll 1
            for (u32 i = 0; i < (round ? p.hops : 32); i += 8) {
#pragma unroll
                for (u32 j = 0; j < 8; j++)
                    asm volatile("ld.u64 %0, [%0];" : "+l"(at)::"memory");
            }
            out[0] = clock_after(at, out + 1) - begin;
        }
    }
    cluster_meet();
}

// Every CTA reads the memory of the next, 16 bytes a lane; out: first and last clock of each.
template <u32 N> __device__ __forceinline__ void cluster_stream(const cluster_walk &p)
{
    __shared__ __align__(16) u32 word[4096];
    u32 rank = cluster_rank(), sum = 0;
    u64 there = cluster_window(word, p.remote ? (rank + 1) % N : rank) + 16 * threadIdx.x;
    for (u32 i = threadIdx.x; i < 4096; i += blockDim.x)
        word[i] = i;
    cluster_meet();
    u64 *out = (u64 *)p.out + 2 * blockIdx.x;
    u64 begin = clock64();
#pragma unroll 1
    for (u32 i = 0; i < p.hops; i += 4) {
#pragma unroll
        for (u32 j = 0; j < 4; j++) {
            u32 a, b, c, d;
            asm volatile("ld.relaxed.cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                         : "l"(there + 8192 * (j % 2))
                         : "memory");
            sum += a ^ b ^ c ^ d;
        }
    }
    use(sum, out);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = begin;
        out[1] = clock64();
    }
    cluster_meet();
}

// Barriers one after the other, which order no memory; cycles of one.
template <u32 N> __device__ __forceinline__ void cluster_barriers(const cluster_walk &p)
{
    u64 *out = (u64 *)p.out + blockIdx.x, begin = 0;
    TWICE(round)
    {
        begin = clock64();
#pragma unroll 1
        for (u32 i = 0; i < p.hops; i++)
            asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    }
    if (threadIdx.x == 0)
        *out = clock64() - begin;
}

#define CLUSTER(n)                                                                                                     \
    extern "C" __global__ void __cluster_dims__(n, 1, 1) cluster_chase_##n(const __grid_constant__ cluster_walk p)      \
    {                                                                                                                  \
        cluster_chase<n>(p);                                                                                           \
    }                                                                                                                  \
    extern "C" __global__ void __cluster_dims__(n, 1, 1) cluster_stream_##n(const __grid_constant__ cluster_walk p)     \
    {                                                                                                                  \
        cluster_stream<n>(p);                                                                                          \
    }                                                                                                                  \
    extern "C" __global__ void __cluster_dims__(n, 1, 1) cluster_barrier_##n(const __grid_constant__ cluster_walk p)    \
    {                                                                                                                  \
        cluster_barriers<n>(p);                                                                                        \
    }

CLUSTER(2)
CLUSTER(4)
CLUSTER(8)
