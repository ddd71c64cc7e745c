// Generic pointers, atomics of every width, barrier objects and asynchronous copies, as compiled. Each kernel runs as
// one CTA and writes `out` only; tests/exec/generic.c has the expected values. The cubins in tests/exec/cubin are made
// by
//   for a in 75 80 90 100 120; do nvcc -O3 -cubin -arch=sm_$a -o cubin/generic.sm_$a.cubin generic.cu; done
// and for sm_70 by ../../tools/nvrtc.py -O3 -cubin -arch=sm_70 -o cubin/generic.sm_70.cubin generic.cu
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

// Lanes of one warp reach shared, local and global memory with one instruction.
extern "C" __global__ void pointers(unsigned *out)
{
    __shared__ unsigned shared[128];
    unsigned local[4], t = threadIdx.x;
    for (unsigned i = 0; i < 4; i++)
        local[(t + i) % 4] = 1000 * t + i;
    shared[t] = 7 * t;
    out[t] = 9 * t;
    __syncthreads();
    volatile unsigned *places[3] = {&shared[t ^ 1], &local[t % 4], &out[t]};
    volatile unsigned *p = places[t % 3];
    unsigned value = *p;
    *p = value + 5;
    out[128 + t] = *p;
    __syncthreads();
    out[256 + t] = shared[t] + local[t % 4] + out[t];
}

// Threads add to a cell of shared or global memory that only their parity tells.
extern "C" __global__ void atomics(unsigned *out)
{
    __shared__ unsigned cell[64];
    unsigned t = threadIdx.x;
    if (t < 64)
        cell[t] = 0;
    __syncthreads();
    unsigned *p = t % 2 ? cell : out;
    atomicAdd(p, t);
    atomicMax((int *)p + 1, (int)t - 50);
    atomicAdd((float *)p + 2, 0.5f);
    atomicAdd((unsigned long long *)p + 2, 0x100000001ull);
    atomicAdd((__half2 *)p + 6, __floats2half2_rn(1.0f, 0.25f));
    atomicAdd((double *)p + 4, 0.125);
    unsigned old;
    do
        old = p[10];
    while (atomicCAS(p + 10, old, old * 3 + 1) != old);
    atomicExch((unsigned long long *)p + 6, 77ull);
    __syncthreads();
    if (t < 14)
        out[32 + t] = cell[t];
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void bfloats(unsigned *out)
{
    atomicAdd((__nv_bfloat162 *)out, __floats2bfloat162_rn(1.0f, 2.0f));
}

static __device__ uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

// Rounds of a barrier object: each thread writes its place before it arrives and reads another's after the wait.
extern "C" __global__ void barrier_object(unsigned *out)
{
    __shared__ uint64_t object;
    __shared__ unsigned place[2][128];
    unsigned t = threadIdx.x, n = blockDim.x, sum = 0;
    uint32_t at = shared_address(&object);
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(n) : "memory");
    __syncthreads();
    for (unsigned round = 0; round < 5; round++) {
        uint64_t token;
        unsigned done = 0;
        place[round % 2][t] = t * round;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
        while (!done)
            asm volatile("{.reg .pred q; mbarrier.test_wait.shared.b64 q, [%1], %2; selp.u32 %0, 1, 0, q;}"
                         : "=r"(done)
                         : "r"(at), "l"(token)
                         : "memory");
        sum += place[round % 2][(t + 33) % n];
    }
    out[t] = sum;
}

// Copies in two groups, then one that a barrier object waits for.
extern "C" __global__ void copies(unsigned *out)
{
    __shared__ __align__(16) unsigned to[3][512];
    __shared__ uint64_t object;
    unsigned t = threadIdx.x, n = blockDim.x;
    uint32_t at = shared_address(&object);
    for (unsigned i = 0; i < 4; i++)
        out[4 * t + i] = 16 * t + i;
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(n) : "memory");
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n cp.async.commit_group;" ::"r"(
                     shared_address(&to[0][4 * t])),
                 "l"(out + 4 * t)
                 : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, 4;\n cp.async.commit_group;" ::"r"(
                     shared_address(&to[1][2 * t])),
                 "l"(out + 4 * t)
                 : "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    unsigned sum = to[0][(4 * t + 5) % (4 * n)];
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    sum += to[1][2 * t] + to[1][2 * t + 1];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n cp.async.mbarrier.arrive.noinc.shared.b64 [%2];" ::"r"(
                     shared_address(&to[2][t])),
                 "l"(out + t), "r"(at)
                 : "memory");
    unsigned done = 0;
    while (!done)
        asm volatile("{.reg .pred q; mbarrier.test_wait.parity.shared.b64 q, [%1], 0; selp.u32 %0, 1, 0, q;}"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    __syncthreads();
    out[512 + t] = sum + to[2][(t + 1) % n];
}
#endif

#if __CUDA_ARCH__ >= 900
// Bytes are expected and completed by hand; thread 0 drops out after the first phase.
extern "C" __global__ void transactions(unsigned *out)
{
    __shared__ uint64_t object;
    unsigned t = threadIdx.x, n = blockDim.x, done = 0;
    uint32_t at = shared_address(&object);
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(n) : "memory");
    __syncthreads();
    if (t == 0)
        asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(at) : "memory");
    else
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(16) : "memory");
    __syncthreads();
    asm volatile("{.reg .pred q; mbarrier.test_wait.parity.shared.b64 q, [%1], 0; selp.u32 %0, 1, 0, q;}"
                 : "=r"(done)
                 : "r"(at)
                 : "memory");
    out[t] = done;
    __syncthreads();
    if (t != 1)
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared.b64 [%0], %1;" ::"r"(at), "r"(16) : "memory");
    for (done = 0; !done;)
        asm volatile("{.reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], 0; selp.u32 %0, 1, 0, q;}"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    if (t != 0)
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
    for (done = 0; !done;)
        asm volatile("{.reg .pred q; mbarrier.try_wait.parity.shared.b64 q, [%1], 1; selp.u32 %0, 1, 0, q;}"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    out[128 + t] = 2;
}

extern "C" __global__ void vectors(unsigned *out)
{
    float *f = (float *)out;
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(f), "f"(1.0f), "f"(2.0f), "f"(3.0f), "f"(0.5f)
                 : "memory");
    asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %1, %2, %2};" ::"l"(f + 4), "r"(0x3c003c00), "r"(0x40003800)
                 : "memory");
    asm volatile("red.global.max.noftz.v2.bf16x2 [%0], {%1, %2};" ::"l"(f + 8), "r"(0x3f800000 + threadIdx.x),
                 "r"(0xbf80bf80)
                 : "memory");
}
#endif

// Which windows hold an address: bits for global, local and shared memory, and for that of the cluster.
static __device__ unsigned windows(const void *p)
{
    unsigned global, local, shared, cluster = 0;
    asm volatile("{.reg .pred q; isspacep.global q, %1; selp.u32 %0, 1, 0, q;}" : "=r"(global) : "l"(p));
    asm volatile("{.reg .pred q; isspacep.local q, %1; selp.u32 %0, 2, 0, q;}" : "=r"(local) : "l"(p));
    asm volatile("{.reg .pred q; isspacep.shared q, %1; selp.u32 %0, 4, 0, q;}" : "=r"(shared) : "l"(p));
#if __CUDA_ARCH__ >= 900
    asm volatile("{.reg .pred q; isspacep.shared::cluster q, %1; selp.u32 %0, 8, 0, q;}" : "=r"(cluster) : "l"(p));
#endif
    return global + local + shared + cluster;
}

extern "C" __global__ void queries(unsigned *out)
{
    __shared__ unsigned shared[32];
    unsigned local[4], t = threadIdx.x;
    local[t % 4] = shared[t] = t;
    const void *places[3] = {&shared[t], &local[t % 4], &out[t]};
    out[t] = windows(places[t % 3]);
}
