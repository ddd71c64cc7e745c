// Reductions of a matrix, row-major: row sums, column sums, and where the largest number of each row is.

constexpr unsigned ALL = 0xffffffffu;

// A CTA of 256 threads for each row; columns is a multiple of 4.
extern "C" __global__ void __launch_bounds__(256)
reduce_rows(const float4 *__restrict__ in, float *__restrict__ out, int columns)
{
    __shared__ float part[8];
    in += (size_t)blockIdx.x * (columns / 4);
    float sum = 0;
    for (int i = threadIdx.x; i < columns / 4; i += 256) {
        const float4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(ALL, sum, offset);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 8)
        return;
    sum = part[threadIdx.x];
    for (int offset = 4; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffu, sum, offset);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

// 32 x 8 threads for 32 columns in a slab of `slab` rows. `out` has a row of sums for each slab.
extern "C" __global__ void __launch_bounds__(256)
reduce_columns(const float *__restrict__ in, float *__restrict__ out, int rows, int columns, int slab)
{
    __shared__ float part[8][33];
    const int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * 32 + tx;
    const int end = min((blockIdx.y + 1) * slab, rows);
    float sum = 0;
    for (int row = blockIdx.y * slab + ty; row < end; row += 8)
        sum += in[(size_t)row * columns + column];
    part[ty][tx] = sum;
    __syncthreads();
    if (ty > 0)
        return;
#pragma unroll
    for (int i = 1; i < 8; i++)
        sum += part[i][tx];
    out[(size_t)blockIdx.y * columns + column] = sum;
}

// A thread for each row, whose loads lie a row apart. The first of equal numbers counts.
extern "C" __global__ void __launch_bounds__(128)
argmax_rows(const float *__restrict__ in, int *__restrict__ out, int rows, int columns)
{
    const int row = blockIdx.x * 128 + threadIdx.x;
    if (row >= rows)
        return;
    in += (size_t)row * columns;
    float most = in[0];
    int at = 0;
    for (int i = 1; i < columns; i++)
        if (in[i] > most) {
            most = in[i];
            at = i;
        }
    out[row] = at;
}
