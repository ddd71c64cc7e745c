/* Kernels of work.c. Made by
 *   tools/cubins.sh cubin work.cu work 100a 120a
 *
 * Cluster launch control: CTAs do their own work, then that of clusters that have not begun. out[n] counts how often
 * the work of CTA n was done, and `taken` how many clusters others have taken over. */

static __device__ unsigned address_of(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

static __device__ void begin(unsigned long long *barrier)
{
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(
                         address_of(barrier))
                     : "memory");
    __syncthreads();
}

static __device__ void expect(unsigned long long *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(barrier)), "r"(bytes)
                 : "memory");
}

static __device__ void wait_for(unsigned long long *barrier, unsigned parity)
{
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
                     "selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(address_of(barrier)), "r"(parity)
                     : "memory");
}

static __device__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

static __device__ bool take(const ulonglong2 *answer, unsigned id[3])
{
    unsigned good;
    asm volatile("{ .reg .pred p; .reg .b128 q; ld.shared.b128 q, [%4];\n"
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q; selp.u32 %3, 1, 0, p;\n"
                 "mov.u32 %0, 0; mov.u32 %1, 0; mov.u32 %2, 0;\n"
                 "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%0, %1, %2, _}, q; }"
                 : "=r"(id[0]), "=r"(id[1]), "=r"(id[2]), "=r"(good)
                 : "r"(address_of(answer))
                 : "memory");
    return good != 0;
}

static __device__ void do_work(unsigned *out, unsigned x, unsigned y, unsigned z)
{
    if (threadIdx.x == 0)
        atomicAdd(&out[x + gridDim.x * (y + gridDim.y * z)], 1u);
}

extern "C" __global__ void take_work(unsigned *out, unsigned *taken)
{
    __shared__ __align__(16) ulonglong2 answer;
    __shared__ unsigned long long barrier;
    unsigned id[3] = {blockIdx.x, blockIdx.y, blockIdx.z}, parity = 0;
    begin(&barrier);
    for (;;) {
        if (threadIdx.x == 0) {
            expect(&barrier, 16);
            asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], "
                         "[%1];" ::"r"(address_of(&answer)),
                         "r"(address_of(&barrier))
                         : "memory");
        }
        do_work(out, id[0], id[1], id[2]);
        wait_for(&barrier, parity);
        parity ^= 1;
        if (!take(&answer, id))
            return;
        if (threadIdx.x == 0)
            atomicAdd(taken, 1u);
        __syncthreads();
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
}

/* Rank 0 asks, and all of its cluster get the answer. */
extern "C" __global__ __cluster_dims__(2, 2, 1) void take_clusters(unsigned *out, unsigned *taken)
{
    __shared__ __align__(16) ulonglong2 answer;
    __shared__ unsigned long long barrier;
    unsigned id[3], rank, in_x, in_y, parity = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(in_x));
    asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(in_y));
    id[0] = blockIdx.x - in_x;
    id[1] = blockIdx.y - in_y;
    id[2] = blockIdx.z;
    begin(&barrier);
    for (;;) {
        if (threadIdx.x == 0)
            expect(&barrier, 16);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        cluster_sync();
        if (threadIdx.x == 0 && rank == 0)
            asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast"
                         "::cluster::all.b128 [%0], [%1];" ::"r"(address_of(&answer)),
                         "r"(address_of(&barrier))
                         : "memory");
        do_work(out, id[0] + in_x, id[1] + in_y, id[2]);
        wait_for(&barrier, parity);
        parity ^= 1;
        if (!take(&answer, id))
            break;
        if (threadIdx.x == 0 && rank == 0)
            atomicAdd(taken, 1u);
        __syncthreads();
    }
    cluster_sync();
}

#if __CUDA_ARCH_FEAT_SM100_ALL || (defined(__CUDA_ARCH_SPECIFIC__) && __CUDA_ARCH_SPECIFIC__ == 1000)
enum { TILE = 1024 };

static __device__ unsigned rank_of_cta()
{
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ void report(unsigned *out, const unsigned *tile)
{
    for (unsigned i = threadIdx.x; i < TILE / 4; i += blockDim.x)
        out[blockIdx.x * (TILE / 4) + i] = tile[i];
}

/* Each CTA of a pair loads its own tile. The even one counts the bytes of both. */
extern "C" __global__ __cluster_dims__(4, 1, 1) void load_for_pairs(unsigned *out, const void *map)
{
    __shared__ __align__(1024) unsigned tile[TILE / 4];
    __shared__ unsigned long long barrier;
    unsigned rank = rank_of_cta();
    begin(&barrier);
    if (threadIdx.x == 0 && rank % 2 == 0)
        expect(&barrier, 2 * TILE);
    cluster_sync();
    if (threadIdx.x == 0)
        asm volatile("{ .reg .b32 b; and.b32 b, %3, 0xfeffffff;\n"
                     "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 "
                     "[%0], "
                     "[%1, {%4, %2}], [b]; }" ::"r"(address_of(tile)),
                     "l"(map), "r"(blockIdx.x * 16), "r"(address_of(&barrier)), "r"(0)
                     : "memory");
    if (rank % 2 == 0)
        wait_for(&barrier, 0);
    cluster_sync();
    report(out, tile);
}

/* Rank 1 loads for all four of its cluster. Those of odd rank count the bytes of their pairs. */
extern "C" __global__ __cluster_dims__(4, 1, 1) void load_for_all(unsigned *out, const void *map)
{
    __shared__ __align__(1024) unsigned tile[TILE / 4];
    __shared__ unsigned long long barrier;
    unsigned rank = rank_of_cta();
    begin(&barrier);
    if (threadIdx.x == 0 && rank % 2 == 1)
        expect(&barrier, 2 * TILE);
    cluster_sync();
    if (threadIdx.x == 0 && rank == 1)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                     ".multicast::cluster.cta_group::2 [%0], [%1, {%4, %2}], [%3], %5;" ::"r"(address_of(tile)),
                     "l"(map), "r"(blockIdx.x / 4 * 16), "r"(address_of(&barrier)), "r"(0), "h"((short)15)
                     : "memory");
    if (rank % 2 == 1)
        wait_for(&barrier, 0);
    cluster_sync();
    report(out, tile);
}
#endif
