// Instructions of the fifth generation of tensor cores (tcgen05) that the kernels of these tests share.
#ifndef SUBCORE_TESTS_GPU_UMMA_CUH
#define SUBCORE_TESTS_GPU_UMMA_CUH

using u32 = unsigned;
using u64 = unsigned long long;

static __device__ u32 address(const void *p) { return (u32)__cvta_generic_to_shared(p); }

// ---- tensor memory; `group`: 1, or 2 for a pair of CTAs ----------------------------------------------------------

#define ALLOC(group, at, n)                                                                                            \
    asm volatile("tcgen05.alloc.cta_group::" #group ".sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(at), "r"(n)        \
                 : "memory")
#define DEALLOC(group, t, n)                                                                                           \
    asm volatile("tcgen05.dealloc.cta_group::" #group ".sync.aligned.b32 %0, %1;" ::"r"(t), "r"(n) : "memory")
#define RELINQUISH(group)                                                                                              \
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::" #group ".sync.aligned;" ::: "memory")
#define WAIT_LD asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory")
#define WAIT_ST asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory")
#define STORE1(at, v) asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(at), "r"(v) : "memory")
#define LOAD1(v, at) asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(v) : "r"(at) : "memory")

// The lanes that a warp reaches, as part of an address.
static __device__ u32 quarter() { return threadIdx.x / 32 % 4 << 21; }

// ---- order -------------------------------------------------------------------------------------------------------

static __device__ void barrier_init(u64 *barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(barrier)) : "memory");
}

static __device__ void fence_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

static __device__ void barrier_commit(u64 *barrier)
{
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(address(barrier))
                 : "memory");
}

static __device__ void barrier_wait(u64 *barrier, u32 parity)
{
    asm volatile("{\n.reg .pred done;\nagain:\n"
                 "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
                     address(barrier)),
                 "r"(parity)
                 : "memory");
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

static __device__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// ---- matrices in shared memory -----------------------------------------------------------------------------------

// Eight rows of 16 bytes make a core matrix, `stride` bytes before the next eight rows; the next 16 bytes of the rows
// stand `leading` bytes further.
static __device__ u64 matrix(const void *p, u32 leading, u32 stride)
{
    return (u64)((address(p) & 0x3ffff) >> 4) | (u64)(leading >> 4) << 16 | (u64)(stride >> 4) << 32 | (u64)1 << 46;
}

#endif
