// Rows of 512 brought to mean 0 and variance 1, with a CTA for each, and to mean square 1 after a residual is added,
// with a warp for each.

constexpr unsigned ALL = 0xffffffffu;
constexpr int COLUMNS = 512, THREADS = COLUMNS / 4;

static __device__ float warp_sum(float sum)
{
    for (int mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(ALL, sum, mask);
    return sum;
}

// The sum over the CTA of 4 warps. Every thread gets it. `part` may be used again after the next barrier.
static __device__ float cta_sum(float sum, float *part)
{
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    return part[0] + part[1] + part[2] + part[3];
}

extern "C" __global__ void __launch_bounds__(THREADS)
layer_norm(const float4 *__restrict__ in, const float4 *__restrict__ gain, const float4 *__restrict__ bias,
           float4 *__restrict__ out, float epsilon)
{
    __shared__ float part[2][4];
    const size_t at = (size_t)blockIdx.x * THREADS + threadIdx.x;
    float4 v = in[at];
    const float mean = cta_sum(v.x + v.y + v.z + v.w, part[0]) * (1.0f / COLUMNS);
    v.x -= mean;
    v.y -= mean;
    v.z -= mean;
    v.w -= mean;
    const float square = cta_sum(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w, part[1]);
    const float scale = rsqrtf(square * (1.0f / COLUMNS) + epsilon);
    const float4 g = gain[threadIdx.x], b = bias[threadIdx.x];
    out[at] = make_float4(v.x * scale * g.x + b.x, v.y * scale * g.y + b.y, v.z * scale * g.z + b.z,
                          v.w * scale * g.w + b.w);
}

// residual += in; out = residual normalized. Four warps a CTA.
extern "C" __global__ void __launch_bounds__(128)
rms_norm_residual(const float4 *__restrict__ in, float4 *__restrict__ residual, const float4 *__restrict__ gain,
                  float4 *__restrict__ out, float epsilon)
{
    constexpr int EACH = COLUMNS / 128;
    const int lane = threadIdx.x % 32;
    const size_t at = ((size_t)blockIdx.x * 4 + threadIdx.x / 32) * THREADS + lane;
    float4 v[EACH];
    float square = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const float4 p = in[at + 32 * i], q = residual[at + 32 * i];
        v[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
        residual[at + 32 * i] = v[i];
        square += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
    }
    const float scale = rsqrtf(warp_sum(square) * (1.0f / COLUMNS) + epsilon);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const float4 g = gain[lane + 32 * i];
        out[at + 32 * i] = make_float4(v[i].x * scale * g.x, v[i].y * scale * g.y, v[i].z * scale * g.z,
                                       v[i].w * scale * g.w);
    }
}
