// Products by tcgen05.mma of every kind and form, with operands that the test has put where they belong: a CTA of 128
// threads, or a pair of them, copies its image into shared and tensor memory, multiplies, and hands back all of tensor
// memory. tests/gpu/umma_kinds.c knows the right results. Made by
//   nvcc -O3 -std=c++17 -cubin -arch=sm_100a -o cubin/umma_kinds.sm_100a.cubin umma_kinds.cu
#include "umma.cuh"

enum { SHARED = 200 * 1024, SYSTEM = 1024, COLUMNS = 512, THREADS = 128 };
enum { A_IN_TENSOR = 1, SPARSE = 2, STATIONARY = 4, SCALES_D = 8 };

struct task {
    const unsigned char *shared;   // SHARED bytes of each CTA; those of the system are not copied
    u32 *tensor;                   // COLUMNS x THREADS words of each CTA
    u64 a, b, zero_columns;
    u32 mask[8];
    u32 d, e, descriptor, add, scale_a, scale_b, form;
};

extern __shared__ __align__(1024) unsigned char memory[];

struct places {
    u64 *barrier;
    u32 *place;
};

static __device__ places begin(const task &t, u32 rank)
{
    places p = {(u64 *)(memory + SHARED - SYSTEM), (u32 *)(memory + SHARED - SYSTEM + 8)};
    const uint4 *from = (const uint4 *)(t.shared + rank * SHARED + SYSTEM);
    for (u32 i = threadIdx.x; i < (SHARED - SYSTEM) / 16; i += THREADS)
        ((uint4 *)memory)[i] = from[i];
    if (threadIdx.x == 0)
        barrier_init(p.barrier);
    fence_shared();
    return p;
}

static __device__ void fill(const task &t, u32 rank)
{
    for (u32 c = 0; c < COLUMNS; c++)
        STORE1(quarter() + c, t.tensor[(rank * COLUMNS + c) * THREADS + threadIdx.x]);
    WAIT_ST;
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

static __device__ void read(const task &t, u32 rank)
{
    for (u32 c = 0; c < COLUMNS; c++) {
        u32 v;
        LOAD1(v, quarter() + c);
        WAIT_LD;
        t.tensor[(rank * COLUMNS + c) * THREADS + threadIdx.x] = v;
    }
}

// The operands of tcgen05.mma up to the mask; `e` and `a` by the form.
#define HEAD "{\n.reg .pred p;\nsetp.ne.b32 p, %0, 0;\n"
#define FIXED(t) ::"r"(t.add), "r"(t.d), "r"(t.descriptor), "l"(t.b)
#define A_SHARED(t) "l"(t.a)
#define A_TENSOR(t) "r"((u32)t.a)
#define MASK1(t) "r"(t.mask[0]), "r"(t.mask[1]), "r"(t.mask[2]), "r"(t.mask[3])
#define MASK2(t) MASK1(t), "r"(t.mask[4]), "r"(t.mask[5]), "r"(t.mask[6]), "r"(t.mask[7])
#define NAMES1 "{%6, %7, %8, %9}"
#define NAMES2 "{%6, %7, %8, %9, %10, %11, %12, %13}"

#define DENSE(group, kind, tail, a, A)                                                                                 \
    asm volatile(HEAD "tcgen05.mma.cta_group::" #group ".kind::" #kind " [%1], " a ", %3, %2, " NAMES##group           \
                 ", p" tail ";\n}" FIXED(t),                                                                           \
                 A(t), "r"(t.e), MASK##group(t)                                                                        \
                 : "memory")
#define THIN(group, kind, tail, a, A)                                                                                  \
    asm volatile(HEAD "tcgen05.mma.sp.cta_group::" #group ".kind::" #kind " [%1], " a ", %3, [%5], %2, " NAMES##group  \
                 ", p" tail ";\n}" FIXED(t),                                                                           \
                 A(t), "r"(t.e), MASK##group(t)                                                                        \
                 : "memory")
#define BOTH(group, kind, tail, a, A)                                                                                  \
    do {                                                                                                               \
        if (t.form & SPARSE)                                                                                           \
            THIN(group, kind, tail, a, A);                                                                             \
        else                                                                                                           \
            DENSE(group, kind, tail, a, A);                                                                            \
    } while (0)
#define MASKED(group, kind, tail)                                                                                      \
    do {                                                                                                               \
        if (t.form & A_IN_TENSOR)                                                                                      \
            BOTH(group, kind, tail, "[%4]", A_TENSOR);                                                                 \
        else                                                                                                           \
            BOTH(group, kind, tail, "%4", A_SHARED);                                                                   \
    } while (0)

#define HEAVY(kind, a, A)                                                                                              \
    do {                                                                                                               \
        if (t.form & SPARSE)                                                                                           \
            asm volatile(HEAD "tcgen05.mma.ws.sp.cta_group::1.kind::" #kind " [%1], " a                                \
                              ", %3, [%5], %2, p, %6;\n}" FIXED(t),                                                    \
                         A(t), "r"(t.e), "l"(t.zero_columns)                                                           \
                         : "memory");                                                                                  \
        else                                                                                                           \
            asm volatile(HEAD "tcgen05.mma.ws.cta_group::1.kind::" #kind " [%1], " a ", %3, %2, p, %6;\n}" FIXED(t),   \
                         A(t), "r"(t.e), "l"(t.zero_columns)                                                           \
                         : "memory");                                                                                  \
    } while (0)
#define WEIGHTS(kind)                                                                                                  \
    do {                                                                                                               \
        if (t.form & A_IN_TENSOR)                                                                                      \
            HEAVY(kind, "[%4]", A_TENSOR);                                                                             \
        else                                                                                                           \
            HEAVY(kind, "%4", A_SHARED);                                                                               \
    } while (0)

#define SCALE(group, kind, a, A)                                                                                       \
    do {                                                                                                               \
        if (t.form & SPARSE)                                                                                           \
            asm volatile(HEAD "tcgen05.mma.sp.cta_group::" #group ".kind::" kind " [%1], " a                           \
                              ", %3, [%5], %2, [%6], [%7], p;\n}" FIXED(t),                                            \
                         A(t), "r"(t.e), "r"(t.scale_a), "r"(t.scale_b)                                                \
                         : "memory");                                                                                  \
        else                                                                                                           \
            asm volatile(HEAD "tcgen05.mma.cta_group::" #group ".kind::" kind " [%1], " a                              \
                              ", %3, %2, [%6], [%7], p;\n}" FIXED(t),                                                  \
                         A(t), "r"(t.e), "r"(t.scale_a), "r"(t.scale_b)                                                \
                         : "memory");                                                                                  \
    } while (0)
#define SCALED(group, kind)                                                                                            \
    do {                                                                                                               \
        if (t.form & A_IN_TENSOR)                                                                                      \
            SCALE(group, kind, "[%4]", A_TENSOR);                                                                      \
        else                                                                                                           \
            SCALE(group, kind, "%4", A_SHARED);                                                                        \
    } while (0)

// One CTA, and a pair of which the first issues.
#define ALONE(name, issue)                                                                                             \
    extern "C" __global__ void name(const __grid_constant__ task t)                                                    \
    {                                                                                                                  \
        places p = begin(t, 0);                                                                                        \
        if (threadIdx.x < 32)                                                                                          \
            ALLOC(1, address(p.place), (u32)COLUMNS);                                                                  \
        __syncthreads();                                                                                               \
        fill(t, 0);                                                                                                    \
        __syncthreads();                                                                                               \
        if (threadIdx.x == 0) {                                                                                        \
            issue;                                                                                                     \
            barrier_commit(p.barrier);                                                                                 \
        }                                                                                                              \
        barrier_wait(p.barrier, 0);                                                                                    \
        read(t, 0);                                                                                                    \
        __syncthreads();                                                                                               \
        if (threadIdx.x < 32)                                                                                          \
            DEALLOC(1, 0u, (u32)COLUMNS);                                                                              \
    }
#define PAIR(name, issue)                                                                                              \
    extern "C" __global__ void __cluster_dims__(2, 1, 1) name(const __grid_constant__ task t)                          \
    {                                                                                                                  \
        u32 rank = blockIdx.x;                                                                                         \
        places p = begin(t, rank);                                                                                     \
        if (threadIdx.x < 32)                                                                                          \
            ALLOC(2, address(p.place), (u32)COLUMNS);                                                                  \
        __syncthreads();                                                                                               \
        fill(t, rank);                                                                                                 \
        cluster_sync();                                                                                                \
        if (rank == 0 && threadIdx.x == 0) {                                                                           \
            issue;                                                                                                     \
            asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"    \
                         " [%0], %1;" ::"r"(address(p.barrier)),                                                       \
                         "h"((unsigned short)3)                                                                        \
                         : "memory");                                                                                  \
        }                                                                                                              \
        barrier_wait(p.barrier, 0);                                                                                    \
        read(t, rank);                                                                                                 \
        cluster_sync();                                                                                                \
        if (threadIdx.x < 32)                                                                                          \
            DEALLOC(2, 0u, (u32)COLUMNS);                                                                              \
    }

#define PLAIN(kind)                                                                                                    \
    ALONE(kind, if (t.form & STATIONARY) WEIGHTS(kind); else MASKED(1, kind, ""))                                      \
    PAIR(kind##_pair, MASKED(2, kind, ""))
#define FLOATS(kind)                                                                                                   \
    ALONE(kind, if (t.form & STATIONARY) WEIGHTS(kind); else if (t.form & SCALES_D) MASKED(1, kind, ", 5");            \
          else MASKED(1, kind, ""))                                                                                    \
    PAIR(kind##_pair, if (t.form & SCALES_D) MASKED(2, kind, ", 5"); else MASKED(2, kind, ""))
#define SCALING(name, kind) ALONE(name, SCALED(1, kind)) PAIR(name##_pair, SCALED(2, kind))

FLOATS(f16)
FLOATS(tf32)
PLAIN(f8f6f4)
PLAIN(i8)
SCALING(mxf8f6f4, "mxf8f6f4.block_scale.scale_vec::1X")
SCALING(mxf4nvf4_2, "mxf4nvf4.block_scale.scale_vec::2X")
SCALING(mxf4nvf4_4, "mxf4nvf4.block_scale.scale_vec::4X")
