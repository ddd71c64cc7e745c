// Kernels and variables of the runtime's tests. Rebuild after a change, for NN of 86 and 90:
//   nvcc -cubin -arch=sm_NN -o tests/runtime/cubin/kernels.sm_NN.cubin tests/runtime/kernels.cu
#include <cassert>
#include <cooperative_groups.h>

__device__ int number = 7;
__constant__ int table[4] = {1, 2, 3, 4};
__managed__ int shared_count = 5;

extern "C" __global__ void add(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}

extern "C" __global__ void use_variables(int *out)
{
    out[threadIdx.x] = table[threadIdx.x & 3] * number;
    if (threadIdx.x == 0)
        shared_count += number;
}

extern "C" __global__ void increment(int *data, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += by;
}

extern "C" __global__ void __launch_bounds__(64) small(int *out) { out[0] = 1; }

extern "C" __global__ void dynamic_shared(int *out)
{
    extern __shared__ int area[];
    area[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = area[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void all_blocks(int *partial, int *out)
{
    partial[blockIdx.x] = blockIdx.x + 1;
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += partial[i];
        *out = sum;
    }
}

extern "C" __global__ void store(int *where) { *where = 1; }

extern "C" __global__ void store_misaligned(char *where) { *(int *)(where + 1) = 1; }

extern "C" __global__ void trap() { __trap(); }

extern "C" __global__ void fail(int value) { assert(value == 0); }

extern "C" __global__ void wait_for(volatile int *flag)
{
    while (*flag == 0)
        ;
}
