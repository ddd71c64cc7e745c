// Kernels for launches that are sampled inside. tests/gpu/sampled.c has the expected values. Made by
//   nvcc -cubin -arch=sm_86 -o cubin/sampled.sm_86.cubin sampled.cu

// Thread 0 of each CTA takes a number, and leaves it.
extern "C" __global__ void tickets(unsigned *words)
{
    if (threadIdx.x == 0)
        words[1 + blockIdx.x] = atomicAdd(words, 1u);
}

// A CTA waits until the one before it has written its word.
extern "C" __global__ void chain(volatile unsigned *words)
{
    if (threadIdx.x != 0)
        return;
    while (blockIdx.x > 0 && words[blockIdx.x] == 0)
        ;
    words[blockIdx.x + 1] = blockIdx.x + 1;
}

// Words that stay in local memory, because their order is known only when the kernel runs.
extern "C" __global__ void shuffle_local(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, word[32], sum = 0;
    for (unsigned k = 0; k < 32; k++)
        word[(k * 5 + i) % 32] = (i ^ k * 7) * (k % 5);
    for (unsigned k = 0; k < 32; k++)
        sum += word[(k * 11 + i) % 32];
    out[i] = sum;
}
