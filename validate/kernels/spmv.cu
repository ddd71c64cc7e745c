// y = A * x for a sparse matrix in four formats.

constexpr unsigned ALL = 0xffffffffu;

// CSR, a thread for each row.
extern "C" __global__ void __launch_bounds__(256)
spmv_csr_scalar(const int *__restrict__ start, const int *__restrict__ column, const float *__restrict__ value,
                const float *__restrict__ x, float *__restrict__ y, int rows)
{
    const int row = blockIdx.x * 256 + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    const int end = start[row + 1];
    for (int i = start[row]; i < end; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}

// CSR, two lanes for each row. The grid covers the rows exactly.
extern "C" __global__ void __launch_bounds__(256)
spmv_csr_vector(const int *__restrict__ start, const int *__restrict__ column, const float *__restrict__ value,
                const float *__restrict__ x, float *__restrict__ y, int rows)
{
    constexpr int LANES = 2;
    const int row = (blockIdx.x * 256 + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    const int end = start[row + 1];
    float sum = 0;
    for (int i = start[row] + lane; i < end; i += LANES)
        sum += value[i] * x[column[i]];
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        sum += __shfl_down_sync(ALL, sum, offset, LANES);
    if (lane == 0)
        y[row] = sum;
}

// ELL: `width` entries for each row, entry i of all rows beside each other. Those that a row lacks have column -1.
extern "C" __global__ void __launch_bounds__(256)
spmv_ell(const int *__restrict__ column, const float *__restrict__ value, const float *__restrict__ x,
         float *__restrict__ y, int rows, int width)
{
    const int row = blockIdx.x * 256 + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = 0; i < width; i++) {
        const int at = column[(size_t)i * rows + row];
        if (at >= 0)
            sum += value[(size_t)i * rows + row] * x[at];
    }
    y[row] = sum;
}

// COO, a thread for each entry; y is zero before.
extern "C" __global__ void __launch_bounds__(256)
spmv_coo(const int *__restrict__ row, const int *__restrict__ column, const float *__restrict__ value,
         const float *__restrict__ x, float *y, int entries)
{
    const int at = blockIdx.x * 256 + threadIdx.x;
    if (at < entries)
        atomicAdd(&y[row[at]], value[at] * x[column[at]]);
}
