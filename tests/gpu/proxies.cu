// Kernels in which threads and asynchronous operations share memory: right ones, and one error in each of the others.
// tests/gpu/proxies.c has the checker's findings. Made by
//   nvcc -std=c++17 -cubin -arch=sm_90a -o cubin/proxies.sm_90.cubin proxies.cu
#include <cstdint>

using u32 = unsigned;
using u64 = unsigned long long;

static __device__ u32 address(const void *p) { return (u32)__cvta_generic_to_shared(p); }

static __device__ void wait(u64 *bar, u32 parity)
{
    asm volatile("{\n.reg .pred p;\nagain%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra done%=;\n"
                 "bra again%=;\ndone%=:\n}" ::"r"(address(bar)),
                 "r"(parity)
                 : "memory");
}

static __device__ void load(void *to, const u32 *from, u32 bytes, u64 *bar)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     address(to)),
                 "l"(from), "r"(bytes), "r"(address(bar))
                 : "memory");
}

static __device__ void store(u32 *to, const void *from, u32 bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(address(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

static __device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Threads write, the engine stores to out.
template <bool FENCE> static __device__ void stores(u32 *out)
{
    __shared__ __align__(128) u32 data[64];
    data[threadIdx.x] = 3 * threadIdx.x;
    if (FENCE)
        fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        store(out, data, sizeof data);
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

extern "C" __global__ void __launch_bounds__(64) store_right(u32 *out) { stores<true>(out); }
extern "C" __global__ void __launch_bounds__(64) store_without_fence(u32 *out) { stores<false>(out); }

// The engine loads, threads read and hand on. Then it loads again into the same place.
template <bool WAIT, bool ORDER> static __device__ void loads(u32 *out, const u32 *in)
{
    __shared__ __align__(128) u32 data[64];
    __shared__ u64 bar[2];
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < 2; i++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&bar[i])) : "memory");
        fence();
    }
    __syncthreads();
    u32 sum = 0;
    if (threadIdx.x == 0) {
        load(data, in, sizeof data, &bar[0]);
        if (!ORDER)
            load(data, in + 64, sizeof data, &bar[1]);
    }
    if (WAIT)
        wait(&bar[0], 0);
    sum += *(volatile u32 *)&data[threadIdx.x ^ 1];
    __syncthreads();
    if (ORDER && threadIdx.x == 0)
        load(data, in + 64, sizeof data, &bar[1]);
    wait(&bar[0], 0);
    wait(&bar[1], 0);
    sum += data[threadIdx.x];
    out[threadIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(64) load_right(u32 *out, const u32 *in) { loads<true, true>(out, in); }
extern "C" __global__ void __launch_bounds__(64) load_early(u32 *out, const u32 *in) { loads<false, true>(out, in); }
extern "C" __global__ void __launch_bounds__(64) load_over(u32 *out, const u32 *in) { loads<true, false>(out, in); }

// A product of 64 x 8 x 16 halves whose operands threads have written.
template <bool FENCE> static __device__ void products(float *out)
{
    __shared__ __align__(128) uint16_t a[64 * 16], b[8 * 16];
    for (u32 i = threadIdx.x; i < 64 * 16; i += 128)
        a[i] = 0x3c00; // 1
    for (u32 i = threadIdx.x; i < 8 * 16; i += 128)
        b[i] = 0x4000; // 2
    if (FENCE)
        fence();
    __syncthreads();
    const u64 strides = (u64)8 << 16 | (u64)16 << 32;
    u64 da = (address(a) >> 4 & 0x3fff) | strides, db = (address(b) >> 4 & 0x3fff) | strides;
    float d[4] = {0, 0, 0, 0};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(da), "l"(db)
                 : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

extern "C" __global__ void __launch_bounds__(128) product_right(float *out) { products<true>(out); }
extern "C" __global__ void __launch_bounds__(128) product_without_fence(float *out) { products<false>(out); }
