// Needs sm_75: INT8 products.
// Matrix products on the tensor cores through wmma: FP16 with FP32 sums from tiles in shared memory, and INT8 straight
// from global memory.

#include <mma.h>

using namespace nvcuda;

constexpr int TILE = 64, DEPTH = 32, PITCH_A = DEPTH + 8, PITCH_B = TILE + 8;

// C = A * B, row-major. 128 threads make a tile of 64 x 64, each warp 32 x 32 of it; m and n are multiples of 64, and k
// % 32 is 0.
extern "C" __global__ void __launch_bounds__(128)
tensor_half(const half *__restrict__ a, const half *__restrict__ b, float *__restrict__ c, int m, int n, int k)
{
    __shared__ __align__(32) half tile_a[TILE][PITCH_A], tile_b[DEPTH][PITCH_B];
    const int t = threadIdx.x, row = t / 64 * 32, column = t / 32 % 2 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(sum[i / 2][i % 2], 0.0f);
    a += blockIdx.y * TILE * k;
    b += blockIdx.x * TILE;
    for (int from = 0; from < k; from += DEPTH) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int y = t / 4 + 32 * i, z = t / 8 + 16 * i;
            *reinterpret_cast<uint4 *>(&tile_a[y][t % 4 * 8]) =
                *reinterpret_cast<const uint4 *>(a + y * k + from + t % 4 * 8);
            *reinterpret_cast<uint4 *>(&tile_b[z][t % 8 * 8]) =
                *reinterpret_cast<const uint4 *>(b + (from + z) * n + t % 8 * 8);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; i += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right[2];
            for (int j = 0; j < 2; j++) {
                wmma::load_matrix_sync(left[j], &tile_a[row + 16 * j][i], PITCH_A);
                wmma::load_matrix_sync(right[j], &tile_b[i][column + 16 * j], PITCH_B);
            }
            for (int j = 0; j < 4; j++)
                wmma::mma_sync(sum[j / 2][j % 2], left[j / 2], right[j % 2], sum[j / 2][j % 2]);
        }
        __syncthreads();
    }
    c += (blockIdx.y * TILE + row) * n + blockIdx.x * TILE + column;
    for (int j = 0; j < 4; j++)
        wmma::store_matrix_sync(c + j / 2 * 16 * n + j % 2 * 16, sum[j / 2][j % 2], n, wmma::mem_row_major);
}

// A row-major, B column-major, sums of 32 bits. Each warp makes 32 x 16, two warps beside each other in a CTA.
extern "C" __global__ void __launch_bounds__(64)
tensor_int8(const signed char *__restrict__ a, const signed char *__restrict__ b, int *__restrict__ c, int m, int n,
            int k)
{
    const int row = blockIdx.y * 32, column = blockIdx.x * 32 + threadIdx.x / 32 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum[2];
    wmma::fill_fragment(sum[0], 0);
    wmma::fill_fragment(sum[1], 0);
    for (int from = 0; from < k; from += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
        wmma::load_matrix_sync(right, b + column * k + from, k);
        for (int i = 0; i < 2; i++) {
            wmma::load_matrix_sync(left[i], a + (row + 16 * i) * k + from, k);
            wmma::mma_sync(sum[i], left[i], right, sum[i]);
        }
    }
    for (int i = 0; i < 2; i++)
        wmma::store_matrix_sync(c + (row + 16 * i) * n + column, sum[i], n, wmma::mem_row_major);
}
