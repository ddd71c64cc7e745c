// Kernels that allocate, load and store tensor memory: right ones, and one error in each of the others.
// tests/gpu/tensor_memory.c knows the right results. Made by
//   nvcc -O3 -std=c++17 -cubin -arch=sm_100a -o cubin/tensor_memory.sm_100a.cubin tensor_memory.cu
#include "umma.cuh"

#define O4(v, i) "=r"(v[i]), "=r"(v[i + 1]), "=r"(v[i + 2]), "=r"(v[i + 3])
#define O8(v) O4(v, 0), O4(v, 4)
#define NAMES8 "{%0,%1,%2,%3,%4,%5,%6,%7}"
#define LOAD8(shape, tail)                                                                                             \
    asm volatile("tcgen05.ld.sync.aligned." shape ".b32 " NAMES8 ", [%8]" tail ";" : O8(v) : "r"(at) : "memory")

static __device__ void put(u32 *&out, const u32 (&v)[8])
{
    for (int i = 0; i < 8; i++)
        out[i * 128 + threadIdx.x] = v[i];
    out += 8 * 128;
}

// Each thread writes lane << 16 | column to 32 columns. Then other shapes read them: 8 registers a thread each.
extern "C" __global__ void shapes(u32 *out)
{
    __shared__ u32 place;
    if (threadIdx.x < 32)
        ALLOC(1, address(&place), 64u);
    __syncthreads();
    u32 base = place, at = base + quarter(), v[8];
    for (u32 c = 0; c < 32; c++)
        STORE1(at + c, threadIdx.x << 16 | c);
    WAIT_ST;
    LOAD8("32x32b.x8", "");
    WAIT_LD;
    put(out, v);
    LOAD8("16x64b.x8", "");
    WAIT_LD;
    put(out, v);
    LOAD8("16x128b.x4", "");
    WAIT_LD;
    put(out, v);
    at += 16 << 16;
    LOAD8("16x256b.x2", "");
    WAIT_LD;
    put(out, v);
    at -= 16 << 16;
    LOAD8("16x32bx2.x8", ", 16");
    WAIT_LD;
    put(out, v);
    LOAD8("32x32b.x8.pack::16b", "");
    WAIT_LD;
    put(out, v);
    __syncthreads();
    if (threadIdx.x < 32)
        DEALLOC(1, base, 64u);
}

// Addresses of allocations, one after the other. Freed columns are used again.
extern "C" __global__ void addresses(u32 *out)
{
    __shared__ u32 place[8];
    ALLOC(1, address(&place[0]), 256u);
    ALLOC(1, address(&place[1]), 128u);
    ALLOC(1, address(&place[2]), 64u);
    ALLOC(1, address(&place[3]), 32u);
    DEALLOC(1, place[1], 128u);
    ALLOC(1, address(&place[4]), 32u);
    ALLOC(1, address(&place[5]), 64u);
    DEALLOC(1, place[0], 256u);
    ALLOC(1, address(&place[6]), 256u);
    __syncwarp();
    for (int i = 2; i < 7; i++)
        DEALLOC(1, place[i], i == 2 || i == 5 ? 64u : i == 6 ? 256u : 32u);
    ALLOC(1, address(&place[7]), 512u);
    RELINQUISH(1);
    __syncwarp();
    if (threadIdx.x < 8)
        out[threadIdx.x] = place[threadIdx.x];
    DEALLOC(1, place[7], 512u);
}

// Every CTA wants all columns, and counts in them: those of an SM follow each other.
extern "C" __global__ void all_columns(u32 *out)
{
    __shared__ u32 place;
    if (threadIdx.x < 32) {
        ALLOC(1, address(&place), 512u);
        RELINQUISH(1);
    }
    __syncthreads();
    u32 at = place + quarter(), v = 0;
    for (u32 c = 0; c < 512; c += 73) {
        u32 got;
        STORE1(at + c, threadIdx.x + blockIdx.x + c);
        WAIT_ST;
        LOAD1(got, at + c);
        WAIT_LD;
        v += got;
    }
    atomicAdd(out, 1);
    out[1 + blockIdx.x * blockDim.x + threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x < 32)
        DEALLOC(1, place, 512u);
}

// Rounds of allocation by CTA pairs, of which one is late in turn.
extern "C" __global__ void __cluster_dims__(2, 1, 1) pairs(u32 *out, u32 rounds)
{
    __shared__ u32 place;
    u32 rank = blockIdx.x % 2, sum = 0;
    for (u32 i = 0; i < rounds; i++) {
        if (i % 2 == rank)
            __nanosleep(200);
        ALLOC(2, address(&place), 32u << i % 5);
        __syncwarp();
        u32 at = place, v;
        sum = sum * 3 + at;
        STORE1(at + 31, sum);
        WAIT_ST;
        LOAD1(v, at + 31);
        WAIT_LD;
        sum = v;
        cluster_sync();
        DEALLOC(2, at, 32u << i % 5);
        cluster_sync();
    }
    RELINQUISH(2);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

// ---- copies and shifts -------------------------------------------------------------------------------------------

enum { IMAGE = 8192 };

struct __align__(128) image {
    unsigned char bytes[IMAGE];
    u64 barrier;
    u32 place;
};

// 128 threads: bytes that are all different by their place, and 64 columns.
static __device__ void begin(image &m)
{
    for (u32 i = threadIdx.x; i < IMAGE / 4; i += 128)
        ((u32 *)m.bytes)[i] = i * 0x01010101u + 0x03020100u ^ i >> 8;
    if (threadIdx.x == 0)
        barrier_init(&m.barrier);
    fence_shared();
    if (threadIdx.x < 32)
        ALLOC(1, address(&m.place), 64u);
    __syncthreads();
}

static __device__ u64 rows(const image &m) { return matrix(m.bytes, 4096, 128); }

static __device__ void read(u32 *&out, u32 at)
{
    u32 v[8];
    LOAD8("32x32b.x8", "");
    WAIT_LD;
    put(out, v);
}

#define COPY(shape, column)                                                                                            \
    asm volatile("tcgen05.cp.cta_group::1." shape " [%0], %1;" ::"r"(m.place + column), "l"(rows(m)) : "memory")

extern "C" __global__ void copies(u32 *out)
{
    __shared__ image m;
    begin(m);
    if (threadIdx.x == 0) {
        COPY("128x256b", 0);
        COPY("128x128b", 8);
        COPY("64x128b.warpx2::02_13", 12);
        COPY("64x128b.warpx2::01_23", 16);
        COPY("32x128b.warpx4", 20);
        COPY("128x128b.b8x16.b6x16_p32", 24);
        COPY("128x128b.b8x16.b4x16_p64", 28);
        COPY("4x256b", 8);
        barrier_commit(&m.barrier);
    }
    barrier_wait(&m.barrier, 0);
    u32 base = m.place;
    for (u32 c = 0; c < 32; c += 8)
        read(out, base + quarter() + c);
    __syncthreads();
    if (threadIdx.x < 32)
        DEALLOC(1, base, 64u);
}

extern "C" __global__ void shifts(u32 *out)
{
    __shared__ image m;
    begin(m);
    if (threadIdx.x == 0) {
        COPY("128x256b", 0);
        asm volatile("tcgen05.shift.cta_group::1.down [%0];" ::"r"(m.place) : "memory");
        barrier_commit(&m.barrier);
    }
    barrier_wait(&m.barrier, 0);
    u32 base = m.place;
    read(out, base + quarter());
    __syncthreads();
    if (threadIdx.x < 32)
        DEALLOC(1, base, 64u);
}

// Nobody waits for the copy.
extern "C" __global__ void reads_early(u32 *out)
{
    __shared__ image m;
    begin(m);
    if (threadIdx.x == 0) {
        COPY("128x256b", 0);
        barrier_commit(&m.barrier);
    }
    u32 base = m.place;
    __syncthreads();
    read(out, base + quarter());
    __syncthreads();
    barrier_wait(&m.barrier, 0);
    if (threadIdx.x < 32)
        DEALLOC(1, base, 64u);
}

// ---- errors ----------------------------------------------------------------------------------------------------

extern "C" __global__ void leaks(u32 *out)
{
    __shared__ u32 place;
    ALLOC(1, address(&place), 64u);
    __syncwarp();
    out[threadIdx.x] = place;
}

extern "C" __global__ void never_waits(u32 *out)
{
    __shared__ u32 place;
    u32 v;
    ALLOC(1, address(&place), 32u);
    __syncwarp();
    u32 at = place;
    STORE1(at + 5, threadIdx.x);
    LOAD1(v, at + 5);
    WAIT_LD;
    out[threadIdx.x] = v;
    DEALLOC(1, at, 32u);
}

extern "C" __global__ void never_ends(u32 *out)
{
    __shared__ u32 place;
    ALLOC(1, address(&place), 512u);
    ALLOC(1, address(&place), 64u);
    __syncwarp();
    out[threadIdx.x] = place;
}

extern "C" __global__ void after_relinquish(u32 *out)
{
    __shared__ u32 place;
    ALLOC(1, address(&place), 64u);
    RELINQUISH(1);
    __syncwarp();
    u32 at = place;
    ALLOC(1, address(&place), 64u);
    __syncwarp();
    out[threadIdx.x] = place + at;
}

extern "C" __global__ void frees_others(u32 *out)
{
    __shared__ u32 place;
    ALLOC(1, address(&place), 64u);
    __syncwarp();
    out[threadIdx.x] = place;
    DEALLOC(1, place + 64, 64u);
}

extern "C" __global__ void outside(u32 *out)
{
    __shared__ u32 place;
    u32 v;
    ALLOC(1, address(&place), 64u);
    __syncwarp();
    u32 at = place;
    LOAD1(v, at + 64);
    WAIT_LD;
    out[threadIdx.x] = v;
    DEALLOC(1, at, 64u);
}

// ---- time ------------------------------------------------------------------------------------------------------

extern "C" __global__ void clocks(u32 *out)
{
    __shared__ u32 place;
    u32 before, after;
    ALLOC(1, address(&place), 64u);
    DEALLOC(1, 0u, 64u);
    asm volatile("mov.u32 %0, %%clock;" : "=r"(before) :: "memory");
    ALLOC(1, address(&place), 64u);
    asm volatile("mov.u32 %0, %%clock;" : "=r"(after) :: "memory");
    DEALLOC(1, 0u, 64u);
    RELINQUISH(1);
    if (threadIdx.x == 0)
        out[0] = after - before;
}
