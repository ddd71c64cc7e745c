// Rows of a table by index, 64 numbers each: gathered, summed in bags, and the way back of the gather.

constexpr int D = 64, LANES = D / 4;

// 16 lanes for each token. The grid covers the tokens exactly.
extern "C" __global__ void __launch_bounds__(256)
embedding_gather(const float4 *__restrict__ table, const int *__restrict__ token, float4 *__restrict__ out)
{
    const int at = blockIdx.x * 256 + threadIdx.x;
    out[at] = table[(size_t)token[at / LANES] * LANES + at % LANES];
}

// out[bag] = sum of its tokens' rows. Bag b has the tokens start[b] to start[b + 1] - 1.
extern "C" __global__ void __launch_bounds__(256)
embedding_bag(const float4 *__restrict__ table, const int *__restrict__ token, const int *__restrict__ start,
              float4 *__restrict__ out)
{
    const int at = blockIdx.x * 256 + threadIdx.x, bag = at / LANES, lane = at % LANES, end = start[bag + 1];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int i = start[bag]; i < end; i++) {
        const float4 row = table[(size_t)token[i] * LANES + lane];
        sum.x += row.x;
        sum.y += row.y;
        sum.z += row.z;
        sum.w += row.w;
    }
    out[at] = sum;
}

// grad[token] += out; tokens repeat.
extern "C" __global__ void __launch_bounds__(256)
embedding_scatter(float *grad, const int *__restrict__ token, const float *__restrict__ out)
{
    const int at = blockIdx.x * 256 + threadIdx.x;
    atomicAdd(&grad[(size_t)token[at / D] * D + at % D], out[at]);
}
