// Sums of whole numbers.

constexpr unsigned THREADS = 256, FULL = 0xffffffffu;

__device__ unsigned sum_warp(unsigned own)
{
    for (int step = 16; step > 0; step /= 2)
        own += __shfl_down_sync(FULL, own, step);
    return own;
}

// Four numbers a thread, a sum for each CTA, by shuffles.
extern "C" __global__ void reduce_shuffle(const uint4 *__restrict__ in, unsigned *sums)
{
    __shared__ unsigned of_warp[THREADS / 32];
    const uint4 v = in[blockIdx.x * THREADS + threadIdx.x];
    const unsigned own = sum_warp(v.x + v.y + v.z + v.w);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x < 32) {
        const unsigned all = sum_warp(threadIdx.x < THREADS / 32 ? of_warp[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = all;
    }
}

// The first version that one writes: a tree in shared memory whose strides grow, with divergent warps and bank
// conflicts. One number a thread.
extern "C" __global__ void reduce_interleaved(const unsigned *__restrict__ in, unsigned *sums)
{
    __shared__ unsigned sum[THREADS];
    sum[threadIdx.x] = in[blockIdx.x * THREADS + threadIdx.x];
    for (unsigned stride = 1; stride < THREADS; stride *= 2) {
        __syncthreads();
        const unsigned at = 2 * stride * threadIdx.x;
        if (at < THREADS)
            sum[at] += sum[at + stride];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum[0];
}

// Every warp adds its sum to one of a few words.
extern "C" __global__ void reduce_atomic(const uint4 *__restrict__ in, unsigned *sums, unsigned words)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    const uint4 v = in[i];
    const unsigned own = sum_warp(v.x + v.y + v.z + v.w);
    if (threadIdx.x % 32 == 0)
        atomicAdd(&sums[i / 32 % words], own);
}

// A warp for each segment. The segments have different lengths.
extern "C" __global__ void reduce_segments(const unsigned *__restrict__ in, const unsigned *__restrict__ begin,
                                           unsigned *sums, unsigned segments)
{
    const unsigned segment = (blockIdx.x * THREADS + threadIdx.x) / 32;
    if (segment >= segments)
        return;
    const unsigned end = begin[segment + 1];
    unsigned own = 0;
    for (unsigned i = begin[segment] + threadIdx.x % 32; i < end; i += 32)
        own += in[i];
    own = sum_warp(own);
    if (threadIdx.x % 32 == 0)
        sums[segment] = own;
}
