// softmax of each matrix row: one warp per row, blocks of 4 warps. The row's maximum is subtracted first. Shows:
// butterfly shuffles for maximum and sum, exponentials on the special-function unit.
extern "C" __global__ void __launch_bounds__(128)
softmax(const float *__restrict__ in, float *__restrict__ out, unsigned rows, unsigned cols)
{
    unsigned lane = threadIdx.x % 32;
    unsigned row = blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= rows)
        return;
    in += row * cols;
    out += row * cols;

    float top = -INFINITY;
    for (unsigned i = lane; i < cols; i += 32)
        top = fmaxf(top, in[i]);
    for (int mask = 16; mask > 0; mask /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, mask));

    float sum = 0.0f;
    for (unsigned i = lane; i < cols; i += 32) {
        float e = expf(in[i] - top);
        out[i] = e;
        sum += e;
    }
    for (int mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, mask);

    float scale = __fdividef(1.0f, sum);
    for (unsigned i = lane; i < cols; i += 32)
        out[i] *= scale;
}
