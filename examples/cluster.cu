// cluster-histogram: counts bytes in 2048 bins of 16-bit values, by 8-CTA clusters that hold 256 bins each in their
// shared memory. Each CTA reads its part of the values and counts in the CTA whose bins they are. cluster-sum: the sum
// of integers, a tree over distributed shared memory: warps, the CTA, the cluster. Shows: mapa, atomics and loads on
// another CTA's shared memory, the cluster's barrier.
#include <cstdint>

enum { CTAS = 8, THREADS = 256, BINS = 256, SHIFT = 5 }; // 65536 values in 2048 bins

static __device__ uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

static __device__ uint32_t cluster_rank()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ void cluster_wait()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The address of the same variable in another CTA of the cluster.
static __device__ uint32_t in_cta(const void *p, uint32_t rank)
{
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
    return there;
}

extern "C" __global__ void __launch_bounds__(THREADS) __cluster_dims__(CTAS, 1, 1)
cluster_histogram(const uint16_t *values, uint32_t count, uint32_t *bins)
{
    __shared__ uint32_t mine[BINS];
    mine[threadIdx.x] = 0;
    cluster_wait();
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
        uint32_t bin = values[i] >> SHIFT, there = in_cta(&mine[bin % BINS], bin / BINS);
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(there) : "memory");
    }
    cluster_wait();
    uint32_t total = mine[threadIdx.x];
    if (total)
        atomicAdd(&bins[cluster_rank() * BINS + threadIdx.x], total);
}

extern "C" __global__ void __launch_bounds__(THREADS) __cluster_dims__(CTAS, 1, 1)
cluster_sum(const uint32_t *values, uint32_t count, uint32_t *sums)
{
    __shared__ uint32_t of_warp[THREADS / 32], of_cta;
    uint32_t sum = 0, lane = threadIdx.x % 32;
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
        sum += values[i];
    sum = __reduce_add_sync(0xffffffff, sum);
    if (lane == 0)
        of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = __reduce_add_sync(0xffffffff, lane < THREADS / 32 ? of_warp[lane] : 0);
        if (lane == 0)
            of_cta = sum;
    }
    cluster_wait();
    if (cluster_rank() == 0 && threadIdx.x < 32) {
        uint32_t other = 0;
        if (lane < CTAS)
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(other) : "r"(in_cta(&of_cta, lane)) : "memory");
        sum = __reduce_add_sync(0xffffffff, other);
        if (lane == 0)
            sums[blockIdx.x / CTAS] = sum;
    }
    cluster_wait(); // its memory is read until here
}
