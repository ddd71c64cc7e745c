// Needs sm_80: C = A * B in BF16 with FP32 sums, row-major, tiles on their way from global to shared memory by
// cp.async, three at a time.

#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <mma.h>

using namespace nvcuda;

typedef __nv_bfloat16 bf16;

constexpr int TILE = 64, DEPTH = 32, STAGES = 3, PITCH_A = DEPTH + 8, PITCH_B = TILE + 8;

// 128 threads make a tile of 64 x 64, each warp 32 x 32 of it; m and n are multiples of 64, k % 32 is 0, and k is at
// least 64.
extern "C" __global__ void __launch_bounds__(128)
tensor_async(const bf16 *__restrict__ a, const bf16 *__restrict__ b, float *__restrict__ c, int m, int n, int k)
{
    __shared__ __align__(32) bf16 tile_a[STAGES][TILE][PITCH_A], tile_b[STAGES][DEPTH][PITCH_B];
    const int t = threadIdx.x, row = t / 64 * 32, column = t / 32 % 2 * 32;
    a += blockIdx.y * TILE * k;
    b += blockIdx.x * TILE;
    auto fetch = [&](int step) {
        if (step * DEPTH < k) {
            const int stage = step % STAGES;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int y = t / 4 + 32 * i, z = t / 8 + 16 * i;
                __pipeline_memcpy_async(&tile_a[stage][y][t % 4 * 8], a + y * k + step * DEPTH + t % 4 * 8, 16);
                __pipeline_memcpy_async(&tile_b[stage][z][t % 8 * 8], b + (step * DEPTH + z) * n + t % 8 * 8, 16);
            }
        }
        __pipeline_commit();
    };
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(sum[i / 2][i % 2], 0.0f);
    for (int step = 0; step < STAGES - 1; step++)
        fetch(step);
    for (int step = 0; step * DEPTH < k; step++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        fetch(step + STAGES - 1);
        const int stage = step % STAGES;
#pragma unroll
        for (int i = 0; i < DEPTH; i += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> left[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> right[2];
            for (int j = 0; j < 2; j++) {
                wmma::load_matrix_sync(left[j], &tile_a[stage][row + 16 * j][i], PITCH_A);
                wmma::load_matrix_sync(right[j], &tile_b[stage][i][column + 16 * j], PITCH_B);
            }
            for (int j = 0; j < 4; j++)
                wmma::mma_sync(sum[j / 2][j % 2], left[j / 2], right[j % 2], sum[j / 2][j % 2]);
        }
    }
    c += (blockIdx.y * TILE + row) * n + blockIdx.x * TILE + column;
    for (int j = 0; j < 4; j++)
        wmma::store_matrix_sync(c + j / 2 * 16 * n + j % 2 * 16, sum[j / 2][j % 2], n, wmma::mem_row_major);
}
