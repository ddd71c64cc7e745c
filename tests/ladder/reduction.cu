// Sums by shared memory, by warp shuffles, by atomics, and with votes of the warp.
// functional: 65537
// detailed: 3000
#include "ladder.cuh"

__global__ void by_shared(const int *in, int *out, int n)
{
    __shared__ int part[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step)
            part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

__global__ void by_shuffles(const int *in, int *out, int n)
{
    __shared__ int warps[8];
    int i = blockIdx.x * 256 + threadIdx.x;
    int sum = i < n ? in[i] : 0;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = warps[threadIdx.x];
        for (int step = 4; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xff, sum, step);
        if (threadIdx.x == 0)
            out[blockIdx.x] = sum;
    }
}

struct totals {
    unsigned long long sum;
    int largest;
    unsigned odd;
};

__global__ void by_atomics(const int *in, totals *all, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    int value = i < n ? in[i] : 0;
    unsigned odd = __ballot_sync(0xffffffff, i < n && value & 1);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&all->odd, __popc(odd));
    int warp = __reduce_add_sync(0xffffffff, value);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&all->sum, (unsigned long long)warp);
    atomicMax(&all->largest, value);
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 65537);
    int blocks = (n + 255) / 256;
    std::vector<int> in(n), out(blocks);
    totals want = {};
    ladder_random random(3);
    for (int &value : in) {
        value = (int)(random.next() % 10000);
        want.sum += value;
        want.largest = std::max(want.largest, value);
        want.odd += value & 1;
    }
    int *din, *dout;
    totals *dtotals, got;
    CHECK(cudaMalloc(&din, n * sizeof(int)));
    CHECK(cudaMalloc(&dout, blocks * sizeof(int)));
    CHECK(cudaMalloc(&dtotals, sizeof(totals)));
    CHECK(cudaMemset(dtotals, 0, sizeof(totals)));
    CHECK(cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    by_shared<<<blocks, 256>>>(din, dout, n);
    CHECK(cudaMemcpy(out.data(), dout, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    unsigned long long sum = 0;
    for (int value : out)
        sum += value;
    EXPECT_EQUAL(sum, want.sum, 0);
    by_shuffles<<<blocks, 256>>>(din, dout, n);
    CHECK(cudaMemcpy(out.data(), dout, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    sum = 0;
    for (int value : out)
        sum += value;
    EXPECT_EQUAL(sum, want.sum, 1);
    by_atomics<<<blocks, 256>>>(din, dtotals, n);
    CHECK(cudaMemcpy(&got, dtotals, sizeof(totals), cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(got.sum, want.sum, 2);
    EXPECT_EQUAL(got.largest, want.largest, 0);
    EXPECT_EQUAL(got.odd, want.odd, 0);
    return ladder_result("reduction");
}
