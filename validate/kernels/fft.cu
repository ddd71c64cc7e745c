// Fourier transforms of 256 points in shared memory, by steps that leave the result in order (Stockham).

constexpr int POINTS = 256;

__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ float2 plus(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 minus(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }

// A CTA of 128 threads for each transform, a butterfly of two a thread. The roots of unity come from a table.
extern "C" __global__ void fft_radix2(float2 *data, const float2 *__restrict__ roots)
{
    __shared__ float2 line[POINTS];
    const int t = threadIdx.x;
    float2 *own = data + blockIdx.x * POINTS;
    line[t] = own[t];
    line[t + POINTS / 2] = own[t + POINTS / 2];
    for (int done = 1; done < POINTS; done *= 2) {
        __syncthreads();
        const int k = t & (done - 1), to = 2 * t - k;
        const float2 a = line[t], b = times(line[t + POINTS / 2], roots[k * (POINTS / 2 / done)]);
        __syncthreads();
        line[to] = plus(a, b);
        line[to + done] = minus(a, b);
    }
    __syncthreads();
    own[t] = line[t];
    own[t + POINTS / 2] = line[t + POINTS / 2];
}

// Two transforms for each CTA of 128 threads. A thread keeps a butterfly of four in registers. The roots are computed.
extern "C" __global__ void fft_radix4(float2 *data)
{
    __shared__ float2 lines[2][POINTS];
    const int t = threadIdx.x % 64;
    float2 *line = lines[threadIdx.x / 64];
    float2 *own = data + (blockIdx.x * 2 + threadIdx.x / 64) * POINTS;
    float2 v[4];
    for (int r = 0; r < 4; r++)
        v[r] = own[t + r * 64];
#pragma unroll
    for (int done = 1; done < POINTS; done *= 4) {
        const int k = t & (done - 1), to = 4 * t - 3 * k;
        const float angle = -1.57079633f * (float)k / (float)done;
        for (int r = 1; r < 4 && done > 1; r++) {
            float2 root;
            __sincosf((float)r * angle, &root.y, &root.x);
            v[r] = times(v[r], root);
        }
        const float2 even = plus(v[0], v[2]), odd = minus(v[0], v[2]);
        const float2 high = plus(v[1], v[3]), turned = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
        __syncthreads();
        line[to] = plus(even, high);
        line[to + done] = plus(odd, turned);
        line[to + 2 * done] = minus(even, high);
        line[to + 3 * done] = minus(odd, turned);
        __syncthreads();
        for (int r = 0; r < 4; r++)
            v[r] = line[t + r * 64];
    }
    for (int r = 0; r < 4; r++)
        own[t + r * 64] = v[r];
}
