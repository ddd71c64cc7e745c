// Products of many small matrices, row-major: 32 x 32 with a CTA each, and 4 x 4 with a thread each.

constexpr int N = 32;

// 16 x 16 threads, 2 x 2 elements each. Both matrices stay in shared memory.
extern "C" __global__ void __launch_bounds__(256)
batched_gemm_32(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ __align__(16) float left[N][N + 4], right[N][N];
    const int t = threadIdx.x, ty = t / 16, tx = t % 16;
    const size_t at = (size_t)blockIdx.x * N * N;
    *reinterpret_cast<float4 *>(&left[t / 8][t % 8 * 4]) = reinterpret_cast<const float4 *>(a + at)[t];
    *reinterpret_cast<float4 *>(&right[t / 8][t % 8 * 4]) = reinterpret_cast<const float4 *>(b + at)[t];
    __syncthreads();
    float sum[2][2] = {};
#pragma unroll
    for (int i = 0; i < N; i++) {
        const float y0 = left[ty][i], y1 = left[ty + 16][i];
        const float2 x = *reinterpret_cast<const float2 *>(&right[i][2 * tx]);
        sum[0][0] += y0 * x.x;
        sum[0][1] += y0 * x.y;
        sum[1][0] += y1 * x.x;
        sum[1][1] += y1 * x.y;
    }
    c += at;
    *reinterpret_cast<float2 *>(c + ty * N + 2 * tx) = make_float2(sum[0][0], sum[0][1]);
    *reinterpret_cast<float2 *>(c + (ty + 16) * N + 2 * tx) = make_float2(sum[1][0], sum[1][1]);
}

// The loads of neighbouring threads lie 64 bytes apart.
extern "C" __global__ void __launch_bounds__(256)
batched_gemm_4(const float4 *__restrict__ a, const float4 *__restrict__ b, float4 *__restrict__ c, int count)
{
    const int at = blockIdx.x * 256 + threadIdx.x;
    if (at >= count)
        return;
    float4 right[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        right[i] = b[4 * at + i];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float4 p = a[4 * at + i];
        float4 sum;
        sum.x = p.x * right[0].x + p.y * right[1].x + p.z * right[2].x + p.w * right[3].x;
        sum.y = p.x * right[0].y + p.y * right[1].y + p.z * right[2].y + p.w * right[3].y;
        sum.z = p.x * right[0].z + p.y * right[1].z + p.z * right[2].z + p.w * right[3].z;
        sum.w = p.x * right[0].w + p.y * right[1].w + p.z * right[2].w + p.w * right[3].w;
        c[4 * at + i] = sum;
    }
}
