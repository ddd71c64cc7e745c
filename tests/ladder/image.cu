// One program for the forms of an image: built as PTX alone, and with each kind of compression.
// functional: 500
#include "ladder.cuh"

__constant__ int factors[8] = {1, 2, 3, 5, 7, 11, 13, 17};
__device__ int filler[1024] = {5};   // zeros: something to compress

__global__ void scale(int *data, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] = data[i] * factors[i % 8] + filler[i % 1024];
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 500), *data;
    static const int factor[8] = {1, 2, 3, 5, 7, 11, 13, 17};
    std::vector<int> host(n);
    for (int i = 0; i < n; i++)
        host[i] = i;
    CHECK(cudaMalloc(&data, n * sizeof(int)));
    CHECK(cudaMemcpy(data, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    scale<<<2, 64>>>(data, n);
    if (cudaPeekAtLastError() == cudaErrorJitCompilerNotFound) {
        std::printf("image: neither nvJitLink nor ptxas is here\n");
        return 77;
    }
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(host[i], i * factor[i % 8] + (i % 1024 ? 0 : 5), i);
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, scale));
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    EXPECT_EQUAL(attributes.binaryVersion / 10, device.major, 0);
    return ladder_result("image");
}
