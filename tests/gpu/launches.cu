// Kernels for the options of a launch: a grid that waits for itself, the global timer, a stack limit; and kernels that
// come to each kind of bad end. tests/gpu/launches.c has the expected values. Made by
//   for a in 80 86 90 120; do nvcc -cubin -arch=sm_$a -o cubin/launches.sm_$a.cubin launches.cu; done
#include <cassert>
#include <cooperative_groups.h>

// Each round every thread adds its neighbours' values of the round before.
extern "C" __global__ void neighbours(unsigned *out, unsigned *cell, unsigned rounds)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    cell[i] = i;
    for (unsigned r = 0; r < rounds; r++) {
        grid.sync();
        unsigned sum = cell[(i + 1) % n] + cell[(i + n - 1) % n];
        grid.sync();
        cell[i] = sum;
    }
    out[i] = cell[i] + grid.is_valid();
}

static __device__ unsigned long long global_timer()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

extern "C" __global__ void timer(unsigned long long *out, unsigned steps)
{
    unsigned long long begin = global_timer();
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i < steps; i++)
        asm volatile("mad.lo.u32 %0, %0, %0, 1;" : "+r"(x));
    unsigned long long end = global_timer();
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = begin;
        out[2 * blockIdx.x + 1] = end;
    }
    if (x == 12345678)
        out[0] = 0;
}

__device__ __noinline__ unsigned deep(unsigned n)
{
    volatile unsigned frame[4] = {n, n + 1, n + 2, n + 3};
    return n == 0 ? 0 : deep(n - 1) + frame[n % 4];
}

extern "C" __global__ void recursion(unsigned *out, unsigned depth) { out[threadIdx.x] = deep(depth); }

__constant__ unsigned table[64] = {3, 1, 4};

extern "C" __global__ void constants(unsigned *out, unsigned add)
{
    out[threadIdx.x] = table[threadIdx.x] + table[2] + add;
}

extern "C" __global__ void store_at(unsigned char *at, unsigned lane)
{
    if (threadIdx.x == lane)
        *(volatile unsigned *)at = 1;
}

extern "C" __global__ void store_local(unsigned *out, unsigned index)
{
    volatile unsigned array[32];
    array[threadIdx.x] = 1;
    array[index] = 2;
    out[0] = array[threadIdx.x];
}

extern "C" __global__ void trap_at(unsigned *out, unsigned lane)
{
    if (threadIdx.x == lane)
        __trap();
    out[0] = 1;
}

extern "C" __global__ void assert_at(unsigned *out, unsigned lane)
{
    assert(threadIdx.x != lane);
    out[0] = 1;
}

extern "C" __global__ void jump_to(void (*where)(), unsigned lane)
{
    if (threadIdx.x == lane)
        where();
}

extern "C" __global__ void divided_barrier(unsigned *out, unsigned lane)
{
    if (threadIdx.x >= 32)
        asm volatile("bar.sync 3, 64;");
    else
        asm volatile("bar.sync 4, 64;");
    out[0] = lane;
}

extern "C" __global__ void unsupported(unsigned *out, unsigned lane)
{
    unsigned count;
    asm volatile("mov.u32 %0, %%pm0;" : "=r"(count));
    out[0] = count + lane;
}
