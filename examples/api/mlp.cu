// The kernels of mlp.c. Made by examples/api/build.sh.

enum { TILE = 16 };

// c[i][j] = sum over k of a[i * ai + k * ak] * b[k * bk + j * bj], in the order of k. With `bias` c[i][j] += bias[j]
// first, with `relu` values below 0 become 0. CTAs of 16 x 16 threads.
extern "C" __global__ void gemm(const float *a, unsigned ai, unsigned ak, const float *b, unsigned bk, unsigned bj,
                                const float *bias, float *c, unsigned m, unsigned n, unsigned depth, unsigned relu)
{
    __shared__ float left[TILE][TILE + 1], right[TILE][TILE + 1];
    unsigned i = blockIdx.y * TILE + threadIdx.y, j = blockIdx.x * TILE + threadIdx.x;
    float sum = bias && j < n ? bias[j] : 0;
    for (unsigned k = 0; k < depth; k += TILE) {
        unsigned x = k + threadIdx.x, y = k + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = i < m && x < depth ? a[i * ai + x * ak] : 0;
        right[threadIdx.y][threadIdx.x] = j < n && y < depth ? b[y * bk + j * bj] : 0;
        __syncthreads();
        for (unsigned t = 0; t < TILE; t++)
            sum = fmaf(left[threadIdx.y][t], right[t][threadIdx.x], sum);
        __syncthreads();
    }
    if (i < m && j < n)
        c[i * n + j] = relu && sum < 0 ? 0 : sum;
}

// The softmax of each row, minus 1 at the label, divided by the number of rows. A thread for each row.
extern "C" __global__ void softmax_gradient(const float *scores, const unsigned *label, float *gradient, unsigned rows,
                                            unsigned classes)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const float *s = scores + row * classes;
    float most = s[0], sum = 0;
    for (unsigned c = 1; c < classes; c++)
        most = fmaxf(most, s[c]);
    for (unsigned c = 0; c < classes; c++)
        sum += expf(s[c] - most);
    for (unsigned c = 0; c < classes; c++)
        gradient[row * classes + c] = (expf(s[c] - most) / sum - (c == label[row] ? 1.0f : 0.0f)) / rows;
}

// The gradient that a ReLU passes on: nothing where its output is 0.
extern "C" __global__ void relu_gradient(const float *output, float *gradient, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && output[i] <= 0)
        gradient[i] = 0;
}

// sum[j] = sum over i of a[i][j].
extern "C" __global__ void column_sums(const float *a, float *sum, unsigned rows, unsigned columns)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= columns)
        return;
    float s = 0;
    for (unsigned i = 0; i < rows; i++)
        s += a[i * columns + j];
    sum[j] = s;
}

extern "C" __global__ void step(float *weight, const float *gradient, float rate, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        weight[i] = fmaf(-rate, gradient[i], weight[i]);
}
