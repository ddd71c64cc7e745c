// histogram: counts of the 256 byte values in an array, read as 32-bit words. Blocks of 256 threads.
// Shows: atomics with contention - all to global memory (global), or to a private copy of the bins in shared
// memory that each block merges at its end (shared).
enum { BINS = 256 };

extern "C" __global__ void __launch_bounds__(BINS)
histogram_global(const unsigned *__restrict__ words, unsigned *bins, unsigned count)
{
    for (unsigned i = blockIdx.x * BINS + threadIdx.x; i < count; i += gridDim.x * BINS) {
        unsigned word = words[i];
        for (int shift = 0; shift < 32; shift += 8)
            atomicAdd(&bins[word >> shift & 0xff], 1u);
    }
}

extern "C" __global__ void __launch_bounds__(BINS)
histogram_shared(const unsigned *__restrict__ words, unsigned *bins, unsigned count)
{
    __shared__ unsigned mine[BINS];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * BINS + threadIdx.x; i < count; i += gridDim.x * BINS) {
        unsigned word = words[i];
        for (int shift = 0; shift < 32; shift += 8)
            atomicAdd(&mine[word >> shift & 0xff], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
