// reduce: the sum of n integers, block by block. A second launch of the same kernel with one block adds up
// the partial sums. Both kernels take blocks of 256 threads.
// Shows: reduction by warp shuffles (one barrier) against the classic tree in shared memory (a barrier a
// step).
enum { THREADS = 256, WARPS = THREADS / 32 };

static __device__ int thread_sum(const int *__restrict__ in, unsigned n)
{
    int sum = 0;
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        sum += in[i];
    return sum;
}

static __device__ int warp_sum(int sum)
{
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    return sum;
}

extern "C" __global__ void __launch_bounds__(THREADS)
reduce_shuffle(const int *__restrict__ in, int *out, unsigned n)
{
    __shared__ int partial[WARPS];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = warp_sum(thread_sum(in, n));
    if (lane == 0)
        partial[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < WARPS ? partial[lane] : 0);
        if (lane == 0)
            out[blockIdx.x] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
reduce_shared(const int *__restrict__ in, int *out, unsigned n)
{
    __shared__ int partial[THREADS];
    unsigned t = threadIdx.x;
    partial[t] = thread_sum(in, n);
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = partial[0];
}
