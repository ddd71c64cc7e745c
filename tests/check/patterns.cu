// Patterns of real kernels in which every pair of accesses is ordered: the checks find nothing. Above each stands its
// launch. Rebuild: tests/check/build.sh
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

//: grid 1 block 256
extern "C" __global__ void scan_with_two_barriers(int *a, int *b)
{
    __shared__ int s[256];
    unsigned t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (unsigned n = 1; n < 256; n *= 2) {
        int left = t >= n ? s[t - n] : 0;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    b[t] = s[t];
}

//: grid 1 block 256
extern "C" __global__ void scan_of_warps_then_of_the_cta(int *a, int *b)
{
    __shared__ int sums[8];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    int x = a[t];
    for (int n = 1; n < 32; n *= 2) {
        int y = __shfl_up_sync(~0u, x, n);
        x += lane >= n ? y : 0;
    }
    if (lane == 31)
        sums[warp] = x;
    __syncthreads();
    if (warp == 0) {
        int y = lane < 8 ? sums[lane] : 0;
        for (int n = 1; n < 8; n *= 2) {
            int z = __shfl_up_sync(~0u, y, n);
            y += lane >= n ? z : 0;
        }
        if (lane < 8)
            sums[lane] = y;
    }
    __syncthreads();
    b[t] = x + (warp ? sums[warp - 1] : 0);
}

//: grid 1 block 256
extern "C" __global__ void transpose_with_padding(int *a, int *b)
{
    __shared__ int tile[16][17];
    unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;
    tile[y][x] = a[y * 16 + x];
    __syncthreads();
    b[y * 16 + x] = tile[x][y];
}

//: grid 1 block 256
extern "C" __global__ void tiled_product(int *a, int *b)
{
    __shared__ int left[16][16], right[16][16];
    unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;
    int sum = 0;
    for (unsigned k = 0; k < 32; k += 16) {
        left[y][x] = a[y * 32 + k + x];
        right[y][x] = a[(k + y) * 16 + x];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    b[y * 16 + x] = sum;
}

//: grid 2 block 64
extern "C" __global__ void stencil_with_a_halo(int *a, int *b)
{
    __shared__ int s[66];
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t + 1] = a[i];
    if (t == 0)
        s[0] = i ? a[i - 1] : 0;
    if (t == 63)
        s[65] = a[i + 1];
    __syncthreads();
    b[i] = s[t] + s[t + 1] + s[t + 2];
}

//: grid 1 block 128
extern "C" __global__ void bitonic_sort(int *a, int *b)
{
    __shared__ int s[128];
    unsigned t = threadIdx.x;
    s[t] = -a[t];
    __syncthreads();
    for (unsigned size = 2; size <= 128; size *= 2)
        for (unsigned n = size / 2; n > 0; n /= 2) {
            unsigned other = t ^ n;
            if (other > t && (s[t] > s[other]) == ((t & size) == 0)) {
                int x = s[t];
                s[t] = s[other];
                s[other] = x;
            }
            __syncthreads();
        }
    b[t] = s[t];
}

//: grid 1 block 64
extern "C" __global__ void bitonic_sort_of_warps(int *a, int *b)
{
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = -a[t];
    __syncwarp();
    for (unsigned size = 2; size <= 32; size *= 2)
        for (unsigned n = size / 2; n > 0; n /= 2) {
            unsigned other = t ^ n;
            int x = s[t], y = s[other];
            __syncwarp();
            bool low = ((t & size) == 0) == (other > t);
            s[t] = low == (x < y) ? x : y;
            __syncwarp();
        }
    b[t] = s[t];
}

//: grid 1 block 128
extern "C" __global__ void compaction_by_a_ballot(int *a, int *b)
{
    __shared__ int base;
    if (threadIdx.x == 0)
        base = 0;
    __syncthreads();
    int x = a[threadIdx.x];
    unsigned lane = threadIdx.x % 32, mask = __ballot_sync(~0u, x % 3 == 0);
    int start = 0;
    if (lane == 0)
        start = atomicAdd(&base, __popc(mask));
    start = __shfl_sync(~0u, start, 0);
    if (x % 3 == 0)
        b[start + __popc(mask & ((1u << lane) - 1))] = x;
}

//: grid 4 block 64
extern "C" __global__ void counter_of_work_items(int *a, int *b)
{
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0)
            item = atomicAdd(&b[1000], 1);
        __syncthreads();
        int own = item;
        __syncthreads();
        if (own >= 8)
            break;
        b[own * 64 + threadIdx.x] = a[own * 64 + threadIdx.x] * 2;
    }
}

//: grid 4 block 32
extern "C" __global__ void ticket_lock(int *a, int *b)
{
    if (threadIdx.x != 0)
        return;
    cuda::atomic_ref<int, cuda::thread_scope_device> next(b[1000]), serving(b[1001]);
    int ticket = next.fetch_add(1, cuda::memory_order_relaxed);
    while (serving.load(cuda::memory_order_acquire) != ticket)
        ;
    b[0] += a[blockIdx.x];
    serving.store(ticket + 1, cuda::memory_order_release);
}

//: grid 4 block 32
extern "C" __global__ void decoupled_look_back(int *a, int *b)
{
    if (threadIdx.x != 0)
        return;
    int own = a[blockIdx.x + 1], sum = own;
    cuda::atomic_ref<int, cuda::thread_scope_device> state(b[512 + blockIdx.x]);
    b[256 + blockIdx.x] = own;
    state.store(1, cuda::memory_order_release);
    for (int i = (int)blockIdx.x - 1; i >= 0; i--) {
        cuda::atomic_ref<int, cuda::thread_scope_device> before(b[512 + i]);
        while (before.load(cuda::memory_order_acquire) == 0)
            ;
        sum += b[256 + i];
    }
    b[blockIdx.x] = sum;
}

//: grid 2 block 64
extern "C" __global__ void sense_reversing_barrier(int *a, int *b)
{
    for (int phase = 1; phase <= 3; phase++) {
        b[((phase + 1) % 2) * 256 + blockIdx.x * 64 + threadIdx.x] =
            a[threadIdx.x] + (phase > 1 ? b[(phase % 2) * 256 + (1 - blockIdx.x) * 64 + threadIdx.x] : 0);
        __syncthreads();
        if (threadIdx.x == 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> count(b[1000]);
            count.fetch_add(1, cuda::memory_order_acq_rel);
            while (count.load(cuda::memory_order_acquire) < 2 * phase)
                ;
        }
        __syncthreads();
    }
}

//: grid 1 block 128
extern "C" __global__ void groups_of_four(int *a, int *b)
{
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    int sum = cg::reduce(tile, a[threadIdx.x], cg::plus<int>());
    b[threadIdx.x] = cg::inclusive_scan(tile, sum);
}

//: grid 1 block 64
extern "C" __global__ void coalesced_group(int *a, int *b)
{
    __shared__ int s[64];
    if (a[threadIdx.x] % 2) {
        auto active = cg::coalesced_threads();
        s[threadIdx.x] = a[threadIdx.x];
        active.sync();
        b[threadIdx.x] = s[(threadIdx.x / 32) * 32 + 1] + active.size();
    }
}

//: grid 1 block 64
extern "C" __global__ void match_leaders_add(int *a, int *b)
{
    int key = a[threadIdx.x] % 5;
    unsigned peers = __match_any_sync(~0u, key);
    if (__ffs(peers) - 1 == threadIdx.x % 32)
        atomicAdd(&b[key], __popc(peers));
}

//: grid 1 block 64
extern "C" __global__ void queue_of_a_warp(int *a, int *b)
{
    __shared__ int queue[2][32], length[2];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0)
        length[warp] = 0;
    __syncwarp();
    if (a[threadIdx.x] % 3 == 0)
        queue[warp][atomicAdd(&length[warp], 1)] = a[threadIdx.x];
    __syncwarp();
    if ((int)lane < length[warp])
        b[threadIdx.x] = queue[warp][lane];
}

//: grid 1 block 128
extern "C" __global__ void pipeline_of_two_stages(int *a, int *b)
{
    __shared__ int s[2][128];
    unsigned t = threadIdx.x;
    int sum = 0;
    __pipeline_memcpy_async(&s[0][t], &a[t], 4);
    __pipeline_commit();
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            __pipeline_memcpy_async(&s[(i + 1) % 2][t], &a[(i + 1) * 128 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[i % 2][127 - t];
        __syncthreads();
    }
    b[t] = sum;
}

//: grid 1 block 64
extern "C" __global__ void barrier_object_in_phases(int *a, int *b)
{
    // The kernel constructs it.
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    if (threadIdx.x == 0)
        init(&bar, 64);
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = a[threadIdx.x] + i;
        bar.arrive_and_wait();
        sum += s[63 - threadIdx.x];
        bar.arrive_and_wait();
    }
    b[threadIdx.x] = sum;
}

//: grid 4 block 64
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_reduction(int *a, int *b)
{
    __shared__ int sum, total;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, a[blockIdx.x * 64 + threadIdx.x]);
    cluster.sync();
    if (threadIdx.x == 0) {
        total = 0;
        for (int i = 0; i < 4; i++)
            total += *cluster.map_shared_rank(&sum, i);
    }
    __syncthreads();
    b[blockIdx.x * 64 + threadIdx.x] = total;
    cluster.sync();
}

//: grid 2 block 64
extern "C" __global__ void __cluster_dims__(2, 1, 1) split_barrier_of_a_cluster(int *a, int *b)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = a[threadIdx.x];
    auto token = cluster.barrier_arrive();
    int own = a[threadIdx.x + 64];
    cluster.barrier_wait(std::move(token));
    b[blockIdx.x * 64 + threadIdx.x] = own + *cluster.map_shared_rank(&s[threadIdx.x], 1 - cluster.block_rank());
    cluster.sync();
}

//: grid 1 block 64
extern "C" __global__ void halves_of_a_struct(int *a, int *b)
{
    __shared__ struct {
        short low, high;
    } s[32];
    unsigned t = threadIdx.x;
    if (t < 32)
        s[t].low = (short)a[t];
    else
        s[t - 32].high = (short)a[t];
    __syncthreads();
    b[t] = s[t % 32].low + s[t % 32].high;
}

//: grid 1 block 64
extern "C" __global__ void wide_accesses(int *a, int *b)
{
    __shared__ int4 s[64];
    s[threadIdx.x] = ((const int4 *)a)[threadIdx.x];
    __syncthreads();
    int4 x = s[63 - threadIdx.x];
    ((int2 *)b)[2 * threadIdx.x] = make_int2(x.x, x.y);
    ((int2 *)b)[2 * threadIdx.x + 1] = make_int2(x.z, x.w);
}

//: grid 2 block 128
extern "C" __global__ void maximum_by_compare_and_swap(int *a, int *b)
{
    int x = a[blockIdx.x * 128 + threadIdx.x], old = atomicAdd(&b[0], 0);
    while (old < x) {
        int seen = atomicCAS(&b[0], old, x);
        if (seen == old)
            break;
        old = seen;
    }
}

//: grid 1 block 96
extern "C" __global__ void three_warps_hand_on(int *a, int *b)
{
    __shared__ int s[3][32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp > 0)
        asm volatile("bar.sync %0, 64;" ::"r"(warp) : "memory");
    s[warp][lane] = a[lane] + (warp > 0 ? s[warp - 1][31 - lane] : 0);
    if (warp < 2)
        asm volatile("bar.sync %0, 64;" ::"r"(warp + 1) : "memory");
    b[threadIdx.x] = s[warp][lane];
}
