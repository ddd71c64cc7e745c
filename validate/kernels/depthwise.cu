// Layers that treat each plane of 32 x 32 for itself, a CTA for each plane: depthwise convolution by 3 x 3, 2 x 2
// maximum, and the mean of a plane.

constexpr int SIDE = 32, PIXELS = SIDE * SIDE, HALF = SIDE / 2;
constexpr unsigned ALL = 0xffffffffu;

// 32 x 8 threads, 4 rows each; w has 9 numbers for each plane. Edges are padded with zero.
extern "C" __global__ void __launch_bounds__(256)
depthwise_convolution(const float *__restrict__ in, const float *__restrict__ w, float *__restrict__ out)
{
    __shared__ float plane[SIDE + 2][SIDE + 2];
    const int tx = threadIdx.x, ty = threadIdx.y;
    in += (size_t)blockIdx.x * PIXELS;
    for (int i = ty * 32 + tx; i < (SIDE + 2) * (SIDE + 2); i += 256) {
        const int y = i / (SIDE + 2) - 1, x = i % (SIDE + 2) - 1;
        (&plane[0][0])[i] = y >= 0 && y < SIDE && x >= 0 && x < SIDE ? in[y * SIDE + x] : 0.0f;
    }
    float weight[9];
#pragma unroll
    for (int i = 0; i < 9; i++)
        weight[i] = w[blockIdx.x * 9 + i];
    __syncthreads();
    out += (size_t)blockIdx.x * PIXELS;
#pragma unroll
    for (int y = ty; y < SIDE; y += 8) {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < 9; i++)
            sum += weight[i] * plane[y + i / 3][tx + i % 3];
        out[y * SIDE + tx] = sum;
    }
}

// 16 x 16 threads.
extern "C" __global__ void __launch_bounds__(HALF * HALF)
pool_maximum(const float *__restrict__ in, float *__restrict__ out)
{
    const int x = threadIdx.x, y = threadIdx.y;
    const float2 *pair = reinterpret_cast<const float2 *>(in + (size_t)blockIdx.x * PIXELS + 2 * y * SIDE) + x;
    const float2 p = pair[0], q = pair[HALF];
    out[(size_t)blockIdx.x * HALF * HALF + y * HALF + x] = fmaxf(fmaxf(p.x, p.y), fmaxf(q.x, q.y));
}

// 128 threads.
extern "C" __global__ void __launch_bounds__(128)
pool_mean(const float4 *__restrict__ in, float *__restrict__ out)
{
    __shared__ float part[4];
    const int t = threadIdx.x;
    in += (size_t)blockIdx.x * (PIXELS / 4);
    const float4 p = in[t], q = in[t + 128];
    float sum = p.x + p.y + p.z + p.w + q.x + q.y + q.z + q.w;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(ALL, sum, offset);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = (part[0] + part[1] + part[2] + part[3]) * (1.0f / PIXELS);
}
