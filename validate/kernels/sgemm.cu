// C = A * B in single precision: A is m x k, B is k x n, C is m x n, all row-major.

constexpr int SIDE = 16;

// An element of C for each thread, tiles of 16 x 16 in shared memory. All sizes are multiples of 16.
extern "C" __global__ void __launch_bounds__(SIDE * SIDE)
sgemm_shared(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k)
{
    __shared__ float tile_a[SIDE][SIDE], tile_b[SIDE][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * SIDE + ty, column = blockIdx.x * SIDE + tx;
    float sum = 0;
    for (int from = 0; from < k; from += SIDE) {
        tile_a[ty][tx] = a[row * k + from + tx];
        tile_b[ty][tx] = b[(from + ty) * n + column];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SIDE; i++)
            sum += tile_a[ty][i] * tile_b[i][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

constexpr int TILE = 64, DEPTH = 8, EACH = 8;

// Each of the CTA's 64 threads makes 8 x 8 elements. m and n are multiples of 64, and k % 8 is 0. The next tiles are on
// their way to registers while these are multiplied.
extern "C" __global__ void __launch_bounds__(TILE)
sgemm_register(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k)
{
    __shared__ __align__(16) float tile_a[DEPTH][TILE + 4], tile_b[DEPTH][TILE];
    const int t = threadIdx.x, ty = t / 8 * EACH, tx = t % 8 * 4;
    a += (blockIdx.y * TILE + t) * k;
    b += blockIdx.x * TILE;
    float4 next_a[2], next_b[2];
    float sum[EACH][EACH] = {};
    auto fetch = [&](int from) {
        for (int i = 0; i < 2; i++) {
            next_a[i] = *reinterpret_cast<const float4 *>(a + from + 4 * i);
            next_b[i] = *reinterpret_cast<const float4 *>(b + (from + t / 16 + 4 * i) * n + t % 16 * 4);
        }
    };
    fetch(0);
    for (int from = 0; from < k; from += DEPTH) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            tile_a[4 * i + 0][t] = next_a[i].x;
            tile_a[4 * i + 1][t] = next_a[i].y;
            tile_a[4 * i + 2][t] = next_a[i].z;
            tile_a[4 * i + 3][t] = next_a[i].w;
            *reinterpret_cast<float4 *>(&tile_b[t / 16 + 4 * i][t % 16 * 4]) = next_b[i];
        }
        __syncthreads();
        if (from + DEPTH < k)
            fetch(from + DEPTH);
#pragma unroll
        for (int i = 0; i < DEPTH; i++) {
            float y[EACH], x[EACH];
            *reinterpret_cast<float4 *>(y) = *reinterpret_cast<const float4 *>(&tile_a[i][ty]);
            *reinterpret_cast<float4 *>(y + 4) = *reinterpret_cast<const float4 *>(&tile_a[i][ty + 4]);
            *reinterpret_cast<float4 *>(x) = *reinterpret_cast<const float4 *>(&tile_b[i][tx]);
            *reinterpret_cast<float4 *>(x + 4) = *reinterpret_cast<const float4 *>(&tile_b[i][tx + 32]);
#pragma unroll
            for (int j = 0; j < EACH * EACH; j++)
                sum[j / EACH][j % EACH] += y[j / EACH] * x[j % EACH];
        }
        __syncthreads();
    }
    c += (blockIdx.y * TILE + ty) * n + blockIdx.x * TILE + tx;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        *reinterpret_cast<float4 *>(c + i * n) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
        *reinterpret_cast<float4 *>(c + i * n + 32) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
    }
}
