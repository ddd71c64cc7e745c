// spmv: y = M * x for a sparse matrix in CSR form.
// Shows: one thread per row (scalar: scattered loads, and a warp lasts as long as its longest row) against
// one warp per row (vector: coalesced loads, then a shuffle reduction; short rows leave lanes idle).
extern "C" __global__ void __launch_bounds__(128)
spmv_scalar(const unsigned *__restrict__ row, const unsigned *__restrict__ col,
            const float *__restrict__ value, const float *__restrict__ x, float *y, unsigned rows)
{
    unsigned r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (unsigned e = row[r]; e < row[r + 1]; e++)
        sum = fmaf(value[e], x[col[e]], sum);
    y[r] = sum;
}

extern "C" __global__ void __launch_bounds__(128)
spmv_vector(const unsigned *__restrict__ row, const unsigned *__restrict__ col,
            const float *__restrict__ value, const float *__restrict__ x, float *y, unsigned rows)
{
    unsigned lane = threadIdx.x % 32;
    unsigned r = blockIdx.x * 4 + threadIdx.x / 32;
    if (r >= rows)
        return;
    float sum = 0.0f;
    for (unsigned e = row[r] + lane; e < row[r + 1]; e += 32)
        sum = fmaf(value[e], x[col[e]], sum);
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (lane == 0)
        y[r] = sum;
}
