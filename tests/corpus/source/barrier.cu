// build plain:
// build debug: -G only=70,80,90
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
namespace cg = cooperative_groups;
typedef unsigned long long u64;
__global__ void counts(int *out, const int *in)
{
    int i = threadIdx.x;
    bool p = in[i] > 2;
    out[i] = __syncthreads_count(p) + __syncthreads_and(in[i + 1]) * 3 + __syncthreads_or(in[i + 2] < 0);
}
__global__ void named(int *x, int id, int n)
{
    x[0] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    x[1] = 2;
    asm volatile("bar.sync 2;" ::: "memory");
    x[2] = 2;
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
    x[3] = 3;
    asm volatile("bar.sync %0;" ::"r"(id) : "memory");
    x[4] = 3;
    asm volatile("bar.sync 3, %0;" ::"r"(n) : "memory");
    x[5] = 5;
    asm volatile("bar.sync %0, 96;" ::"r"(id) : "memory");
    x[6] = 3;
    asm volatile("bar.arrive 4, 128;" ::: "memory");
    x[7] = 3;
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory");
    x[8] = 3;
    asm volatile("bar.arrive %0, 64;" ::"r"(id) : "memory");
    x[9] = 9;
    asm volatile("bar.arrive 5, %0;" ::"r"(n) : "memory");
    asm volatile("bar.warp.sync %0;" ::"r"(n) : "memory");
    x[10] = 3;
    asm volatile("barrier.sync 6, 64;" ::: "memory");
    x[11] = 3;
    asm volatile("barrier.arrive 7, 64;" ::: "memory");
    x[12] = 3;
}
#define REDUCED(name, cmd)                                                                                             \
    __global__ void red_##name(int *x, int id, int n)                                                                  \
    {                                                                                                                  \
        unsigned r;                                                                                                    \
        asm volatile("{.reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." cmd                                            \
                     ".pred q, 1, 64, p; selp.u32 %0, 1, 0, q;}"                                                       \
                     : "=r"(r)                                                                                         \
                     : "r"(x[threadIdx.x])                                                                             \
                     : "memory");                                                                                      \
        x[threadIdx.x] = r;                                                                                            \
        asm volatile("{.reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." cmd                                            \
                     ".pred q, %2, %3, !p; selp.u32 %0, 1, 0, q;}"                                                     \
                     : "=r"(r)                                                                                         \
                     : "r"(x[threadIdx.x]), "r"(id), "r"(n)                                                            \
                     : "memory");                                                                                      \
        x[threadIdx.x] = r;                                                                                            \
        asm volatile("{.reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." cmd ".pred q, %2, p; selp.u32 %0, 1, 0, q;}"   \
                     : "=r"(r)                                                                                         \
                     : "r"(x[threadIdx.x]), "r"(id)                                                                    \
                     : "memory");                                                                                      \
        x[threadIdx.x] = r;                                                                                            \
    }
REDUCED(and_, "and")
REDUCED(or_, "or")
__global__ void red_popc(int *x, int n)
{
    unsigned r;
    asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 2, %2, p;}"
                 : "=r"(r)
                 : "r"(x[threadIdx.x]), "r"(n)
                 : "memory");
    x[threadIdx.x] = r;
}
__global__ void groups(int *out, const int *in)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    auto odd = cg::tiled_partition<4>(tile);
    int v = in[block.thread_rank()];
    v += tile.shfl_down(v, 3) + odd.shfl_xor(v, 1);
    tile.sync();
    block.sync();
    v += cg::reduce(tile, v, cg::plus<int>()) + cg::reduce(odd, v, cg::greater<int>()) + cg::inclusive_scan(tile, v) +
         cg::exclusive_scan(tile, v, cg::bit_xor<int>());
    if (v & 1) {
        auto active = cg::coalesced_threads();
        v += active.size() * active.thread_rank() + active.shfl(v, 0);
        active.sync();
        if (active.thread_rank() == 0)
            out[1000] = v;
    }
    auto part = cg::labeled_partition(tile, v & 3);
    v += cg::reduce(part, v, cg::less<int>());
    auto two = cg::binary_partition(tile, v > 5);
    out[block.thread_rank()] =
        v + two.num_threads() + tile.meta_group_rank() + tile.ballot(v > 3) + tile.match_any(v) + tile.any(v);
}
__global__ void whole(int *out)
{
    cg::grid_group g = cg::this_grid();
    out[g.thread_rank()] = 1;
    g.sync();
    out[g.thread_rank() + 1] += g.num_threads() + out[5];
    auto b = cg::this_thread_block();
    auto t = b.barrier_arrive();
    out[3] = 1;
    b.barrier_wait(std::move(t));
}
__global__ void async_copy(float *out, const float *in)
{
    __shared__ float s[256];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, sizeof s);
    cg::wait(block);
    out[threadIdx.x] = s[255 - threadIdx.x];
    cg::memcpy_async(block, s, in + 256, cuda::aligned_size_t<16>(1024));
    cg::wait_prior<0>(block);
    out[threadIdx.x + 256] = s[255 - threadIdx.x];
}
__global__ void cxx_barrier(float *out, const float *in)
{
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[128];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(s + threadIdx.x, in + threadIdx.x, sizeof(float), bar);
    bar.arrive_and_wait();
    out[threadIdx.x] = s[127 - threadIdx.x];
    auto token = bar.arrive();
    out[threadIdx.x + 128] = 3;
    bar.wait(std::move(token));
    bar.arrive_and_drop();
}
__global__ void cxx_pipeline(float *out, const float *in, int n)
{
    __shared__ float s[2][128];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(block, &state);
    float sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(block, s[0], in, sizeof s[0], pipe);
    pipe.producer_commit();
    for (int i = 1; i < n; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, s[i & 1], in + i * 128, sizeof s[0], pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        sum += s[(i - 1) & 1][threadIdx.x ^ 1];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
template <class T, cuda::thread_scope S> __global__ void cxx_atomics(T *out, T *to, T v)
{
    cuda::atomic_ref<T, S> r(to[threadIdx.x]);
    T a = r.load(cuda::memory_order_acquire) + r.load(cuda::memory_order_relaxed) + r.load();
    r.store(v, cuda::memory_order_release);
    r.store(v + 1, cuda::memory_order_relaxed);
    r.store(v + 2);
    a += r.exchange(v, cuda::memory_order_acq_rel);
    a += r.fetch_add(v, cuda::memory_order_relaxed) + r.fetch_sub(v) + r.fetch_max(v, cuda::memory_order_release);
    T e = v;
    r.compare_exchange_strong(e, a, cuda::memory_order_acq_rel);
    r.compare_exchange_weak(e, a, cuda::memory_order_relaxed);
    r.fetch_min(a);
    out[threadIdx.x] = a + e;
}
template __global__ void cxx_atomics<int, cuda::thread_scope_block>(int *, int *, int);
template __global__ void cxx_atomics<int, cuda::thread_scope_device>(int *, int *, int);
template __global__ void cxx_atomics<u64, cuda::thread_scope_system>(u64 *, u64 *, u64);
template __global__ void cxx_atomics<float, cuda::thread_scope_device>(float *, float *, float);
template __global__ void cxx_atomics<short, cuda::thread_scope_device>(short *, short *, short);
__global__ void semaphores(cuda::counting_semaphore<cuda::thread_scope_device> *s, int *x)
{
    s->acquire();
    *x += 1;
    s->release();
    if (s->try_acquire())
        x[1] = 2;
}
#if __CUDA_ARCH__ >= 800
__global__ void copy_async(int *out, const int *in, int n, u64 policy)
{
    __shared__ __align__(16) int s[1024];
    __shared__ u64 bar;
    unsigned a = (unsigned)__cvta_generic_to_shared(s + threadIdx.x * 4), b = (unsigned)__cvta_generic_to_shared(&bar);
    const int *p = in + threadIdx.x * 4;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(a), "l"(p) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(a), "l"(p + 8) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(a), "l"(p) : "memory");
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(a), "l"(p + 4) : "memory");
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(a), "l"(p), "r"(n) : "memory");
    asm volatile("cp.async.ca.shared.global [%0+16], [%1], 4, %2;" ::"r"(a), "l"(p), "r"(n) : "memory");
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(a), "l"(p) : "memory");
    asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], 8;" ::"r"(a), "l"(p) : "memory");
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::64B [%0], [%1], 16, %2;" ::"r"(a), "l"(p), "l"(policy)
                 : "memory");
    asm volatile("{.reg .pred p; setp.gt.s32 p, %2, 0; cp.async.cg.shared.global [%0], [%1], 16, p;}" ::"r"(a), "l"(p),
                 "r"(n)
                 : "memory");
    asm volatile("{.reg .pred p; setp.gt.s32 p, %2, 0; @p cp.async.cg.shared.global [%0+32], [%1+64], 16;}" ::"r"(a),
                 "l"(p), "r"(n)
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 2;" ::: "memory");
    out[0] = s[0];
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    out[1] = s[9];
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[2] = s[11];
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(b) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(b) : "memory");
    out[3] = s[threadIdx.x];
}
__global__ void mbarriers(u64 *out, int n)
{
    __shared__ u64 bar;
    unsigned b = (unsigned)__cvta_generic_to_shared(&bar);
    u64 t;
    unsigned r;
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory");
    __syncthreads();
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(t) : "r"(b) : "memory");
    out[0] = t;
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;" : "=l"(t) : "r"(b), "r"(n) : "memory");
    out[1] = t;
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(t) : "r"(b) : "memory");
    out[2] = t;
    asm volatile("mbarrier.arrive_drop.noComplete.shared.b64 %0, [%1], 3;" : "=l"(t) : "r"(b) : "memory");
    out[3] = t;
    asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(r)
                 : "r"(b), "l"(t)
                 : "memory");
    out[4] = r;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(r) : "l"(t));
    out[5] = r;
    asm volatile("mbarrier.arrive.b64 %0, [%1];" : "=l"(t) : "l"(&bar) : "memory");
    out[6] = t;
    asm volatile("{.reg .pred p; mbarrier.test_wait.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(r)
                 : "l"(&bar), "l"(t)
                 : "memory");
    out[7] = r;
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(t) : "r"(b), "r"(n) : "memory");
    out[8] = t;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;" : "=l"(t) : "r"(b), "r"(n) : "memory");
    out[9] = t;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(b) : "memory");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory");
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(n) : "memory");
    asm volatile("{.reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(r)
                 : "r"(b), "l"(t)
                 : "memory");
    out[10] = r;
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(r)
                 : "r"(b), "r"(n)
                 : "memory");
    out[11] = r;
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2, 1000; selp.u32 "
                 "%0, 1, 0, p;}"
                 : "=r"(r)
                 : "r"(b), "r"(n)
                 : "memory");
    out[12] = r;
    asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 1; selp.u32 %0, 1, 0, p;}"
                 : "=r"(r)
                 : "r"(b)
                 : "memory");
    out[13] = r;
    asm volatile(
        "{.reg .b32 m; mapa.shared::cluster.u32 m, %0, %1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [m]; "
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [m], 3; "
        "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [m], 256;}" ::"r"(b),
        "r"(n)
        : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(b) : "memory");
}
#endif
