// scan: inclusive prefix sums of n integers in three launches: scan_blocks over the array (each block also
// leaves its total), scan_blocks with one block over the totals, scan_add to add to each block the sum before it.
// Blocks of 512 threads, so at most 512 * 512 elements. Shows: shuffle-up scans with predicated adds, barriers, and
// short dependent launches.
enum { THREADS = 512, WARPS = THREADS / 32 };

static __device__ int warp_scan(int value, unsigned lane)
{
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        int below = __shfl_up_sync(0xffffffffu, value, offset);
        if (lane >= offset)
            value += below;
    }
    return value;
}

extern "C" __global__ void __launch_bounds__(THREADS)
scan_blocks(const int *in, int *out, int *totals, unsigned n)
{
    __shared__ int warp_total[WARPS];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    int value = warp_scan(i < n ? in[i] : 0, lane);
    if (lane == 31)
        warp_total[warp] = value;
    __syncthreads();
    if (warp == 0) {
        int total = warp_scan(lane < WARPS ? warp_total[lane] : 0, lane);
        if (lane < WARPS)
            warp_total[lane] = total;
    }
    __syncthreads();
    if (warp > 0)
        value += warp_total[warp - 1];
    if (i < n)
        out[i] = value;
    if (threadIdx.x == THREADS - 1)
        totals[blockIdx.x] = value;
}

extern "C" __global__ void __launch_bounds__(THREADS)
scan_add(int *out, const int *__restrict__ totals, unsigned n)
{
    unsigned i = (blockIdx.x + 1) * THREADS + threadIdx.x;
    if (i < n)
        out[i] += totals[blockIdx.x];
}
