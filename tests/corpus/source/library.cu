// arch: 75 80 86 89 90 100 120
// build plain: --extended-lambda
// build fast: --extended-lambda -use_fast_math only=75,90,120
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <curand_kernel.h>
__global__ void reduce(int *out, const int *in)
{
    typedef cub::BlockReduce<int, 128> B;
    __shared__ typename B::TempStorage s;
    int v = B(s).Sum(in[threadIdx.x]);
    if (!threadIdx.x)
        out[blockIdx.x] = v;
}
__global__ void reduce_max(double *out, const double *in)
{
    typedef cub::BlockReduce<double, 256, cub::BLOCK_REDUCE_RAKING> B;
    __shared__ typename B::TempStorage s;
    double v = B(s).Reduce(in[threadIdx.x], [] __device__(double a, double b) { return a > b ? a : b; });
    if (!threadIdx.x)
        *out = v;
}
__global__ void scan(float *out, const float *in)
{
    typedef cub::BlockScan<float, 128> B;
    __shared__ typename B::TempStorage s;
    float v[4];
    for (int i = 0; i < 4; i++)
        v[i] = in[threadIdx.x * 4 + i];
    B(s).InclusiveSum(v, v);
    for (int i = 0; i < 4; i++)
        out[threadIdx.x * 4 + i] = v[i];
}
__global__ void sort(unsigned *out, const unsigned *in)
{
    typedef cub::BlockRadixSort<unsigned, 128, 4> B;
    __shared__ typename B::TempStorage s;
    unsigned v[4];
    for (int i = 0; i < 4; i++)
        v[i] = in[threadIdx.x * 4 + i];
    B(s).Sort(v);
    for (int i = 0; i < 4; i++)
        out[threadIdx.x * 4 + i] = v[i];
}
__global__ void merge(long long *out)
{
    typedef cub::BlockMergeSort<long long, 64, 2> B;
    __shared__ typename B::TempStorage s;
    long long v[2] = {out[threadIdx.x * 2], out[threadIdx.x * 2 + 1]};
    B(s).Sort(v, [] __device__(long long a, long long b) { return a < b; });
    out[threadIdx.x * 2] = v[0];
    out[threadIdx.x * 2 + 1] = v[1];
}
__global__ void random_numbers(float *out, unsigned long long seed, int n)
{
    curandState s;
    curand_init(seed, threadIdx.x, 0, &s);
    for (int i = 0; i < n; i++)
        out[i * 32 + threadIdx.x] = curand_uniform(&s) + curand_normal(&s);
}
__global__ void philox(float4 *out, unsigned long long seed)
{
    curandStatePhilox4_32_10_t s;
    curand_init(seed, threadIdx.x, 5, &s);
    out[threadIdx.x] = curand_normal4(&s);
}
__global__ void complex_numbers(cuda::std::complex<float> *z, const cuda::std::complex<float> *c, int n)
{
    auto v = z[threadIdx.x];
    for (int i = 0; i < n && cuda::std::norm(v) < 4; i++)
        v = v * v + c[threadIdx.x] / (v + 2.f);
    z[threadIdx.x] = v;
}
