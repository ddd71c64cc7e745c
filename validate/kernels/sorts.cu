// Sorting: bitonic networks, and the three kernels of a radix pass.

constexpr unsigned ITEMS = 512, THREADS = 256;

// Sorts each piece of ITEMS keys in shared memory; THREADS threads, two keys each.
extern "C" __global__ void bitonic_shared(unsigned *keys)
{
    __shared__ unsigned key[ITEMS];
    const unsigned t = threadIdx.x;
    unsigned *piece = keys + blockIdx.x * ITEMS;
    key[t] = piece[t];
    key[t + THREADS] = piece[t + THREADS];
    for (unsigned size = 2; size <= ITEMS; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const unsigned at = 2 * t - (t & (stride - 1));
            const unsigned a = key[at], b = key[at + stride];
            if ((a > b) == ((at & size) == 0)) {
                key[at] = b;
                key[at + stride] = a;
            }
        }
    __syncthreads();
    piece[t] = key[t];
    piece[t + THREADS] = key[t + THREADS];
}

// One exchange of a network over all keys, in global memory: a thread for each pair.
extern "C" __global__ void bitonic_global(unsigned *keys, unsigned size, unsigned stride)
{
    const unsigned t = blockIdx.x * THREADS + threadIdx.x;
    const unsigned at = 2 * t - (t & (stride - 1));
    const unsigned a = keys[at], b = keys[at + stride];
    if ((a > b) == ((at & size) == 0)) {
        keys[at] = b;
        keys[at + stride] = a;
    }
}

constexpr unsigned DIGITS = 16;

// How often each digit of four bits is in each CTA's piece of THREADS keys: counts[digit][cta].
extern "C" __global__ void radix_count(const unsigned *__restrict__ keys, unsigned *counts, unsigned shift)
{
    __shared__ unsigned count[DIGITS];
    if (threadIdx.x < DIGITS)
        count[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&count[keys[blockIdx.x * THREADS + threadIdx.x] >> shift & (DIGITS - 1)], 1u);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = count[threadIdx.x];
}

// Sums of the elements before, by a single CTA that goes through all of it.
extern "C" __global__ void radix_scan(unsigned *counts, unsigned size)
{
    __shared__ unsigned of_warp[THREADS / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned carry = 0;
    for (unsigned at = 0; at < size; at += THREADS) {
        const unsigned i = at + threadIdx.x, own = i < size ? counts[i] : 0;
        unsigned sum = own;
        for (unsigned step = 1; step < 32; step *= 2) {
            const unsigned other = __shfl_up_sync(0xffffffffu, sum, step);
            if (lane >= step)
                sum += other;
        }
        if (lane == 31)
            of_warp[warp] = sum;
        __syncthreads();
        unsigned before = carry;
        for (unsigned w = 0; w < THREADS / 32; w++) {
            before += w < warp ? of_warp[w] : 0;
            carry += of_warp[w];
        }
        if (i < size)
            counts[i] = before + sum - own;
        __syncthreads();
    }
}

// Puts each key where it belongs. The order within a digit stays. The rank of a key in its warp comes from ballots.
extern "C" __global__ void radix_scatter(const unsigned *__restrict__ keys, const unsigned *__restrict__ starts,
                                         unsigned *sorted, unsigned shift)
{
    __shared__ unsigned of_warp[THREADS / 32][DIGITS];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned key = keys[blockIdx.x * THREADS + threadIdx.x], digit = key >> shift & (DIGITS - 1);
    unsigned same = 0xffffffffu;
    for (unsigned bit = 0; bit < 4; bit++) {
        const bool set = digit >> bit & 1;
        const unsigned with = __ballot_sync(0xffffffffu, set);
        same &= set ? with : ~with;
    }
    if (lane < DIGITS)
        of_warp[warp][lane] = 0;
    __syncwarp();
    const unsigned rank = __popc(same & ((1u << lane) - 1));
    if (rank == 0)
        of_warp[warp][digit] = __popc(same);
    __syncthreads();
    unsigned place = starts[digit * gridDim.x + blockIdx.x] + rank;
    for (unsigned w = 0; w < warp; w++)
        place += of_warp[w][digit];
    sorted[place] = key;
}
