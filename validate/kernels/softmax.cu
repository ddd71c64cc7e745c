// softmax of each matrix row: a warp for each row of 256, and a CTA for each longer row with one pass over it that
// keeps the largest so far and the sum relative to it.

constexpr unsigned ALL = 0xffffffffu;

// 8 warps a CTA. A row stays in registers.
extern "C" __global__ void __launch_bounds__(256)
softmax_warp(const float4 *__restrict__ in, float4 *__restrict__ out, int rows)
{
    constexpr int COLUMNS = 256;
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const size_t at = (size_t)row * (COLUMNS / 4) + lane;
    float4 v[2] = {in[at], in[at + 32]};
    float *x = &v[0].x;
    float most = x[0];
#pragma unroll
    for (int i = 1; i < 8; i++)
        most = fmaxf(most, x[i]);
    for (int mask = 16; mask > 0; mask /= 2)
        most = fmaxf(most, __shfl_xor_sync(ALL, most, mask));
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++)
        sum += x[i] = __expf(x[i] - most);
    for (int mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(ALL, sum, mask);
    const float scale = 1.0f / sum;
#pragma unroll
    for (int i = 0; i < 8; i++)
        x[i] *= scale;
    out[at] = v[0];
    out[at + 32] = v[1];
}

struct total {
    float most, sum;
};

static __device__ total join(total a, total b)
{
    const float most = fmaxf(a.most, b.most);
    return {most, a.sum * __expf(a.most - most) + b.sum * __expf(b.most - most)};
}

extern "C" __global__ void __launch_bounds__(256)
softmax_cta(const float *__restrict__ in, float *__restrict__ out, int columns)
{
    __shared__ total part[8];
    const int t = threadIdx.x;
    in += (size_t)blockIdx.x * columns;
    out += (size_t)blockIdx.x * columns;
    total own = {in[t], 1};
    for (int i = t + 256; i < columns; i += 256)
        own = join(own, {in[i], 1});
    for (int mask = 16; mask > 0; mask /= 2)
        own = join(own, {__shfl_xor_sync(ALL, own.most, mask), __shfl_xor_sync(ALL, own.sum, mask)});
    if (t % 32 == 0)
        part[t / 32] = own;
    __syncthreads();
    own = part[t % 8];
    for (int mask = 4; mask > 0; mask /= 2)
        own = join(own, {__shfl_xor_sync(ALL, own.most, mask), __shfl_xor_sync(ALL, own.sum, mask)});
    const float scale = 1.0f / own.sum;
    for (int i = t; i < columns; i += 256)
        out[i] = expf(in[i] - own.most) * scale;
}
