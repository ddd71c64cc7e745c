// The cheapest way down a grid of costs, from any column to its neighbours or itself: a CTA takes STEPS rows with its
// piece of the sums in shared memory, and loses a column on each side with each.

constexpr int THREADS = 256, STEPS = 6;

extern "C" __global__ void pathfinder(const int *__restrict__ cost, const int *__restrict__ from, int *__restrict__ to,
                                      int width)
{
    __shared__ int sum[2][THREADS + 2];
    const int t = threadIdx.x, x = blockIdx.x * (THREADS - 2 * STEPS) + t - STEPS;
    const bool inside = x >= 0 && x < width;
    constexpr int FAR = 1 << 30;
    sum[0][t + 1] = inside ? from[x] : FAR;
    if (t < 2)
        sum[0][t * (THREADS + 1)] = sum[1][t * (THREADS + 1)] = FAR;
    __syncthreads();
    int own = FAR;
    for (int i = 0; i < STEPS; i++) {
        const int *now = sum[i % 2];
        if (inside)
            own = min(min(now[t], now[t + 1]), now[t + 2]) + cost[i * width + x];
        sum[1 - i % 2][t + 1] = own;
        __syncthreads();
    }
    if (inside && t >= STEPS && t < THREADS - STEPS)
        to[x] = own;
}
