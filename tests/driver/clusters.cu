// Kernels whose CTAs tell their cluster. tests/driver/build.sh makes the cubin from this file.
#include <cstdint>

extern "C" {

/* Four words a CTA in a one-dimensional grid: rank, CTAs of the cluster, cluster, threads in a CTA. */
static __device__ void tell(uint32_t *out)
{
    uint32_t rank, ctas, cluster;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(ctas));
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(cluster));
    if (threadIdx.x + threadIdx.y == 0) {
        uint32_t *mine = out + 4 * blockIdx.x;
        mine[0] = rank;
        mine[1] = ctas;
        mine[2] = cluster;
        mine[3] = blockDim.x * blockDim.y;
    }
}

__global__ void open_cluster(uint32_t *out) { tell(out); }
__global__ void __cluster_dims__(2, 1, 1) pair(uint32_t *out) { tell(out); }
__global__ void __cluster_dims__() named(uint32_t *out) { tell(out); }
__global__ void __launch_bounds__(64, 1, 4) at_most_four(uint32_t *out) { tell(out); }
__block_size__((32, 2, 1), (4, 1, 1)) __global__ void counted_in_clusters(uint32_t *out) { tell(out); }
}
