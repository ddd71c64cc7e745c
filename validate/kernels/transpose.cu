// The transpose of a 4-byte matrix, in 32 x 32 tiles with 32 x 8 threads; rows and columns are multiples of 32.

constexpr int TILE = 32, ROWS = 8;

// The stores of a warp lie a column apart.
extern "C" __global__ void __launch_bounds__(TILE * ROWS)
transpose_naive(const unsigned *__restrict__ in, unsigned *__restrict__ out, int rows, int columns)
{
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        out[x * rows + y + i] = in[(y + i) * columns + x];
}

// With PITCH 32 the loads of a tile column meet in one bank, with 33 they do not.
template <int PITCH>
static __device__ void through_shared(const unsigned *__restrict__ in, unsigned *__restrict__ out, int rows,
                                      int columns)
{
    __shared__ unsigned tile[TILE][PITCH];
    const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE, y = blockIdx.y * TILE;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        tile[ty + i][tx] = in[(y + ty + i) * columns + x + tx];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS)
        out[(x + ty + i) * rows + y + tx] = tile[tx][ty + i];
}

extern "C" __global__ void __launch_bounds__(TILE * ROWS)
transpose_conflicts(const unsigned *__restrict__ in, unsigned *__restrict__ out, int rows, int columns)
{
    through_shared<TILE>(in, out, rows, columns);
}

extern "C" __global__ void __launch_bounds__(TILE * ROWS)
transpose_padded(const unsigned *__restrict__ in, unsigned *__restrict__ out, int rows, int columns)
{
    through_shared<TILE + 1>(in, out, rows, columns);
}
