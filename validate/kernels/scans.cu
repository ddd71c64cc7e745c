// Prefix sums: in three kernels, and in one that looks back.

constexpr unsigned THREADS = 256, FULL = 0xffffffffu;

// Returns the sum over a thread and those before it. *all receives the sum of the CTA. `of_warp` has room for a number
// of each warp.
__device__ unsigned scan_cta(unsigned own, unsigned *of_warp, unsigned *all)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned other = __shfl_up_sync(FULL, own, step);
        own += lane >= step ? other : 0;
    }
    if (lane == 31)
        of_warp[warp] = own;
    __syncthreads();
    if (warp == 0) {
        unsigned sum = lane < THREADS / 32 ? of_warp[lane] : 0;
        for (unsigned step = 1; step < THREADS / 32; step *= 2) {
            const unsigned other = __shfl_up_sync(FULL, sum, step);
            sum += lane >= step ? other : 0;
        }
        if (lane < THREADS / 32)
            of_warp[lane] = sum;
    }
    __syncthreads();
    *all = of_warp[THREADS / 32 - 1];
    return own + (warp > 0 ? of_warp[warp - 1] : 0);
}

// Four numbers a thread.
extern "C" __global__ void scan_pieces(const uint4 *__restrict__ in, uint4 *out, unsigned *totals)
{
    __shared__ unsigned of_warp[THREADS / 32];
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    uint4 v = in[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    unsigned all;
    const unsigned before = scan_cta(v.w, of_warp, &all) - v.w;
    out[i] = make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
    if (threadIdx.x == 0)
        totals[blockIdx.x] = all;
}

// The sums of the pieces, by one CTA.
extern "C" __global__ void scan_totals(unsigned *totals, unsigned count)
{
    __shared__ unsigned of_warp[THREADS / 32];
    unsigned carry = 0;
    for (unsigned at = 0; at < count; at += THREADS) {
        const unsigned i = at + threadIdx.x;
        unsigned all;
        const unsigned sum = scan_cta(i < count ? totals[i] : 0, of_warp, &all);
        if (i < count)
            totals[i] = carry + sum;
        carry += all;
        __syncthreads();
    }
}

// A CTA for each piece but the first.
extern "C" __global__ void scan_add(uint4 *out, const unsigned *__restrict__ totals)
{
    const unsigned i = (blockIdx.x + 1) * THREADS + threadIdx.x, before = totals[blockIdx.x];
    uint4 v = out[i];
    out[i] = make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
}

// All in one kernel: a CTA takes a piece by a ticket, publishes its sum, and looks back over the pieces before it until
// one knows the sum of all before. A state is a sum of 30 bits and its extent.
enum : unsigned { OWN = 1u << 30, ALL = 2u << 30, VALUE = OWN - 1 };

extern "C" __global__ void scan_lookback(const uint4 *__restrict__ in, uint4 *out, volatile unsigned *state,
                                         unsigned *ticket)
{
    __shared__ unsigned of_warp[THREADS / 32], piece, base;
    if (threadIdx.x == 0)
        piece = atomicAdd(ticket, 1u);
    __syncthreads();
    const unsigned i = piece * THREADS + threadIdx.x;
    uint4 v = in[i];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    unsigned all;
    const unsigned own = scan_cta(v.w, of_warp, &all);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            state[piece] = (piece == 0 ? ALL : OWN) | all;
        unsigned sum = 0;
        for (int back = (int)piece - 1 - (int)threadIdx.x; piece > 0; back -= 32) {
            unsigned seen;
            do
                seen = back >= 0 ? state[back] : ALL;
            while (__any_sync(FULL, seen == 0));
            const unsigned ends = __ballot_sync(FULL, seen >= ALL);
            const bool counts = ends == 0 || threadIdx.x < __ffs(ends);
            sum += counts ? seen & VALUE : 0;
            if (ends != 0)
                break;
        }
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_xor_sync(FULL, sum, step);
        if (threadIdx.x == 0) {
            base = sum;
            if (piece > 0)
                state[piece] = ALL | (sum + all);
        }
    }
    __syncthreads();
    const unsigned before = base + own - v.w;
    out[i] = make_uint4(v.x + before, v.y + before, v.z + before, v.w + before);
}
