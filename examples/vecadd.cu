// vecadd: c[i] = a[i] + b[i], one element per thread, with a ragged last block.
// Shows: coalesced loads and stores; a kernel limited by memory and launch, not by arithmetic.
extern "C" __global__ void
vecadd(const float *__restrict__ a, const float *__restrict__ b, float *c, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
