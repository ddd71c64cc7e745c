// tools/cubins.sh tests/exec/cubin tests/exec/tensors.cu tensors 90a
//
// Kernels for the tests of the engine for bulk and tensor copies: one thread issues the copy, all look at its
// result. Shared memory begins with 0xcc in every byte.
#include <stdint.h>

struct alignas(128) map_bytes { uint64_t word[16]; };

struct task {
    uint32_t *out; // shared memory as it is afterwards, and behind it the barrier object
    const uint32_t *in; // shared memory as it is before a store
    uint8_t *global; // bulk copies: the place in device memory
    int32_t at[5];
    uint16_t offset[3], mask;
    uint32_t bytes; // announced to the barrier; bulk copies: their size
    uint32_t room;  // bytes of shared memory that are looked at
    uint32_t shared; // where in shared memory
};

extern __shared__ uint8_t raw[];

__device__ static uint8_t *tile() { return raw + (1024 - (uint32_t)__cvta_generic_to_shared(raw) % 1024) % 1024; }
__device__ static uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ static void begin(const task &t, uint64_t *barrier)
{
    uint32_t *words = (uint32_t *)tile();
    for (uint32_t i = threadIdx.x; i < t.room / 4; i += blockDim.x)
        words[i] = t.in ? t.in[i] : 0xcccccccc;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(barrier)) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     ::"r"(at(barrier)), "r"(t.bytes) : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

__device__ static void wait(uint64_t *barrier)
{
    uint32_t done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(at(barrier)) : "memory");
}

__device__ static void report(const task &t, uint64_t *barrier)
{
    const uint32_t *words = (const uint32_t *)tile();
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < t.room / 4; i += blockDim.x)
        t.out[i] = words[i];
    if (threadIdx.x < 2)
        t.out[t.room / 4 + threadIdx.x] = ((uint32_t *)barrier)[threadIdx.x];
}

__device__ static void flush()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

#define C1 "{%2}"
#define C2 "{%2, %3}"
#define C3 "{%2, %3, %4}"
#define C4 "{%2, %3, %4, %5}"
#define C5 "{%2, %3, %4, %5, %6}"
#define COORDINATES "r"(t.at[0]), "r"(t.at[1]), "r"(t.at[2]), "r"(t.at[3]), "r"(t.at[4])

#define LOAD(n)                                                                                                        \
    extern "C" __global__ void load_##n(const __grid_constant__ map_bytes map, const task t)                           \
    {                                                                                                                  \
        __shared__ uint64_t barrier;                                                                                   \
        begin(t, &barrier);                                                                                            \
        if (threadIdx.x == 0)                                                                                          \
            asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1,  \
                         "                                                                                             \
                         C##n "], [%7];" ::"r"(at(tile()) + t.shared), "l"(&map), COORDINATES, "r"(at(&barrier))       \
                         : "memory");                                                                                  \
        wait(&barrier);                                                                                                \
        report(t, &barrier);                                                                                           \
    }
LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5)

#define STORE(n)                                                                                                       \
    extern "C" __global__ void store_##n(const __grid_constant__ map_bytes map, const task t)                          \
    {                                                                                                                  \
        __shared__ uint64_t barrier;                                                                                   \
        begin(t, &barrier);                                                                                            \
        if (threadIdx.x == 0) {                                                                                        \
            asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.bulk_group [%1, " C##n "], [%0];" ::"r"(     \
                             at(tile()) + t.shared), "l"(&map), COORDINATES                                            \
                         : "memory");                                                                                  \
            flush();                                                                                                   \
        }                                                                                                              \
    }
STORE(1) STORE(2) STORE(3) STORE(4) STORE(5)

#define REDUCE(n, function)                                                                                            \
    extern "C" __global__ void reduce_##n##_##function(const __grid_constant__ map_bytes map, const task t)            \
    {                                                                                                                  \
        __shared__ uint64_t barrier;                                                                                   \
        begin(t, &barrier);                                                                                            \
        if (threadIdx.x == 0) {                                                                                        \
            asm volatile("cp.reduce.async.bulk.tensor." #n "d.global.shared::cta." #function                           \
                         ".tile.bulk_group [%1, " C##n "], [%0];" ::"r"(at(tile()) + t.shared), "l"(&map),             \
                         COORDINATES                                                                                   \
                         : "memory");                                                                                  \
            flush();                                                                                                   \
        }                                                                                                              \
    }
REDUCE(2, add) REDUCE(2, min) REDUCE(2, max) REDUCE(2, inc) REDUCE(2, dec) REDUCE(2, and) REDUCE(2, or) REDUCE(2, xor)
REDUCE(4, add)

#define O3 "{%8}"
#define O4 "{%8, %9}"
#define O5 "{%8, %9, %10}"
#define COLUMN(n)                                                                                                      \
    extern "C" __global__ void column_##n(const __grid_constant__ map_bytes map, const task t)                         \
    {                                                                                                                  \
        __shared__ uint64_t barrier;                                                                                   \
        begin(t, &barrier);                                                                                            \
        if (threadIdx.x == 0)                                                                                          \
            asm volatile("cp.async.bulk.tensor." #n                                                                    \
                         "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " C##n "], [%7],     \
                                      "                                                                                \
                         O##n ";" ::"r"(at(tile()) + t.shared), "l"(&map), COORDINATES, "r"(at(&barrier)),             \
                         "h"(t.offset[0]), "h"(t.offset[1]), "h"(t.offset[2])                                          \
                         : "memory");                                                                                  \
        wait(&barrier);                                                                                                \
        report(t, &barrier);                                                                                           \
    }                                                                                                                  \
    extern "C" __global__ void column_store_##n(const __grid_constant__ map_bytes map, const task t)                   \
    {                                                                                                                  \
        __shared__ uint64_t barrier;                                                                                   \
        begin(t, &barrier);                                                                                            \
        if (threadIdx.x == 0) {                                                                                        \
            asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.im2col_no_offs.bulk_group [%1, " C##n        \
                         "], [%0];" ::"r"(at(tile()) + t.shared), "l"(&map), COORDINATES                               \
                         : "memory");                                                                                  \
            flush();                                                                                                   \
        }                                                                                                              \
    }
COLUMN(3) COLUMN(4) COLUMN(5)

// ---- without a map

extern "C" __global__ void bulk_load(const task t)
{
    __shared__ uint64_t barrier;
    begin(t, &barrier);
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         at(tile()) + t.shared), "l"(t.global), "r"(t.bytes), "r"(at(&barrier))
                     : "memory");
    wait(&barrier);
    report(t, &barrier);
}

extern "C" __global__ void bulk_multicast(const task t)
{
    __shared__ uint64_t barrier;
    begin(t, &barrier);
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
                     "%2, [%3], %4;" ::"r"(at(tile()) + t.shared), "l"(t.global), "r"(t.bytes), "r"(at(&barrier)),
                     "h"(t.mask)
                     : "memory");
    wait(&barrier);
    report(t, &barrier);
}

extern "C" __global__ void bulk_store(const task t)
{
    __shared__ uint64_t barrier;
    begin(t, &barrier);
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(t.global), "r"(t.bytes) : "memory");
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(t.global),
                     "r"(at(tile()) + t.shared), "r"(t.bytes)
                     : "memory");
        flush();
    }
}

// The lower half of shared memory to the upper half.
extern "C" __global__ void bulk_shared(const task t)
{
    __shared__ uint64_t barrier;
    begin(t, &barrier);
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(
                         at(tile()) + t.room / 2), "r"(at(tile()) + t.shared), "r"(t.bytes), "r"(at(&barrier))
                     : "memory");
    wait(&barrier);
    report(t, &barrier);
}

#define BULK_REDUCE(function, type, suffix)                                                                            \
    extern "C" __global__ void bulk_##function##_##type(const task t)                                                  \
    {                                                                                                                  \
        __shared__ uint64_t barrier;                                                                                   \
        begin(t, &barrier);                                                                                            \
        if (threadIdx.x == 0) {                                                                                        \
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." #function suffix "." #type              \
                         " [%0], [%1], %2;" ::"l"(t.global), "r"(at(tile()) + t.shared), "r"(t.bytes)                  \
                         : "memory");                                                                                  \
            flush();                                                                                                   \
        }                                                                                                              \
    }
BULK_REDUCE(add, u32, "") BULK_REDUCE(add, s32, "") BULK_REDUCE(add, u64, "") BULK_REDUCE(inc, u32, "")
BULK_REDUCE(dec, u32, "") BULK_REDUCE(min, u32, "") BULK_REDUCE(max, u32, "") BULK_REDUCE(min, s32, "")
BULK_REDUCE(max, s32, "") BULK_REDUCE(min, u64, "") BULK_REDUCE(max, u64, "") BULK_REDUCE(min, s64, "")
BULK_REDUCE(max, s64, "") BULK_REDUCE(and, b32, "") BULK_REDUCE(or, b32, "") BULK_REDUCE(xor, b32, "")
BULK_REDUCE(and, b64, "") BULK_REDUCE(or, b64, "") BULK_REDUCE(xor, b64, "") BULK_REDUCE(add, f16, ".noftz")
BULK_REDUCE(min, f16, "") BULK_REDUCE(max, f16, "") BULK_REDUCE(add, bf16, ".noftz") BULK_REDUCE(min, bf16, "")
BULK_REDUCE(max, bf16, "") BULK_REDUCE(add, f32, "") BULK_REDUCE(add, f64, "")

#define SHARED_REDUCE(function, type)                                                                                  \
    extern "C" __global__ void shared_##function##_##type(const task t)                                                \
    {                                                                                                                  \
        __shared__ uint64_t barrier;                                                                                   \
        begin(t, &barrier);                                                                                            \
        if (threadIdx.x == 0)                                                                                          \
            asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." #function    \
                         "." #type " [%0], [%1], %2, [%3];"                                                            \
                                      ::"r"(at(tile()) + t.room / 2), "r"(at(tile()) + t.shared),                      \
                         "r"(t.bytes), "r"(at(&barrier))                                                               \
                         : "memory");                                                                                  \
        wait(&barrier);                                                                                                \
        report(t, &barrier);                                                                                           \
    }
SHARED_REDUCE(add, u32) SHARED_REDUCE(add, u64) SHARED_REDUCE(min, s32) SHARED_REDUCE(max, s32) SHARED_REDUCE(inc, u32)
SHARED_REDUCE(dec, u32) SHARED_REDUCE(xor, b32)

// Three groups, of which the last wait is for all.
extern "C" __global__ void groups(const task t)
{
    __shared__ uint64_t barrier;
    begin(t, &barrier);
    if (threadIdx.x == 0) {
        for (int i = 0; i < 3; i++) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(t.global + i * t.bytes),
                         "r"(at(tile()) + i * t.bytes), "r"(t.bytes)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        for (uint32_t i = 0; i < 3 * t.bytes / 4; i++)
            t.out[i] = ((volatile uint32_t *)t.global)[i];
    }
}

// ---- a map that the kernel changes: t.global is a map in device memory

extern "C" __global__ void patched(const task t)
{
    __shared__ alignas(128) map_bytes map;
    __shared__ uint64_t barrier;
    begin(t, &barrier);
    if (threadIdx.x < 32)
        ((uint32_t *)&map)[threadIdx.x] = ((const uint32_t *)t.global)[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
        uint32_t m = at(&map);
        const uint32_t *to = (const uint32_t *)t.in; // address, sizes of two dimensions, stride, box, steps
        uint64_t address = *(const uint64_t *)to, stride = *(const uint64_t *)(to + 2);
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(m), "l"(address));
        asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(m), "l"(stride));
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(m), "r"(to[4]));
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(m), "r"(to[5]));
        asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(m), "r"(to[6]));
        asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(m), "r"(to[7]));
        asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(m), "r"(to[8]));
        asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], %1;" ::"r"(m), "r"(1));
        asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 7;" ::"r"(m));
        asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" ::"r"(m));
        asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 2;" ::"r"(m));
        asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 1;" ::"r"(m));
    }
    __syncwarp();
    if (threadIdx.x < 32)
        asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], "
                     "[%1], "
                     "128;" ::"l"(t.global), "r"(at(&map)) : "memory");
    if (threadIdx.x == 0) {
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(t.global) : "memory");
        for (uint32_t i = 0; i < t.room / 4; i++)
            ((uint32_t *)tile())[i] = 0xcccccccc;
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                     "[%1, {%2, %3}], "
                     "[%4];"
                                  ::"r"(at(tile())), "l"(t.global), "r"(t.at[0]), "r"(t.at[1]), "r"(at(&barrier))
                     : "memory");
    }
    wait(&barrier);
    report(t, &barrier);
}
