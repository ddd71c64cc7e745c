// Attention of one head with 32 numbers for each query and key: for many queries at once in tiles, without the matrix
// of scores, and for one query in each of many sequences, as it is when a text is written word by word.

constexpr unsigned ALL = 0xffffffffu;
constexpr int D = 32, TILE = 64, QUERIES = 16, LANES = 4, EACH = D / LANES;

struct state {
    float most, sum, out[EACH];
};

static __device__ void rescale(state &s, float most)
{
    const float scale = __expf(s.most - most);
    s.most = most;
    s.sum *= scale;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        s.out[i] *= scale;
}

// 64 threads for 16 queries of one sequence: a group of 4 lanes for each query, a quarter of its numbers for each lane.
// Keys and values pass through shared memory in tiles of 64. `keys` is a multiple of 64. blockIdx.y = sequence.
extern "C" __global__ void __launch_bounds__(QUERIES * LANES)
attention_tiled(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
                float *__restrict__ out, int queries, int keys, float scale)
{
    __shared__ __align__(16) float tile_k[TILE][D], tile_v[TILE][D];
    const int t = threadIdx.x, part = t % LANES * EACH;
    const size_t row = (size_t)blockIdx.y * queries + blockIdx.x * QUERIES + t / LANES;
    k += (size_t)blockIdx.y * keys * D;
    v += (size_t)blockIdx.y * keys * D;
    float own[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++)
        own[i] = q[row * D + part + i] * scale;
    state s = {-INFINITY, 0, {}};
    for (int from = 0; from < keys; from += TILE) {
        for (int i = t; i < TILE * D / 4; i += QUERIES * LANES) {
            reinterpret_cast<float4 *>(tile_k)[i] = reinterpret_cast<const float4 *>(k + from * D)[i];
            reinterpret_cast<float4 *>(tile_v)[i] = reinterpret_cast<const float4 *>(v + from * D)[i];
        }
        __syncthreads();
#pragma unroll 1
        for (int j = 0; j < TILE; j += 4) {
            float score[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                score[i] = 0;
#pragma unroll
                for (int x = 0; x < EACH; x++)
                    score[i] += own[x] * tile_k[j + i][part + x];
                score[i] += __shfl_xor_sync(ALL, score[i], 1);
                score[i] += __shfl_xor_sync(ALL, score[i], 2);
            }
            rescale(s, fmaxf(s.most, fmaxf(fmaxf(score[0], score[1]), fmaxf(score[2], score[3]))));
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const float weight = __expf(score[i] - s.most);
                s.sum += weight;
#pragma unroll
                for (int x = 0; x < EACH; x++)
                    s.out[x] += weight * tile_v[j + i][part + x];
            }
        }
        __syncthreads();
    }
    const float over = 1.0f / s.sum;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        out[row * D + part + i] = s.out[i] * over;
}

// The first query in each sequence, a CTA of 128 threads. The scores by a thread for each key, which reads its whole
// row. The sum of values by columns. `keys` is at most 256.
extern "C" __global__ void __launch_bounds__(128)
attention_decode(const float *__restrict__ q, const float *__restrict__ k, const float *__restrict__ v,
                 float *__restrict__ out, int queries, int keys, float scale)
{
    __shared__ float weight[256], part[4][D + 1];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    q += (size_t)blockIdx.x * queries * D;
    k += (size_t)blockIdx.x * keys * D;
    v += (size_t)blockIdx.x * keys * D;
    for (int j = t; j < keys; j += 128) {
        float score = 0;
#pragma unroll
        for (int i = 0; i < D; i += 4) {
            const float4 a = *reinterpret_cast<const float4 *>(q + i);
            const float4 b = *reinterpret_cast<const float4 *>(k + j * D + i);
            score += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
        }
        weight[j] = score * scale;
    }
    __syncthreads();
    float most = -INFINITY;
    for (int j = lane; j < keys; j += 32)
        most = fmaxf(most, weight[j]);
    for (int mask = 16; mask > 0; mask /= 2)
        most = fmaxf(most, __shfl_xor_sync(ALL, most, mask));
    float sum = 0, value = 0;
    for (int j = warp; j < keys; j += 4) {
        const float e = __expf(weight[j] - most);
        sum += e;
        value += e * v[j * D + lane];
    }
    part[warp][lane] = value;
    if (lane == 0)
        part[warp][D] = sum;
    __syncthreads();
    if (warp > 0)
        return;
    value = part[0][lane] + part[1][lane] + part[2][lane] + part[3][lane];
    sum = part[0][D] + part[1][D] + part[2][D] + part[3][D];
    out[(size_t)blockIdx.x * D + lane] = value / sum;
}
