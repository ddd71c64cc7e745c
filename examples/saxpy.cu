// saxpy: y[i] = alpha * x[i] + y[i] in a grid-stride loop.
// Shows: a loop with several loads in flight per thread (the compiler unrolls it), and FFMA.
extern "C" __global__ void saxpy(float alpha, const float *__restrict__ x, float *__restrict__ y, unsigned n)
{
    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = fmaf(alpha, x[i], y[i]);
}
