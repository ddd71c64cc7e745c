// Needs sm_70: lanes that match each other. How often each byte is in a text of words.

constexpr unsigned THREADS = 256, BINS = 256;

// Counted in shared memory, then added up.
extern "C" __global__ void histogram_shared(const uint4 *__restrict__ in, unsigned *bins)
{
    __shared__ unsigned count[BINS];
    count[threadIdx.x] = 0;
    __syncthreads();
    const uint4 v = in[blockIdx.x * THREADS + threadIdx.x];
    const unsigned word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < 4; i++)
        for (int shift = 0; shift < 32; shift += 8)
            atomicAdd(&count[word[i] >> shift & 0xff], 1u);
    __syncthreads();
    if (count[threadIdx.x] > 0)
        atomicAdd(&bins[threadIdx.x], count[threadIdx.x]);
}

// Every byte by an atomic in global memory.
extern "C" __global__ void histogram_global(const unsigned *__restrict__ in, unsigned *bins)
{
    const unsigned word = in[blockIdx.x * THREADS + threadIdx.x];
    for (int shift = 0; shift < 32; shift += 8)
        atomicAdd(&bins[word >> shift & 0xff], 1u);
}

// Lanes of a warp with the same byte find each other. One adds for all. Eight histograms a CTA, one for each warp.
extern "C" __global__ void histogram_match(const unsigned *__restrict__ in, unsigned *bins)
{
    __shared__ unsigned count[THREADS / 32][BINS];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned i = threadIdx.x; i < THREADS / 32 * BINS; i += THREADS)
        count[i / BINS][i % BINS] = 0;
    __syncthreads();
    const unsigned word = in[blockIdx.x * THREADS + threadIdx.x];
#pragma unroll
    for (int shift = 0; shift < 32; shift += 8) {
        const unsigned byte = word >> shift & 0xff, same = __match_any_sync(0xffffffffu, byte);
        if (lane == __ffs(same) - 1)
            count[warp][byte] += __popc(same);
        __syncwarp();
    }
    __syncthreads();
    unsigned sum = 0;
    for (unsigned w = 0; w < THREADS / 32; w++)
        sum += count[w][threadIdx.x];
    if (sum > 0)
        atomicAdd(&bins[threadIdx.x], sum);
}
