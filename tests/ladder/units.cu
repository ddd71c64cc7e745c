// Several files, each with its own image, and static kernels and variables of the same name in both.
// functional: 300
// detailed: 100
#include "ladder.cuh"

int units_other(int *data, int n);   // units_other.cu

static __device__ int shift = 1;
static __global__ void work(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = i + shift;
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 300), *data;
    std::vector<int> got(n);
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    work<<<(n + 63) / 64, 64>>>(data, n);
    CHECK(cudaMemcpy(got.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(got[i], i + 1, i);
    int shift_there = units_other(data, n);
    EXPECT_EQUAL(shift_there, 5, 0);
    CHECK(cudaMemcpy(got.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(got[i], (i + 1) * 5, i);
    int here = 0;
    CHECK(cudaMemcpyFromSymbol(&here, shift, sizeof here));
    EXPECT_EQUAL(here, 1, 0);
    return ladder_result("units");
}
