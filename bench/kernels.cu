// Kernels of the speed suite (bench/workloads.c). Each stands for one way in which a simulator spends its time.

// Arithmetic: 8 chains of FFMA, 64 in each turn.
extern "C" __global__ void __launch_bounds__(256) bench_ffma(float *out, float a, float b, unsigned turns)
{
    float sum[8];
#pragma unroll
    for (int i = 0; i < 8; i++)
        sum[i] = (float)(threadIdx.x + i);
#pragma unroll 1
    for (unsigned t = 0; t < turns; t++)
#pragma unroll
        for (int i = 0; i < 64; i++)
            sum[i % 8] = fmaf(a, sum[i % 8], b);
    float total = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++)
        total += sum[i];
    out[blockIdx.x * 256 + threadIdx.x] = total;
}

// Shared memory, barriers, arithmetic: C = A * B in tiles of 64 x 64, a block each, a thread 4 x 4, 16 of k at a time;
// n is a multiple of 64, and k % 16 is 0.
extern "C" __global__ void __launch_bounds__(256)
    bench_gemm(const float *__restrict__ a, const float *__restrict__ b, float *c, unsigned n, unsigned k)
{
    __shared__ __align__(16) float tile_a[16][64], tile_b[16][64];
    unsigned t = threadIdx.x, row = t / 16 * 4, col = t % 16 * 4;
    const float *from_a = a + (size_t)(blockIdx.y * 64 + t / 4) * k + t % 4 * 4;
    const float *from_b = b + (size_t)(t / 16) * n + blockIdx.x * 64 + col;
    float sum[4][4] = {};
    for (unsigned k0 = 0; k0 < k; k0 += 16) {
        float4 part_a = *reinterpret_cast<const float4 *>(from_a + k0);
        float4 part_b = *reinterpret_cast<const float4 *>(from_b + (size_t)k0 * n);
        tile_a[t % 4 * 4 + 0][t / 4] = part_a.x;
        tile_a[t % 4 * 4 + 1][t / 4] = part_a.y;
        tile_a[t % 4 * 4 + 2][t / 4] = part_a.z;
        tile_a[t % 4 * 4 + 3][t / 4] = part_a.w;
        *reinterpret_cast<float4 *>(&tile_b[t / 16][col]) = part_b;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            float4 x = *reinterpret_cast<const float4 *>(&tile_a[i][row]);
            float4 y = *reinterpret_cast<const float4 *>(&tile_b[i][col]);
            float left[4] = {x.x, x.y, x.z, x.w}, right[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int s = 0; s < 4; s++)
                    sum[r][s] = fmaf(left[r], right[s], sum[r][s]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
        *reinterpret_cast<float4 *>(&c[(size_t)(blockIdx.y * 64 + row + r) * n + blockIdx.x * 64 + col]) =
            make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

// Bandwidth of DRAM: 16 bytes a thread and turn.
extern "C" __global__ void __launch_bounds__(256)
    bench_copy(const float4 *__restrict__ from, float4 *to, unsigned count)
{
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256)
        to[i] = from[i];
}

// The same with arithmetic: two streams in, one out.
extern "C" __global__ void __launch_bounds__(256)
    bench_triad(const float4 *__restrict__ x, const float4 *__restrict__ y, float4 *z, float s, unsigned count)
{
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) {
        float4 p = x[i], q = y[i];
        z[i] = make_float4(fmaf(s, q.x, p.x), fmaf(s, q.y, p.y), fmaf(s, q.z, p.z), fmaf(s, q.w, p.w));
    }
}

// A scramble of 32 bits, so that lanes go to places that have nothing to do with each other.
static __device__ unsigned scramble(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// Every lane of every load in a sector of its own; mask + 1 words are a power of 2.
extern "C" __global__ void __launch_bounds__(256)
    bench_gather(const unsigned *__restrict__ from, unsigned *out, unsigned mask, unsigned turns)
{
    unsigned at = blockIdx.x * 256 + threadIdx.x, sum = 0;
#pragma unroll 4
    for (unsigned t = 0; t < turns; t++)
        sum += from[scramble(at * turns + t) & mask];
    out[at] = sum;
}

// Reductions at the L2 slices, to scattered words.
extern "C" __global__ void __launch_bounds__(256) bench_atomics(unsigned *table, unsigned mask, unsigned turns)
{
    unsigned at = blockIdx.x * 256 + threadIdx.x;
#pragma unroll 4
    for (unsigned t = 0; t < turns; t++)
        atomicAdd(&table[scramble(at * turns + t) & mask], 1u);
}

// Latency: few warps, each load waits for the last.
extern "C" __global__ void __launch_bounds__(32) bench_chase(const unsigned *from, unsigned *out, unsigned hops)
{
    unsigned at = blockIdx.x * 32;
    for (unsigned i = 0; i < hops; i++)
        at = __ldcg(&from[at]);
    out[blockIdx.x * 32 + threadIdx.x] = at;
}
