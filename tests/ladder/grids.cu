// Grids and blocks of three dimensions, templates over them, kernels that only this file sees, and many blocks.
// functional: 70000
// detailed: 500
#include "ladder.cuh"

namespace {
// The number of the thread in the grid, and its place.
__global__ void places(uint4 *out)
{
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned number = block * blockDim.x * blockDim.y * blockDim.z + thread;
    out[number] = make_uint4(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                             blockIdx.z * blockDim.z + threadIdx.z, number);
}

template <int N> struct power {
    static __device__ int of(int value) { return value * power<N - 1>::of(value); }
};
template <> struct power<0> {
    static __device__ int of(int) { return 1; }
};
template <int N, typename T> __global__ void powers(T *out) { out[threadIdx.x] = (T)power<N>::of((int)threadIdx.x); }
} // namespace

static __global__ void count(unsigned *visits)
{
    if (threadIdx.x == 0)
        atomicAdd(&visits[blockIdx.x % 16], 1u);
}

template <int N, typename T> static void check_powers()
{
    T *device, got[32];
    CHECK(cudaMalloc(&device, sizeof got));
    powers<N><<<1, 32>>>(device);
    CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) {
        int want = 1;
        for (int k = 0; k < N; k++)
            want *= i;
        EXPECT_EQUAL(got[i], (T)want, i);
    }
    CHECK(cudaFree(device));
}

int main(int argc, char **argv)
{
    unsigned blocks = (unsigned)ladder_size(argc, argv, 70000);
    dim3 grid(3, 4, 5), block(7, 3, 2);
    unsigned threads = 60 * 42;
    uint4 *device;
    std::vector<uint4> got(threads);
    CHECK(cudaMalloc(&device, threads * sizeof(uint4)));
    places<<<grid, block>>>(device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), device, threads * sizeof(uint4), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < threads; i++) {
        unsigned thread = i % 42, at = i / 42;
        EXPECT_EQUAL(got[i].x, at % 3 * 7 + thread % 7, i);
        EXPECT_EQUAL(got[i].y, at / 3 % 4 * 3 + thread / 7 % 3, i);
        EXPECT_EQUAL(got[i].z, at / 12 * 2 + thread / 21, i);
        EXPECT_EQUAL(got[i].w, i, i);
    }
    check_powers<0, int>();
    check_powers<3, int>();
    check_powers<2, double>();
    unsigned *visits, visited[16];
    CHECK(cudaMalloc(&visits, sizeof visited));
    CHECK(cudaMemset(visits, 0, sizeof visited));
    count<<<blocks, 32>>>(visits);   // more than the 65,535 that a second dimension can have
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(visited, visits, sizeof visited, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 16; i++)
        EXPECT_EQUAL(visited[i], blocks / 16 + (i < blocks % 16), i);
    count<<<dim3(1, 65536), 32>>>(visits);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidConfiguration);
    return ladder_result("grids");
}
