// A sum in one cooperative launch: blocks meet at the grid's barrier. More blocks than fit are refused.
// functional: 20000
// detailed: 600
#include "ladder.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void sum(const int *in, int *partial, long long *out, int n)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    __shared__ int warps[32];
    int mine = 0;
    for (long long i = grid.thread_rank(); i < n; i += grid.num_threads())
        mine += in[i];
    mine = cg::reduce(warp, mine, cg::plus<int>());
    if (warp.thread_rank() == 0)
        warps[warp.meta_group_rank()] = mine;
    block.sync();
    if (block.thread_rank() == 0) {
        int total = 0;
        for (unsigned i = 0; i < warp.meta_group_size(); i++)
            total += warps[i];
        partial[blockIdx.x] = total;
    }
    for (int round = 0; round < 3; round++) {   // each barrier carries the words of the round before
        grid.sync();
        if (grid.thread_rank() == 0) {
            long long total = 0;
            for (unsigned i = 0; i < gridDim.x; i++)
                total += partial[i];
            out[round] = total;
        }
        grid.sync();
        if (block.thread_rank() == 0)
            partial[blockIdx.x] += 1;
    }
    if (grid.thread_rank() == 0)
        out[3] = grid.is_valid() ? (long long)grid.size() : -1;
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 20000), supported = 0, per_sm = 0, sms = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    EXPECT_EQUAL(supported, 1, 0);
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, sum, 128, 0));
    EXPECT(per_sm > 0);
    std::vector<int> in(n);
    long long want = 0, got[4] = {}, *out;
    for (int i = 0; i < n; i++) {
        in[i] = i % 101;
        want += in[i];
    }
    int *din, *partial, blocks = std::min(8, per_sm * sms);
    CHECK(cudaMalloc(&din, n * sizeof(int)));
    CHECK(cudaMalloc(&partial, (per_sm * sms + 1) * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    void *arguments[] = {&din, &partial, &out, &n};
    for (int round = 0; round < 2; round++) {   // the barrier is left as it was found
        CHECK(cudaLaunchCooperativeKernel(sum, blocks, 128, arguments));
        CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 3; i++)
            EXPECT_EQUAL(got[i], want + i * blocks, i);
        EXPECT_EQUAL(got[3], 128 * blocks, 3);
    }

    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks / 2;
    config.blockDim = 64;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, sum, (const int *)din, partial, out, n));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(got[0], want, 0);
    EXPECT_EQUAL(got[3], 64 * (blocks / 2), 3);

    EXPECT_ERROR(cudaLaunchCooperativeKernel(sum, per_sm * sms + 1, 128, arguments),
                 cudaErrorCooperativeLaunchTooLarge);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
    CHECK(cudaDeviceSynchronize());
    return ladder_result("cooperative");
}
