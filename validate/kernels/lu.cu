// LU factorization of many 64 x 64 matrices without pivoting, in place, in blocks of 16: the block of the diagonal, the
// blocks right of it and below it, then the rest. L has ones on its diagonal.

constexpr int N = 64, B = 16;

typedef float block[B][B + 1];

// One warp for each matrix; lanes are the columns.
extern "C" __global__ void __launch_bounds__(32) lu_diagonal(float *a, int step)
{
    __shared__ block d;
    const int t = threadIdx.x;
    a += (size_t)blockIdx.x * N * N + step * B * (N + 1);
    for (int i = t / B; i < B; i += 2)
        d[i][t % B] = a[i * N + t % B];
    __syncwarp();
    for (int k = 0; k < B - 1; k++) {
        if (t > k && t < B)
            d[t][k] /= d[k][k];
        __syncwarp();
        if (t > k && t < B)
            for (int i = k + 1; i < B; i++)
                d[i][t] -= d[i][k] * d[k][t];
        __syncwarp();
    }
    for (int i = t / B; i < B; i += 2)
        a[i * N + t % B] = d[i][t % B];
}

// A CTA for each block right of the diagonal's and the one below it: its first warp half solves the one, the second the
// other. blockIdx.x is the distance from the diagonal minus one.
extern "C" __global__ void __launch_bounds__(2 * B) lu_perimeter(float *a, int step)
{
    __shared__ block d, right, below;
    const int t = threadIdx.x % B;
    a += (size_t)blockIdx.y * N * N + step * B * (N + 1);
    const int away = (blockIdx.x + 1) * B;
    for (int i = threadIdx.x / B; i < B; i += 2) {
        d[i][t] = a[i * N + t];
        right[i][t] = a[i * N + away + t];
        below[i][t] = a[(away + i) * N + t];
    }
    __syncwarp();
    if (threadIdx.x < B) {
        for (int i = 1; i < B; i++) {
            float sum = right[i][t];
            for (int k = 0; k < i; k++)
                sum -= d[i][k] * right[k][t];
            right[i][t] = sum;
        }
    } else {
        for (int i = 0; i < B; i++) {
            float sum = below[t][i];
            for (int k = 0; k < i; k++)
                sum -= below[t][k] * d[k][i];
            below[t][i] = sum / d[i][i];
        }
    }
    __syncwarp();
    for (int i = threadIdx.x / B; i < B; i += 2) {
        a[i * N + away + t] = right[i][t];
        a[(away + i) * N + t] = below[i][t];
    }
}

// 16 x 16 threads for each block of the rest.
extern "C" __global__ void __launch_bounds__(B * B) lu_internal(float *a, int step)
{
    __shared__ float right[B][B], below[B][B];
    const int tx = threadIdx.x, ty = threadIdx.y;
    a += (size_t)blockIdx.z * N * N + step * B * (N + 1);
    const int row = (blockIdx.y + 1) * B + ty, column = (blockIdx.x + 1) * B + tx;
    right[ty][tx] = a[ty * N + column];
    below[ty][tx] = a[row * N + tx];
    float sum = a[row * N + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < B; k++)
        sum -= below[ty][k] * right[k][tx];
    a[row * N + column] = sum;
}
