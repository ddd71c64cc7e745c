// Kernels that tell where and when their CTAs were, for launches that overlap. tests/gpu/overlap.c has the expected
// values. Made by
//   nvcc -cubin -arch=sm_90 -o cubin/overlap.sm_90.cubin overlap.cu

struct note {
    unsigned long long begin, end;
    unsigned sm, first;
};

static __device__ unsigned long long global_timer()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

static __device__ void work(unsigned steps, unsigned *sum)
{
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i < steps; i++)
        asm volatile("mad.lo.u32 %0, %0, %0, 1;" : "+r"(x));
    if (x == 12345678)
        *sum = x;
}

static __device__ void tell(note *out, unsigned long long begin)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0)
        out[blockIdx.x] = {begin, global_timer(), sm, blockIdx.x};
}

// Takes so many steps.
extern "C" __global__ void busy(note *out, unsigned *cell, unsigned steps)
{
    unsigned long long begin = global_timer();
    work(steps, cell);
    __syncthreads();
    tell(out, begin);
}

// The same with much shared memory, given at the launch.
extern "C" __global__ void shared_busy(note *out, unsigned *cell, unsigned steps)
{
    extern __shared__ unsigned table[];
    unsigned long long begin = global_timer();
    table[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    work(steps, cell);
    if (table[blockDim.x - 1 - threadIdx.x] != (blockDim.x - 1 - threadIdx.x) * 3)
        *cell = 1;
    __syncthreads();
    tell(out, begin);
}

// Sums its memory into it, in different code.
extern "C" __global__ void sums(note *out, unsigned *cell, unsigned steps)
{
    unsigned long long begin = global_timer();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned s = 0; s < steps; s++)
        cell[i] = cell[i] * 5 + s;
    __syncthreads();
    tell(out, begin);
}

// Lets dependents launch, then works on, and only then writes.
extern "C" __global__ void primary(note *out, unsigned *cell, unsigned steps)
{
    unsigned long long begin = global_timer();
    asm volatile("griddepcontrol.launch_dependents;");
    work(steps, cell + 1000000);
    cell[blockIdx.x * blockDim.x + threadIdx.x] = 7;
    __syncthreads();
    tell(out, begin);
}

// Waits for its primary, and reads the words that it has written; begin: before the wait, end: behind it.
extern "C" __global__ void secondary(note *out, unsigned *cell, unsigned steps)
{
    unsigned long long begin = global_timer();
    work(steps, cell + 1000000);
    asm volatile("griddepcontrol.wait;" ::: "memory");
    unsigned long long end = global_timer();
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned seen = cell[i];
    cell[i] = seen + 1;
    if (threadIdx.x == 0)
        out[blockIdx.x] = {begin, end, 0, seen};
}

// Waits until the other of two kernels has begun too.
extern "C" __global__ void meets(note *out, unsigned *cell, unsigned number)
{
    unsigned long long begin = global_timer();
    if (threadIdx.x == 0) {
        atomicAdd(cell + number % 2, 1);
        while (atomicAdd(cell + 1 - number % 2, 0) == 0)
            ;
    }
    __syncthreads();
    tell(out, begin);
}

// Writes where nothing is.
extern "C" __global__ void fails(note *out, unsigned *cell, unsigned steps)
{
    work(steps, cell);
    *(volatile unsigned *)(8ull + steps) = 1;
}
