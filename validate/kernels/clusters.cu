// K-means and nearest neighbours. The features of points are whole numbers, so that sums are exact in any order.

constexpr int THREADS = 256, CENTRES = 8, FEATURES = 4;

// The nearest centre of each point; features lie one after the other, each of all points.
extern "C" __global__ void kmeans_assign(const float *__restrict__ point, const float *__restrict__ centre,
                                         int *nearest, int points)
{
    __shared__ float shared[CENTRES][FEATURES];
    if (threadIdx.x < CENTRES * FEATURES)
        shared[threadIdx.x / FEATURES][threadIdx.x % FEATURES] = centre[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * THREADS + threadIdx.x;
    float own[FEATURES], least = 3e38f;
    for (int f = 0; f < FEATURES; f++)
        own[f] = point[f * points + i];
    int best = 0;
    for (int c = 0; c < CENTRES; c++) {
        float sum = 0.0f;
        for (int f = 0; f < FEATURES; f++) {
            const float difference = own[f] - shared[c][f];
            sum += difference * difference;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    nearest[i] = best;
}

// The sums of each centre's points, and how many they are: atomics in shared memory, then in global memory. Shared
// memory adds floats by a loop around a compare-and-swap.
extern "C" __global__ void kmeans_update(const float *__restrict__ point, const int *__restrict__ nearest, float *sums,
                                         unsigned *counts, int points)
{
    __shared__ float sum[CENTRES * FEATURES];
    __shared__ unsigned count[CENTRES];
    if (threadIdx.x < CENTRES * FEATURES)
        sum[threadIdx.x] = 0.0f;
    if (threadIdx.x < CENTRES)
        count[threadIdx.x] = 0;
    __syncthreads();
    const int i = blockIdx.x * THREADS + threadIdx.x, own = nearest[i];
    for (int f = 0; f < FEATURES; f++)
        atomicAdd(&sum[own * FEATURES + f], point[f * points + i]);
    atomicAdd(&count[own], 1u);
    __syncthreads();
    if (threadIdx.x < CENTRES * FEATURES)
        atomicAdd(&sums[threadIdx.x], sum[threadIdx.x]);
    if (threadIdx.x < CENTRES)
        atomicAdd(&counts[threadIdx.x], count[threadIdx.x]);
}

// Distances of places to one place.
extern "C" __global__ void nearest_distances(const float2 *__restrict__ place, float *distance, float x, float y)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float2 at = place[i];
    distance[i] = sqrtf((at.x - x) * (at.x - x) + (at.y - y) * (at.y - y));
}

// The least distance of each CTA's piece with its index: a 64-bit minimum by shuffles.
extern "C" __global__ void nearest_best(const float *__restrict__ distance, unsigned long long *best)
{
    __shared__ unsigned long long of_warp[THREADS / 32];
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    unsigned long long own = (unsigned long long)__float_as_uint(distance[i]) << 32 | i;
    for (int step = 16; step > 0; step /= 2)
        own = min(own, __shfl_xor_sync(0xffffffffu, own, step));
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; w++)
            own = min(own, of_warp[w]);
        best[blockIdx.x] = own;
    }
}

// The squares of the distances to the four nearest of 32 places, kept sorted in registers.
extern "C" __global__ void nearest_four(const float2 *__restrict__ query, const float2 *__restrict__ place,
                                        float4 *squares)
{
    __shared__ float2 shared[32];
    if (threadIdx.x < 32)
        shared[threadIdx.x] = place[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float2 own = query[i];
    float4 least = make_float4(3e38f, 3e38f, 3e38f, 3e38f);
#pragma unroll 4
    for (int k = 0; k < 32; k++) {
        const float x = own.x - shared[k].x, y = own.y - shared[k].y, square = x * x + y * y;
        if (square >= least.w)
            continue;
        least.w = fmaxf(square, least.z);
        least.z = fmaxf(fminf(square, least.z), least.y);
        least.y = fmaxf(fminf(square, least.y), least.x);
        least.x = fminf(square, least.x);
    }
    squares[i] = least;
}
