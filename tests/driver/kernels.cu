// Kernels of the driver's tests. tests/driver/build.sh makes the cubins from this file.
#include <cassert>
#include <cooperative_groups.h>
#include <cstdint>

struct triple {
    float x, y, z;
};

struct block8k {
    int word[2048];
};

__constant__ int table[64] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ int zeros[1000];
__managed__ int shared_with_host = 7;
__managed__ float managed_array[300];

extern "C" {

__global__ void vecadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void mixed(char a, short b, triple c, double d, double *out)
{
    out[0] = a;
    out[1] = b;
    out[2] = c.x + 10 * c.y + 100 * c.z;
    out[3] = d;
}

__global__ void large(block8k values, long long *sum)
{
    long long s = 0;
#pragma unroll 1
    for (int i = 0; i < 2048; i++)
        s += values.word[i] * (i + 1);
    *sum = s;
}

__global__ void nothing() {}

__global__ void variables(int *out)
{
    out[0] = table[0] + 10 * table[63];
    out[1] = counter++;
    out[2] = zeros[999];
    out[3] = shared_with_host++;
    managed_array[299] = 0.5f;
}

__global__ void write_at(int *address) { *address = 1; }

__global__ void read_misaligned(char *address, int *out) { *out = *(volatile int *)(address + 1); }

__global__ void stop() { __trap(); }

__global__ void insist(int value) { assert(value == 0); }

__device__ __noinline__ int deep(int n, volatile int *p)
{
    volatile int local[64];
    local[n & 63] = p[0];
    return n == 0 ? local[0] : deep(n - 1, p) + local[n & 63];
}

__global__ void recurse(int *p, int n) { p[1] = deep(n, p); }

__global__ void local_array(int *p)
{
    volatile int local[200];
#pragma unroll 1
    for (int i = 0; i < 200; i++)
        local[i] = p[i];
    p[0] = local[p[1] % 200];
}

__global__ void dynamic(unsigned *out)
{
    extern __shared__ unsigned words[];
    unsigned size;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    words[size / 4 - 1] = size;
    *out = words[size / 4 - 1];
}

__global__ void fixed_shared(float *out)
{
    __shared__ float tile[1024];
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[1023 - threadIdx.x];
}

__global__ void __launch_bounds__(128) bounded(int *out) { out[threadIdx.x] = 1; }

__global__ void many_registers(float *p)
{
    float v[120];
#pragma unroll
    for (int i = 0; i < 120; i++)
        v[i] = p[i * 32 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 120; i++)
        p[(119 - i) * 32 + threadIdx.x] = v[i] * v[(i * 7) % 120];
}

__global__ void grid_sum(const int *in, int *partial, int *out, int n)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        sum += in[i];
    partial[grid.thread_rank()] = sum;
    grid.sync();
    if (grid.thread_rank() == 0) {
        *out = 0;
        for (int i = 0; i < grid.size(); i++)
            *out += partial[i];
    }
}

__global__ void time_now(uint64_t *out)
{
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(*out));
}
}
