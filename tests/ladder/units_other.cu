// The second file of units.cu.
#include <cuda_runtime.h>

static __device__ int shift = 5;
static __global__ void work(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= shift;
}

int units_other(int *data, int n)
{
    int there = 0;
    work<<<(n + 63) / 64, 64>>>(data, n);
    cudaMemcpyFromSymbol(&there, shift, sizeof there);
    return there;
}
