// Kernels that race, each once. Above a kernel stand its launch and the findings. The two lines end in marks, "one" and
// "two", which may be the same line. Rebuild: tests/check/build.sh
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

//: grid 1 block 64 kind RAW
extern "C" __global__ void shared_without_barrier(int *a, int *b)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x]; // one
    b[threadIdx.x] = s[63 - threadIdx.x]; // two
}

//: grid 1 block 64 kind WAR
extern "C" __global__ void shared_read_then_write(int *a, int *b)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    int x = s[63 - threadIdx.x]; // one
    s[threadIdx.x] = x + 1; // two
    __syncthreads();
    b[threadIdx.x] = s[threadIdx.x];
}

//: grid 1 block 64 kind WAW
extern "C" __global__ void shared_two_writers(int *a, int *b)
{
    __shared__ int s[32];
    s[threadIdx.x % 32] = a[threadIdx.x]; // one two
    __syncthreads();
    b[threadIdx.x] = s[threadIdx.x % 32];
}

//: grid 1 block 32 kind WAW
extern "C" __global__ void shared_lanes_of_one_store(int *a, int *b)
{
    __shared__ int s[16];
    s[threadIdx.x / 2] = a[threadIdx.x] + (int)threadIdx.x; // one two
    __syncthreads();
    b[threadIdx.x] = s[threadIdx.x / 2];
}

//: grid 1 block 32 kind RAW
extern "C" __global__ void warp_without_syncwarp(int *a, int *b)
{
    __shared__ volatile int s[32];
    s[threadIdx.x] = a[threadIdx.x]; // one
    b[threadIdx.x] = s[threadIdx.x ^ 1]; // two
}

//: grid 1 block 64 kind RAW
extern "C" __global__ void old_warp_reduction(int *a, int *b)
{
    __shared__ volatile int s[64];
    unsigned t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    if (t < 32) {
        s[t] = s[t] + s[t + 32]; // one
        s[t] = s[t] + s[t + 16]; // two
    }
    b[t] = s[0 * t + t];
}

//: grid 1 block 32 kind RAW
extern "C" __global__ void syncwarp_of_half_the_warp(int *a, int *b)
{
    __shared__ volatile int s[32];
    unsigned t = threadIdx.x;
    s[t] = a[t]; // one
    if (t < 16)
        __syncwarp(0xffff);
    else
        __syncwarp(0xffff0000);
    b[t] = s[31 - t]; // two
}

//: grid 1 block 32 kind WAR
extern "C" __global__ void warp_read_then_write(int *a, int *b)
{
    __shared__ volatile int s[32];
    unsigned t = threadIdx.x;
    s[t] = a[t];
    __syncwarp();
    int x = s[(t + 1) % 32]; // one
    s[t] = x + 1; // two
    __syncwarp();
    b[t] = s[t];
}

//: grid 1 block 64 kind RAW
extern "C" __global__ void syncwarp_for_two_warps(int *a, int *b)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x]; // one
    __syncwarp();
    b[threadIdx.x] = s[threadIdx.x ^ 32]; // two
}

//: grid 1 block 128 kind RAW
extern "C" __global__ void barrier_of_the_wrong_warps(int *a, int *b)
{
    __shared__ int s[128];
    unsigned t = threadIdx.x;
    s[t] = a[t]; // one
    if (t < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    b[t] = s[127 - t]; // two
}

//: grid 1 block 64 kind WAR
extern "C" __global__ void producer_arrives_before_it_writes(int *a, int *b)
{
    __shared__ volatile int s[32];
    unsigned t = threadIdx.x;
    if (t < 32) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        s[t] = a[t]; // one
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        b[t] = s[t - 32]; // two
    }
}

//: grid 1 block 64 kind WAR
extern "C" __global__ void loop_with_one_barrier(int *a, int *b)
{
    __shared__ int s[64];
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 4; i++) {
        s[threadIdx.x] = a[threadIdx.x] + i; // two
        __syncthreads();
        sum += s[63 - threadIdx.x]; // one
    }
    b[threadIdx.x] = sum;
}

//: grid 1 block 64 kind RAW
extern "C" __global__ void bytes_of_neighbours(int *a, int *b)
{
    __shared__ unsigned char s[64];
    s[threadIdx.x] = (unsigned char)a[threadIdx.x]; // one
    __syncwarp();
    b[threadIdx.x] = s[(threadIdx.x + 32) % 64]; // two
}

//: grid 1 block 64 kind RAW
extern "C" __global__ void atomic_and_plain_read(int *a, int *b)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, a[threadIdx.x]); // one
    __syncwarp();
    b[threadIdx.x] = s; // two
}

//: grid 1 block 64 kind RAW
extern "C" __global__ void atomic_before_the_barrier(int *a, int *b)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0; // one
    atomicAdd(&s, a[threadIdx.x]); // two
    __syncthreads();
    b[threadIdx.x] = s;
}

//: grid 2 block 32 kind RAW
extern "C" __global__ void global_between_ctas(int *a, int *b)
{
    if (blockIdx.x == 0)
        b[threadIdx.x] = a[threadIdx.x]; // one
    else
        b[64 + threadIdx.x] = b[31 - threadIdx.x]; // two
}

//: grid 2 block 32 kind WAW
extern "C" __global__ void global_two_ctas_write(int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x] + (int)blockIdx.x; // one two
}

//: grid 1 block 64 kind RAW
extern "C" __global__ void global_within_a_cta(int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x]; // one
    __syncwarp();
    b[64 + threadIdx.x] = ((volatile int *)b)[63 - threadIdx.x]; // two
}

//: grid 2 block 32 kind WAR
extern "C" __global__ void global_shift_in_place(int *a, int *b)
{
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    int x = a[(i + 1) % 64]; // one
    a[i] = x; // two
    b[i] = x;
}

//: grid 2 block 32 kind RAW
extern "C" __global__ void flag_without_a_fence(int *a, int *b)
{
    volatile int *flag = b + 64;
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        b[0] = a[0]; // one
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        b[1] = b[0]; // two
    }
}

//: grid 2 block 32 kind RAW
extern "C" __global__ void flag_without_a_fence_at_the_reader(int *a, int *b)
{
    volatile int *flag = b + 64;
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        b[0] = a[0]; // one
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        b[1] = *(int *)(b + 0); // two
    }
}

//: grid 2 block 32 kind RAW
extern "C" __global__ void fence_of_the_cta_only(int *a, int *b)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        b[0] = a[0]; // one
        __threadfence_block();
        atomicExch(b + 64, 1);
    } else {
        while (atomicAdd(b + 64, 0) == 0)
            ;
        __threadfence();
        b[1] = b[0]; // two
    }
}

//: grid 2 block 32 kind RAW
extern "C" __global__ void release_of_the_cta_only(int *a, int *b)
{
    if (threadIdx.x)
        return;
    cuda::atomic_ref<int, cuda::thread_scope_block> narrow(b[64]);
    cuda::atomic_ref<int, cuda::thread_scope_device> wide(b[64]);
    if (blockIdx.x == 0) {
        b[0] = a[0]; // one
        narrow.fetch_add(1, cuda::std::memory_order_release);
    } else {
        while (wide.load(cuda::std::memory_order_acquire) == 0)
            ;
        b[1] = b[0]; // two
    }
}

//: grid 2 block 32 kind RAW
extern "C" __global__ void relaxed_for_release(int *a, int *b)
{
    if (threadIdx.x)
        return;
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(b[64]);
    if (blockIdx.x == 0) {
        b[0] = a[0]; // one
        flag.store(1, cuda::std::memory_order_relaxed);
    } else {
        while (flag.load(cuda::std::memory_order_acquire) == 0)
            ;
        b[1] = b[0]; // two
    }
}

//: grid 4 block 64 kind RAW
extern "C" __global__ void last_cta_without_a_fence(int *a, int *b)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        b[blockIdx.x] = a[blockIdx.x]; // one
        last = atomicAdd(b + 64, 1) == 3;
    }
    __syncthreads();
    if (last && threadIdx.x < 4)
        b[8 + threadIdx.x] = b[3 - threadIdx.x]; // two
}

//: grid 4 block 64 kind RAW
extern "C" __global__ void last_cta_without_a_barrier(int *a, int *b)
{
    __shared__ bool last;
    b[blockIdx.x * 64 + threadIdx.x] = a[threadIdx.x]; // one
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(b + 512, 1) == 3;
    }
    __syncthreads();
    if (last)
        b[256 + threadIdx.x] = b[threadIdx.x] + b[64 + threadIdx.x] + b[128 + threadIdx.x]; // two
}

//: grid 2 block 32 kind WAW
extern "C" __global__ void lock_without_fences(int *a, int *b)
{
    if (threadIdx.x)
        return;
    while (atomicCAS(b + 64, 0, 1) != 0)
        ;
    b[0] = b[1] + a[0] + (int)blockIdx.x; // one two
    atomicExch(b + 64, 0);
}

//: grid 2 block 32 cluster 2 kind RAW
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_without_barrier(int *a, int *b)
{
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    cluster.sync();
    s[threadIdx.x] = a[threadIdx.x]; // one
    __syncthreads();
    b[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x]; // two
    cluster.sync();
}

//: grid 2 block 32 cluster 2 kind WAR
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_write_after_read(int *a, int *b)
{
    __shared__ int s[32];
    cg::cluster_group cluster = cg::this_cluster();
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    s[threadIdx.x] = a[threadIdx.x];
    cluster.sync();
    int x = s[threadIdx.x]; // one
    other[threadIdx.x] = x + 1; // two
    cluster.sync();
    b[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x] + x;
}

//: grid 1 block 64 kind RAW
extern "C" __global__ void mbarrier_without_a_wait(int *a, int *b)
{
    __shared__ int s[64];
    __shared__ alignas(8) unsigned long long object;
    unsigned at = (unsigned)__cvta_generic_to_shared(&object);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    __syncthreads();
    s[threadIdx.x] = a[threadIdx.x]; // one
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(at) : "memory");
    b[threadIdx.x] = s[63 - threadIdx.x]; // two
}

//: grid 1 block 64 kind RAW
extern "C" __global__ void mbarrier_arrives_before_it_writes(int *a, int *b)
{
    __shared__ volatile int s[64];
    __shared__ alignas(8) unsigned long long object;
    unsigned at = (unsigned)__cvta_generic_to_shared(&object);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
    __syncthreads();
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(at) : "memory");
    s[threadIdx.x] = a[threadIdx.x]; // one
    asm volatile("{ .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n"
                 "@!p bra again; }" ::"r"(at)
                 : "memory");
    b[threadIdx.x] = s[63 - threadIdx.x]; // two
}

//: grid 1 block 64 kind COPY
extern "C" __global__ void copy_without_a_wait(int *a, int *b)
{
    __shared__ volatile int s[64];
    __pipeline_memcpy_async((int *)s + threadIdx.x, a + threadIdx.x, 4); // one
    __pipeline_commit();
    b[threadIdx.x] = s[threadIdx.x]; // two
    __pipeline_wait_prior(0);
}

//: grid 1 block 64 kind RAW
extern "C" __global__ void copy_waited_for_behind_the_barrier(int *a, int *b)
{
    __shared__ volatile int s[64];
    __pipeline_memcpy_async((int *)s + threadIdx.x, a + threadIdx.x, 4); // one
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    b[threadIdx.x] = s[63 - threadIdx.x]; // two
}

//: grid 1 block 64 kind COPY
extern "C" __global__ void copy_of_the_wrong_group(int *a, int *b)
{
    __shared__ volatile int s[128];
    __pipeline_memcpy_async((int *)s + threadIdx.x, a + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_memcpy_async((int *)s + 64 + threadIdx.x, a + threadIdx.x, 4); // one
    __pipeline_commit();
    __pipeline_wait_prior(1);
    b[threadIdx.x] = s[64 + threadIdx.x]; // two
    __pipeline_wait_prior(0);
}

//: grid 1 block 64 kind RAW
extern "C" __global__ void generic_pointers(int *a, int *b)
{
    __shared__ int s[64];
    int *p = a[0] == 12345 ? b + 128 : s;
    p[threadIdx.x] = a[threadIdx.x]; // one
    __syncwarp();
    b[threadIdx.x] = *(volatile int *)(p + 63 - threadIdx.x); // two
}

//: grid 1 block 64 kind RAW
extern "C" __global__ void wide_store_and_narrow_load(int *a, int *b)
{
    __shared__ int4 s[64];
    s[threadIdx.x] = make_int4(a[threadIdx.x], 1, 2, 3); // one
    __syncwarp();
    b[threadIdx.x] = ((volatile int *)s)[4 * (63 - threadIdx.x) + 2]; // two
}
