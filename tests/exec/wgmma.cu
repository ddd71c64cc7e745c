// Whole products by warpgroups: operands go into shared memory by plain stores, several groups are in flight.
// tests/exec/wgmma_programs.c knows the right results. Made by
//   nvcc -O3 -cubin -arch=sm_90a -o cubin/wgmma.sm_90.cubin wgmma.cu
typedef unsigned u32;
typedef unsigned short u16;
typedef unsigned long long u64;

enum { M = 64, N = 64, K = 64 };

// Rows of 128 bytes, 16-byte chunks in the order of the 128-byte swizzle.
__device__ u32 place(u32 row, u32 byte) { return row * 128 + (byte ^ (row % 8) * 16); }

__device__ u64 descriptor(const void *at)
{
    return (__cvta_generic_to_shared(at) & 0x3ffff) >> 4 | 1024ull >> 4 << 32 | 1ull << 62;
}

#define ARRIVE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";" ::: "memory")

#define R4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define R16(d, i) R4(d, i), R4(d, i + 4), R4(d, i + 8), R4(d, i + 12)
#define NAMES32                                                                                                        \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, "       \
    "%23, %24, %25, %26, %27, %28, %29, %30, %31}"

__device__ __forceinline__ void multiply(float (&d)[32], u64 a, u64 b, int add)
{
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " NAMES32
                 ", %32, %33, p, 1, 1, 0, 0; }"
                 : R16(d, 0), R16(d, 16)
                 : "l"(a), "l"(b), "r"(add)
                 : "memory");
}

__device__ __forceinline__ void multiply_registers(float (&d)[32], const u32 (&a)[4], u64 b, int add)
{
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %37, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " NAMES32
                 ", {%32, %33, %34, %35}, %36, p, 1, 1, 0; }"
                 : R16(d, 0), R16(d, 16)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add)
                 : "memory");
}

__device__ void load(unsigned char *to, const u16 *from)
{
    for (u32 i = threadIdx.x % 128; i < 64 * K; i += 128)
        *(u16 *)(to + place(i / K, i % K * 2)) = from[i];
}

__device__ void store(float *to, const float (&d)[32])
{
    u32 row = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
#pragma unroll
    for (int r = 0; r < 32; r++)
        to[(row + (r & 2 ? 8 : 0)) * N + r / 4 * 8 + column + r % 2] = d[r];
}

// One product of 64 x 64 x 64; B is stored by columns.
extern "C" __global__ __launch_bounds__(128) void one(const u16 *a, const u16 *b, float *d)
{
    __shared__ alignas(1024) unsigned char x[8192], y[8192];
    float sum[32];
    load(x, a);
    load(y, b);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    ARRIVE;
#pragma unroll
    for (int k = 0; k < 4; k++)
        multiply(sum, descriptor(x) + 2 * k, descriptor(y) + 2 * k, k);
    COMMIT;
    WAIT(0);
    store(d, sum);
}

// Two products with the same A in registers, two groups in flight. The results between the waits are not theirs.
extern "C" __global__ __launch_bounds__(128) void two_groups(const u16 *a, const u16 *b, float *d)
{
    __shared__ alignas(1024) unsigned char y[2][8192];
    float first[32], second[32];
    u32 row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2, parts[4][4];
    load(y[0], b);
    load(y[1], b + N * K);
    for (int k = 0; k < 4; k++)
        for (int r = 0; r < 4; r++)
            parts[k][r] = *(const u32 *)&a[(row + r % 2 * 8) * K + 16 * k + r / 2 * 8 + column];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    ARRIVE;
#pragma unroll
    for (int k = 0; k < 4; k++)
        multiply_registers(first, parts[k], descriptor(y[0]) + 2 * k, k);
    COMMIT;
#pragma unroll
    for (int k = 0; k < 4; k++)
        multiply_registers(second, parts[k], descriptor(y[1]) + 2 * k, k);
    COMMIT;
    WAIT(1);
    for (int i = 0; i < 32; i++)
        first[i] += 1;
    store(d, first);
    WAIT(0);
    store(d + M * N, second);
}

// Two warpgroups, each with a buffer that one thread of a third hands over again and again: the group's first thread
// frees it behind its wait, while the others may still be on the way to it.
extern "C" __global__ __launch_bounds__(384) void handed_over(const u16 *a, const u16 *b, float *d, int rounds)
{
    __shared__ alignas(1024) unsigned char x[2][8192], y[8192];
    __shared__ volatile int full[2], empty[2];
    u32 group = threadIdx.x / 128;
    float sum[32];
    if (threadIdx.x < 2)
        full[threadIdx.x] = 0, empty[threadIdx.x] = 0;
    load(y, b);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (group == 2) {
        for (int i = 0; i < rounds; i++)
            for (int g = 0; g < 2; g++) {
                while (empty[g] < i)
                    ;
                load(x[g], a + (i + g) % 4 * M * K);
                asm volatile("fence.proxy.async;" ::: "memory");
                asm volatile("bar.sync 1, 128;" ::: "memory");
                if (threadIdx.x % 128 == 0)
                    full[g] = i + 1;
            }
        return;
    }
    for (int i = 0; i < 32; i++)
        sum[i] = 0;
    for (int i = 0; i < rounds; i++) {
        while (full[group] < i + 1)
            ;
        __syncwarp();
        ARRIVE;
#pragma unroll
        for (int k = 0; k < 4; k++)
            multiply(sum, descriptor(x[group]) + 2 * k, descriptor(y) + 2 * k, 1);
        COMMIT;
        WAIT(0);
        if (threadIdx.x % 128 == 0)
            empty[group] = i + 1;
    }
    store(d + group * M * N, sum);
}
