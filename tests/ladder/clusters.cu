// Clusters of blocks that read each other's shared memory; from compute capability 9.0.
// functional:
// detailed:
#include "ladder.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ void exchange(int *out)
{
#if __CUDA_ARCH__ >= 900
    __shared__ int words[32];
    cg::cluster_group cluster = cg::this_cluster();
    words[threadIdx.x] = (int)(cluster.block_rank() * 100 + threadIdx.x);
    cluster.sync();
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    int *remote = cluster.map_shared_rank(words, next);
    out[blockIdx.x * 32 + threadIdx.x] = remote[31 - threadIdx.x] + 10000 * (int)cluster.num_blocks();
    cluster.sync();   // a block may not leave while another reads its memory
#endif
}

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
#define PAIRS __cluster_dims__(2, 1, 1)
#else
#define PAIRS
#endif
__global__ void PAIRS fixed(int *out) { exchange(out); }
__global__ void chosen(int *out) { exchange(out); }

static void check(const int *device, int blocks, int size)
{
    std::vector<int> got(blocks * 32);
    CHECK(cudaMemcpy(got.data(), device, blocks * 32 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks * 32; i++) {
        int rank = i / 32 % size;
        EXPECT_EQUAL(got[i], (rank + 1) % size * 100 + 31 - i % 32 + 10000 * size, i);
    }
}

int main()
{
    int supported = 0, *device;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, 0));
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    EXPECT(!supported || properties.major >= 9);
    CHECK(cudaMalloc(&device, 8 * 32 * sizeof(int)));
    if (!supported) {   // then a kernel that needs them is refused, and not run without
        if (properties.major >= 9) {
            fixed<<<8, 32>>>(device);
            EXPECT_ERROR(cudaGetLastError(), cudaErrorNotSupported);
        }
        return ladder_result("clusters");
    }
    fixed<<<8, 32>>>(device);
    CHECK(cudaGetLastError());
    check(device, 8, 2);

    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int most = 0;
    CHECK(cudaOccupancyMaxActiveClusters(&most, chosen, &config));
    EXPECT(most > 0);
    CHECK(cudaLaunchKernelEx(&config, chosen, device));
    check(device, 8, 4);
    config.gridDim = 6;   // no multiple of the cluster
    EXPECT(cudaLaunchKernelEx(&config, chosen, device) != cudaSuccess);
    (void)cudaGetLastError();
    return ladder_result("clusters");
}
