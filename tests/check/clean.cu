// Kernels in which every pair of accesses is ordered, in one of the ways that programs have: the checks find nothing.
// Above each stands how it is launched. Rebuild: tests/check/build.sh
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

//: grid 2 block 64
extern "C" __global__ void own_elements(int *a, int *b)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    b[i] = a[i] + 1;
    b[i] += a[i];
}

//: grid 1 block 128
extern "C" __global__ void reverse_with_barrier(int *a, int *b)
{
    __shared__ int s[128];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[127 - threadIdx.x];
}

//: grid 1 block 64
extern "C" __global__ void loop_with_two_barriers(int *a, int *b)
{
    __shared__ int s[64];
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 4; i++) {
        s[threadIdx.x] = a[threadIdx.x] + i;
        __syncthreads();
        sum += s[63 - threadIdx.x];
        __syncthreads();
    }
    b[threadIdx.x] = sum;
}

//: grid 1 block 64
extern "C" __global__ void double_buffer(int *a, int *b)
{
    __shared__ int s[2][64];
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 6; i++) {
        s[i % 2][threadIdx.x] = a[threadIdx.x] + i;
        __syncthreads();
        sum += s[i % 2][63 - threadIdx.x];
    }
    b[threadIdx.x] = sum;
}

//: grid 1 block 256
extern "C" __global__ void tree_reduction(int *a, int *b)
{
    __shared__ int s[256];
    unsigned t = threadIdx.x;
    s[t] = a[t];
    for (unsigned n = 128; n > 0; n /= 2) {
        __syncthreads();
        if (t < n)
            s[t] += s[t + n];
    }
    if (t == 0)
        b[0] = s[0];
}

//: grid 1 block 64
extern "C" __global__ void warp_reduction_with_syncwarp(int *a, int *b)
{
    __shared__ volatile int s[64];
    unsigned t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    if (t < 32) {
        for (unsigned n = 32; n > 0; n /= 2) {
            int x = s[t] + s[t + n];
            __syncwarp();
            s[t] = x;
            __syncwarp();
        }
    }
    if (t == 0)
        b[0] = s[0];
}

//: grid 1 block 64
extern "C" __global__ void shuffle_reduction(int *a, int *b)
{
    __shared__ int s[2];
    int x = a[threadIdx.x];
    for (int n = 16; n > 0; n /= 2)
        x += __shfl_down_sync(0xffffffff, x, n);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = x;
    __syncthreads();
    b[threadIdx.x] = s[0] + s[1];
}

//: grid 1 block 32
extern "C" __global__ void halves_with_their_own_mask(int *a, int *b)
{
    __shared__ volatile int s[32];
    unsigned t = threadIdx.x;
    s[t] = a[t];
    if (t < 16)
        __syncwarp(0xffff);
    else
        __syncwarp(0xffff0000);
    b[t] = s[t ^ 1];
}

//: grid 1 block 32
extern "C" __global__ void branches_and_a_syncwarp(int *a, int *b)
{
    __shared__ volatile int s[32];
    unsigned t = threadIdx.x;
    if (t % 3 == 0)
        s[t] = a[t] * 3;
    else if (t % 3 == 1)
        s[t] = a[t] - 5;
    else
        s[t] = a[t];
    __syncwarp();
    b[t] = s[31 - t];
}

//: grid 1 block 64
extern "C" __global__ void tiles_of_eight(int *a, int *b)
{
    __shared__ volatile int s[64];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[threadIdx.x] = a[threadIdx.x];
    tile.sync();
    b[threadIdx.x] = s[threadIdx.x ^ 7];
}

//: grid 1 block 64
extern "C" __global__ void producer_and_consumer(int *a, int *b)
{
    __shared__ volatile int s[32];
    unsigned t = threadIdx.x;
    if (t < 32) {
        s[t] = a[t];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        b[t] = s[t - 32];
    }
}

//: grid 1 block 64
extern "C" __global__ void full_and_empty_barriers(int *a, int *b)
{
    __shared__ volatile int s[32];
    unsigned t = threadIdx.x;
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 5; i++) {
        if (t < 32) {
            if (i)
                asm volatile("bar.sync 2, 64;" ::: "memory");
            s[t] = a[t] + i;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += s[63 - t];
            if (i < 4)
                asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
    b[t] = sum;
}

//: grid 1 block 128
extern "C" __global__ void named_barriers_of_pairs(int *a, int *b)
{
    __shared__ int s[128];
    unsigned t = threadIdx.x, pair = t / 64;
    s[t] = a[t];
    asm volatile("bar.sync %0, 64;" ::"r"(1 + pair) : "memory");
    b[t] = s[t ^ 32];
}

//: grid 1 block 64
extern "C" __global__ void barrier_with_a_vote(int *a, int *b)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    int any = __syncthreads_count(a[threadIdx.x] > 10);
    b[threadIdx.x] = s[63 - threadIdx.x] + any;
}

//: grid 2 block 64
extern "C" __global__ void histogram(int *a, int *b)
{
    __shared__ int s[16];
    if (threadIdx.x < 16)
        s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[a[threadIdx.x] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(b + threadIdx.x, s[threadIdx.x]);
}

//: grid 4 block 64
extern "C" __global__ void global_atomics(int *a, int *b)
{
    atomicAdd(b + threadIdx.x % 4, a[threadIdx.x]);
    atomicMax(b + 8, a[threadIdx.x]);
    atomicExch(b + 9, a[threadIdx.x]);
}

//: grid 2 block 32
extern "C" __global__ void flag_with_fences(int *a, int *b)
{
    volatile int *flag = b + 64;
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        b[0] = a[0];
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        b[1] = b[0];
    }
}

//: grid 2 block 64
extern "C" __global__ void flag_of_a_whole_cta(int *a, int *b)
{
    volatile int *flag = b + 128;
    if (blockIdx.x == 0) {
        b[threadIdx.x] = a[threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            *flag = 1;
        }
    } else {
        if (threadIdx.x == 0) {
            while (*flag == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        b[64 + threadIdx.x] = b[63 - threadIdx.x];
    }
}

//: grid 2 block 64
extern "C" __global__ void each_thread_fences(int *a, int *b)
{
    volatile int *flag = b + 128;
    if (blockIdx.x == 0) {
        b[threadIdx.x] = a[threadIdx.x];
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        b[64 + threadIdx.x] = b[63 - threadIdx.x];
    }
}

//: grid 2 block 32
extern "C" __global__ void release_and_acquire(int *a, int *b)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(b[64]);
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        b[0] = a[0];
        flag.store(1, cuda::std::memory_order_release);
    } else {
        while (flag.load(cuda::std::memory_order_acquire) == 0)
            ;
        b[1] = b[0];
    }
}

//: grid 3 block 32
extern "C" __global__ void relay(int *a, int *b)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(b[64]);
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0)
        b[0] = a[0];
    else
        while (flag.load(cuda::std::memory_order_acquire) != (int)blockIdx.x)
            ;
    if (blockIdx.x == 2)
        b[2] = b[0] + b[1];
    if (blockIdx.x == 1)
        b[1] = b[0];
    flag.store((int)blockIdx.x + 1, cuda::std::memory_order_release);
}

//: grid 1 block 64
extern "C" __global__ void release_in_a_cta(int *a, int *b)
{
    cuda::atomic_ref<int, cuda::thread_scope_block> flag(b[64]);
    if (threadIdx.x == 0) {
        b[0] = a[0];
        flag.store(1, cuda::std::memory_order_release);
    } else if (threadIdx.x == 32) {
        while (flag.load(cuda::std::memory_order_acquire) == 0)
            ;
        b[1] = b[0];
    }
}

//: grid 4 block 64
extern "C" __global__ void last_cta_sums_up(int *a, int *b)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        b[blockIdx.x] = a[blockIdx.x];
        __threadfence();
        last = atomicAdd(b + 64, 1) == 3;
    }
    __syncthreads();
    if (last && threadIdx.x < 4)
        b[8 + threadIdx.x] = b[3 - threadIdx.x];
}

//: grid 4 block 64
extern "C" __global__ void last_cta_sums_up_all_threads(int *a, int *b)
{
    __shared__ bool last;
    b[blockIdx.x * 64 + threadIdx.x] = a[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(b + 512, 1) == 3;
    __syncthreads();
    if (last)
        b[256 + threadIdx.x] = b[threadIdx.x] + b[64 + threadIdx.x] + b[128 + threadIdx.x] + b[192 + threadIdx.x];
}

//: grid 4 block 32
extern "C" __global__ void lock_with_fences(int *a, int *b)
{
    if (threadIdx.x)
        return;
    while (atomicCAS(b + 64, 0, 1) != 0)
        ;
    __threadfence();
    b[0] = b[0] + a[1] + (int)blockIdx.x;
    __threadfence();
    atomicExch(b + 64, 0);
}

//: grid 1 block 64
extern "C" __global__ void lock_in_shared_memory(int *a, int *b)
{
    __shared__ int lock, count;
    if (threadIdx.x == 0)
        lock = count = 0;
    __syncthreads();
    if (threadIdx.x % 8 == 0) {
        bool done = false;
        while (!done)
            if (atomicCAS(&lock, 0, 1) == 0) {
                __threadfence_block();
                count += a[threadIdx.x];
                __threadfence_block();
                atomicExch(&lock, 0);
                done = true;
            }
    }
    __syncthreads();
    b[threadIdx.x] = count;
}

//: grid 4 block 64
extern "C" __global__ void barrier_of_the_grid_by_hand(int *a, int *b)
{
    b[blockIdx.x * 64 + threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(b + 512, 1);
        while (atomicAdd(b + 512, 0) < 4)
            ;
        __threadfence();
    }
    __syncthreads();
    b[512 + 64 + threadIdx.x + 64 * blockIdx.x] = b[((blockIdx.x + 1) % 4) * 64 + threadIdx.x];
}

//: grid 2 block 32
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_exchange(int *a, int *b)
{
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    s[threadIdx.x] = a[threadIdx.x];
    cluster.sync();
    b[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];
    cluster.sync();
}

//: grid 4 block 64
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_ring(int *a, int *b)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    int *next = cluster.map_shared_rank(s, (cluster.block_rank() + 1) % 4);
    s[threadIdx.x] = 0;
#pragma unroll 1
    for (int i = 0; i < 3; i++) {
        cluster.sync();
        int x = s[63 - threadIdx.x] + a[threadIdx.x];
        cluster.sync();
        next[threadIdx.x] = x;
    }
    cluster.sync();
    b[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

//: grid 2 block 32
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_atomics(int *a, int *b)
{
    __shared__ int s[4];
    cg::cluster_group cluster = cg::this_cluster();
    int *first = cluster.map_shared_rank(s, 0);
    if (threadIdx.x < 4)
        s[threadIdx.x] = 0;
    cluster.sync();
    atomicAdd(first + threadIdx.x % 4, a[threadIdx.x]);
    cluster.sync();
    b[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x % 4];
}

//: grid 1 block 64
extern "C" __global__ void mbarrier_with_a_wait(int *a, int *b)
{
    __shared__ volatile int s[64];
    __shared__ alignas(8) unsigned long long object;
    unsigned at = (unsigned)__cvta_generic_to_shared(&object);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = a[threadIdx.x] + i;
        asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(at) : "memory");
        asm volatile("{ .reg .pred p;\n"
                     "again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n"
                     "@!p bra again; }" ::"r"(at),
                     "r"(i % 2)
                     : "memory");
        b[threadIdx.x] = s[63 - threadIdx.x];
        __syncthreads();
    }
}

//: grid 1 block 64
extern "C" __global__ void copies_of_threads(int *a, int *b)
{
    __shared__ volatile int s[128];
    __pipeline_memcpy_async((int *)s + threadIdx.x, a + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_memcpy_async((int *)s + 64 + threadIdx.x, a + 64 + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int x = s[63 - threadIdx.x];
    __pipeline_wait_prior(0);
    __syncthreads();
    b[threadIdx.x] = x + s[127 - threadIdx.x];
}

//: grid 1 block 64
extern "C" __global__ void bytes_and_words(int *a, int *b)
{
    __shared__ unsigned char s[256];
    s[threadIdx.x] = (unsigned char)a[threadIdx.x];
    s[64 + threadIdx.x] = (unsigned char)a[threadIdx.x];
    ((unsigned short *)s)[64 + threadIdx.x] = (unsigned short)a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = ((int *)s)[63 - threadIdx.x];
}

//: grid 1 block 64
extern "C" __global__ void same_value_by_all(int *a, int *b)
{
    __shared__ int any;
    any = 7;
    __syncthreads();
    b[threadIdx.x] = any + a[threadIdx.x];
}

//: grid 1 block 64
extern "C" __global__ void generic_pointer_with_barrier(int *a, int *b)
{
    __shared__ int s[64];
    int *p = a[0] == 12345 ? b + 128 : s;
    p[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = p[63 - threadIdx.x];
}

//: grid 1 block 64
extern "C" __global__ void local_arrays(int *a, int *b)
{
    int own[16];
    for (int i = 0; i < 16; i++)
        own[i] = a[threadIdx.x + i];
    b[threadIdx.x] = own[a[threadIdx.x] % 16] + own[a[threadIdx.x + 1] % 16];
}

//: grid 1 block 96
extern "C" __global__ void early_exit_before_barrier(int *a, int *b)
{
    __shared__ int s[64];
    if (threadIdx.x >= 64)
        return;
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    b[threadIdx.x] = s[63 - threadIdx.x];
}

//: grid 1 block 64
extern "C" __global__ void transpose_of_bytes(int *a, int *b)
{
    __shared__ char s[64][65];
    for (int i = 0; i < 64; i++)
        s[i][threadIdx.x] = (char)a[(i + threadIdx.x) % 64];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += s[threadIdx.x][i];
    b[threadIdx.x] = sum;
}
