// One training step for a network with one hidden layer of 16 and one output, on one example: a 16 x 16 CTA has 16
// inputs.

constexpr int HIDDEN = 16, ROWS = 16;

// part[cta][j] = sum of in[i] * w[i][j] over the inputs i of the CTA, added up as a tree in shared memory.
extern "C" __global__ void __launch_bounds__(ROWS * HIDDEN)
backprop_forward(const float *__restrict__ in, const float *__restrict__ w, float *__restrict__ part)
{
    __shared__ float value[ROWS], product[ROWS][HIDDEN];
    const int j = threadIdx.x, y = threadIdx.y, i = blockIdx.x * ROWS + y;
    if (j == 0)
        value[y] = in[i];
    __syncthreads();
    product[y][j] = w[i * HIDDEN + j] * value[y];
    __syncthreads();
    for (int half = ROWS / 2; half > 0; half /= 2) {
        if (y < half)
            product[y][j] += product[y + half][j];
        __syncthreads();
    }
    if (y == 0)
        part[blockIdx.x * HIDDEN + j] = product[0][j];
}

// A CTA of 256 threads for each unit of the hidden layer: its activation.
extern "C" __global__ void __launch_bounds__(256)
backprop_activate(const float *__restrict__ part, float *__restrict__ hidden, int parts)
{
    __shared__ float sums[256];
    const int t = threadIdx.x;
    float sum = 0;
    for (int i = t; i < parts; i += 256)
        sum += part[i * HIDDEN + blockIdx.x];
    sums[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0)
        hidden[blockIdx.x] = 1.0f / (1.0f + expf(-sums[0]));
}

// One warp: the output and the error of each hidden unit, and the weights between them; delta[HIDDEN] is that of the
// output.
extern "C" __global__ void __launch_bounds__(32)
backprop_error(const float *__restrict__ hidden, float *__restrict__ w, float *__restrict__ delta, float target,
               float rate)
{
    const int t = threadIdx.x;
    const float own = t < HIDDEN ? hidden[t] : 0.0f, weight = t < HIDDEN ? w[t] : 0.0f;
    float sum = own * weight;
    for (int mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, mask);
    const float out = 1.0f / (1.0f + expf(-sum)), error = out * (1.0f - out) * (target - out);
    if (t < HIDDEN) {
        delta[t] = own * (1.0f - own) * error * weight;
        w[t] = weight + rate * error * own;
    }
    if (t == HIDDEN)
        delta[t] = error;
}

// w += rate * delta * in + momentum * the last change, which is kept.
extern "C" __global__ void __launch_bounds__(ROWS * HIDDEN)
backprop_adjust(const float *__restrict__ in, const float *__restrict__ delta, float *__restrict__ w,
                float *__restrict__ last, float rate, float momentum)
{
    const int j = threadIdx.x, i = blockIdx.x * ROWS + threadIdx.y, at = i * HIDDEN + j;
    const float change = rate * delta[j] * in[i] + momentum * last[at];
    w[at] += change;
    last[at] = change;
}
