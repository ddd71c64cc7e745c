// Cholesky factorization of many symmetric 48 x 48 matrices, their lower halves in place, in tiles of 16.

constexpr int N = 48, B = 16;
constexpr unsigned ALL = 0xffffffffu;

static __device__ float *tile_of(float *a, int matrix, int row, int column)
{
    return a + (size_t)matrix * N * N + row * B * N + column * B;
}

// The tile of the diagonal: half a warp for each matrix, a row for each lane in registers.
extern "C" __global__ void __launch_bounds__(64) cholesky_factor(float *a, int step, int count)
{
    const int lane = threadIdx.x % B, matrix = min(blockIdx.x * 4 + threadIdx.x / B, count - 1);
    float *tile = tile_of(a, matrix, step, step) + lane * N;
    float row[B];
#pragma unroll
    for (int i = 0; i < B; i += 4)
        *reinterpret_cast<float4 *>(row + i) = *reinterpret_cast<float4 *>(tile + i);
#pragma unroll
    for (int k = 0; k < B; k++) {
        const float root = sqrtf(__shfl_sync(ALL, row[k], k, B));
        row[k] = lane == k ? root : row[k] / root;
#pragma unroll
        for (int i = k + 1; i < B; i++)
            row[i] -= row[k] * __shfl_sync(ALL, row[k], i, B);
    }
    if (blockIdx.x * 4 + threadIdx.x / B < count)
#pragma unroll
        for (int i = 0; i < B; i++)
            if (i <= lane)
                tile[i] = row[i];
}

// The tiles below that of the diagonal: X * L^T = A, a lane for each row of A. blockIdx.x counts the tiles.
extern "C" __global__ void __launch_bounds__(B) cholesky_solve(float *a, int step)
{
    __shared__ float lower[B][B + 1];
    const int t = threadIdx.x;
    const float *diagonal = tile_of(a, blockIdx.y, step, step);
    float *tile = tile_of(a, blockIdx.y, step + 1 + blockIdx.x, step) + t * N;
    for (int i = 0; i < B; i++)
        lower[i][t] = diagonal[i * N + t];
    __syncthreads();
    float row[B];
#pragma unroll
    for (int i = 0; i < B; i++) {
        row[i] = tile[i];
#pragma unroll
        for (int k = 0; k < i; k++)
            row[i] -= row[k] * lower[i][k];
        row[i] /= lower[i][i];
        tile[i] = row[i];
    }
}

// A -= X * Y^T for each tile of the rest, on or below the diagonal; 16 x 16 threads. blockIdx.x counts them by rows.
extern "C" __global__ void __launch_bounds__(B * B) cholesky_update(float *a, int step)
{
    __shared__ float left[B][B], right[B][B + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    int y = 0, x = blockIdx.x;
    while (x > y)
        x -= ++y;
    y += step + 1;
    x += step + 1;
    left[ty][tx] = tile_of(a, blockIdx.y, y, step)[ty * N + tx];
    right[ty][tx] = tile_of(a, blockIdx.y, x, step)[ty * N + tx];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < B; k++)
        sum += left[ty][k] * right[tx][k];
    tile_of(a, blockIdx.y, y, x)[ty * N + tx] -= sum;
}
