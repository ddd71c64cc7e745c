// Sums over a warp's lanes and a block's threads, for the kernels of every library. fatbins.sh copies this file beside
// theirs. A type of several parts has its own of_lane().
#ifndef SUBCORE_KERNELS_BLOCK_SUM_CUH
#define SUBCORE_KERNELS_BLOCK_SUM_CUH

template <typename T> __device__ inline T of_lane(T x, unsigned mask) { return __shfl_xor_sync(~0u, x, mask); }

template <typename T> __device__ inline T warp_sum(T x)
{
    for (unsigned mask = 16; mask > 0; mask /= 2)
        x = x + of_lane(x, mask);
    return x;
}

// The sum of all threads' values. Every thread has it.
template <unsigned Threads, typename T> __device__ inline T block_sum(T x)
{
    __shared__ T parts[Threads / 32];
    x = warp_sum(x);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = x;
    __syncthreads();
    T sum = parts[0];
    for (unsigned i = 1; i < Threads / 32; i++)
        sum = sum + parts[i];
    __syncthreads();
    return sum;
}

#endif
