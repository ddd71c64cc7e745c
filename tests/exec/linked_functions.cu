// The other file of linked.cu's program.
#include "linked_functions.cuh"

__device__ int shape::area(int x) { return x + scale; }
__device__ int square::area(int x) { return x * x * scale + shape::area(1); }

__device__ int calls = 3;
static __device__ int twice(int x) { return 2 * x; }
static __device__ int negated(int x) { return -x; }
static __device__ int with_calls(int x) { return x + calls; }
__device__ function *const functions[3] = {twice, negated, with_calls};

__device__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ int by_table(int t, int n)
{
    switch (t % 9) {
    case 0: return t + 100;
    case 1: return t * 3;
    case 2: return n - t;
    case 3: return t ^ n;
    case 4: return t / 3 + n;
    case 5: return t << 2;
    case 6: return t & n;
    default: return -1;
    }
}

__device__ int sum_of_cta(int x)
{
    __shared__ int sum[128];
    int t = threadIdx.x, n = blockDim.x;
    sum[t] = x;
    for (int i = n / 2; i; i /= 2) {
        __syncthreads();
        if (t < i)
            sum[t] += sum[t + i];
    }
    __syncthreads();
    return sum[0];
}
