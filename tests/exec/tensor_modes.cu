// tools/cubins.sh tests/exec/cubin tests/exec/tensor_modes.cu tensor_modes 100a
//
// Kernels for the tests of sm_100's additions to the engine for bulk and tensor copies. The map lies in device memory,
// at task.global of struct tensor_task.
#include <stdint.h>

struct task {
    uint32_t *out;
    const uint32_t *in;
    uint8_t *global;
    int32_t at[5];
    uint16_t offset[3], mask;
    uint32_t bytes;
    uint32_t room;
    uint32_t shared;
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

#define C3 "{%2, %3, %4}"
#define C4 "{%2, %3, %4, %5}"
#define C5 "{%2, %3, %4, %5, %6}"
#define COORDINATES "r"(t.at[0]), "r"(t.at[1]), "r"(t.at[2]), "r"(t.at[3]), "r"(t.at[4])

extern "C" __global__ void gather(const task t)
{
    __shared__ uint64_t barrier;
    begin(t, &barrier);
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%0], "
                     "[%1, " C5 "], [%7];" ::"r"(at(tile()) + t.shared), "l"(t.global), COORDINATES, "r"(at(&barrier))
                     : "memory");
    wait(&barrier);
    report(t, &barrier);
}

extern "C" __global__ void scatter(const task t)
{
    __shared__ uint64_t barrier;
    begin(t, &barrier);
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%1, " C5 "], [%0];" ::"r"(
                         at(tile()) + t.shared), "l"(t.global), COORDINATES
                     : "memory");
        flush();
    }
}

#define WIDE(n, mode, name)                                                                                            \
    extern "C" __global__ void name##_##n(const task t)                                                                \
    {                                                                                                                  \
        __shared__ uint64_t barrier;                                                                                   \
        begin(t, &barrier);                                                                                            \
        if (threadIdx.x == 0)                                                                                          \
            asm volatile("cp.async.bulk.tensor." #n "d.shared::cta.global." mode                                       \
                         ".mbarrier::complete_tx::bytes [%0], [%1, " C##n "], [%7], {%8, %9};" ::"r"(                  \
                             at(tile()) + t.shared), "l"(t.global), COORDINATES, "r"(at(&barrier)),                    \
                         "h"(t.offset[0]), "h"(t.offset[1])                                                            \
                         : "memory");                                                                                  \
        wait(&barrier);                                                                                                \
        report(t, &barrier);                                                                                           \
    }
WIDE(3, "im2col::w", wide) WIDE(4, "im2col::w", wide) WIDE(5, "im2col::w", wide)
WIDE(3, "im2col::w::128", wide128) WIDE(4, "im2col::w::128", wide128) WIDE(5, "im2col::w::128", wide128)

extern "C" __global__ void masked(const task t)
{
    __shared__ uint64_t barrier;
    begin(t, &barrier);
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%0], [%1], %2, %3;" ::"l"(t.global), "r"(
                         at(tile()) + t.shared), "r"(t.bytes), "h"(t.mask)
                     : "memory");
        flush();
    }
}

extern "C" __global__ void zeros(const task t)
{
    __shared__ uint64_t barrier;
    begin(t, &barrier);
    if (threadIdx.x == 0)
        asm volatile("st.bulk.weak.shared::cta [%0], %1, 0;" ::"r"(at(tile()) + t.shared), "l"((uint64_t)t.bytes)
                     : "memory");
    report(t, &barrier);
}
