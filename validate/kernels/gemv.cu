// y = A * x for a row-major matrix: a warp for each row, a thread for each row, and the product with the transpose.

constexpr unsigned ALL = 0xffffffffu;

// n is a multiple of 4.
extern "C" __global__ void __launch_bounds__(256)
gemv_warp(const float4 *__restrict__ a, const float4 *__restrict__ x, float *__restrict__ y, int m, int n)
{
    const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= m)
        return;
    a += (size_t)row * (n / 4);
    float sum = 0;
    for (int i = lane; i < n / 4; i += 32) {
        const float4 p = a[i], q = x[i];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(ALL, sum, offset);
    if (lane == 0)
        y[row] = sum;
}

// The loads of a warp lie n floats apart.
extern "C" __global__ void __launch_bounds__(256)
gemv_thread(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int m, int n)
{
    const int row = blockIdx.x * 256 + threadIdx.x;
    if (row >= m)
        return;
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[(size_t)row * n + i] * x[i];
    y[row] = sum;
}

// y += A^T * x: CTAs of 32 columns by 8 rows go over `rows` rows each. n is a multiple of 32.
extern "C" __global__ void __launch_bounds__(256)
gemv_transposed(const float *__restrict__ a, const float *__restrict__ x, float *y, int m, int n, int rows)
{
    __shared__ float part[8][32];
    const int column = blockIdx.x * 32 + threadIdx.x, end = min((blockIdx.y + 1) * rows, m);
    float sum = 0;
#pragma unroll 4
    for (int row = blockIdx.y * rows + threadIdx.y; row < end; row += 8)
        sum += a[(size_t)row * n + column] * x[row];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0)
        return;
    for (int i = 1; i < 8; i++)
        sum += part[i][threadIdx.x];
    atomicAdd(&y[column], sum);
}
