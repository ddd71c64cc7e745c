// Products by tcgen05 of 128 x 64, whose operands a CTA of 128 threads puts into shared memory, 32 bytes of each row;
// and products whose sums are read too early.
#include "umma.cuh"

enum { M = 128, N = 64, ROW = 32, COLUMNS = 128 };

struct __align__(128) memory
{
    unsigned char a[M * ROW], b[N * ROW];
    u64 barrier;
    u32 tensor;
};

// Eight rows of 16 bytes make a core matrix. The second 16 bytes of the rows stand behind those of all rows.
static __device__ void put(unsigned char *to, const unsigned char *from, u32 rows)
{
    for (u32 i = threadIdx.x; i < rows * ROW; i += blockDim.x)
        to[i % ROW / 16 * rows * 16 + i / ROW * 16 + i % 16] = from[i];
}

static __device__ u64 rows(const unsigned char *p, u32 count) { return matrix(p, count * 16, 128); }

static __device__ void begin(memory &m, const unsigned char *a, const unsigned char *b)
{
    put(m.a, a, M);
    put(m.b, b, N);
    if (threadIdx.x == 0)
        barrier_init(&m.barrier);
    fence_shared();
    if (threadIdx.x < 32)
        ALLOC(1, address(&m.tensor), (u32)COLUMNS);
    __syncthreads();
}

static __device__ void end(memory &m, u32 *d)
{
    u32 lane = threadIdx.x;
    for (u32 n = 0; n < N; n++) {
        u32 v;
        LOAD1(v, m.tensor + quarter() + n);
        WAIT_LD;
        d[lane * N + n] = v;
    }
    __syncthreads();
    if (threadIdx.x < 32)
        DEALLOC(1, m.tensor, (u32)COLUMNS);
}

// Twice: D = A B, then D = A B + D.
#define PRODUCT(kind)                                                                                                  \
    extern "C" __global__ void product_##kind(const unsigned char *a, const unsigned char *b, u32 *d, u32 descriptor)  \
    {                                                                                                                  \
        __shared__ memory m;                                                                                           \
        begin(m, a, b);                                                                                                \
        if (threadIdx.x == 0) {                                                                                        \
            for (u32 add = 0; add < 2; add++)                                                                          \
                asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"                                               \
                             "tcgen05.mma.cta_group::1.kind::" #kind " [%0], %1, %2, %3, p;\n}" ::"r"(m.tensor),       \
                             "l"(rows(m.a, M)), "l"(rows(m.b, N)), "r"(descriptor), "r"(add)                           \
                             : "memory");                                                                              \
            barrier_commit(&m.barrier);                                                                                \
        }                                                                                                              \
        barrier_wait(&m.barrier, 0);                                                                                   \
        end(m, d);                                                                                                     \
    }
PRODUCT(f16)
PRODUCT(tf32)
PRODUCT(f8f6f4)
PRODUCT(i8)

// A comes from tensor memory, where warps have stored it.
extern "C" __global__ void product_tensor(const unsigned char *a, const unsigned char *b, u32 *d, u32 descriptor)
{
    __shared__ memory m;
    begin(m, a, b);
    for (u32 c = 0; c < ROW / 4; c++)
        STORE1(m.tensor + N + quarter() + c, reinterpret_cast<const u32 *>(a)[threadIdx.x * (ROW / 4) + c]);
    asm volatile("tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        for (u32 add = 0; add < 2; add++)
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"
                         "tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p;\n}" ::"r"(m.tensor),
                         "r"(m.tensor + N), "l"(rows(m.b, N)), "r"(descriptor), "r"(add)
                         : "memory");
        barrier_commit(&m.barrier);
    }
    barrier_wait(&m.barrier, 0);
    end(m, d);
}

// Threads wait for the commit of the first product only.
extern "C" __global__ void read_early(const unsigned char *a, const unsigned char *b, u32 *d, u32 descriptor)
{
    __shared__ memory m;
    begin(m, a, b);
    if (threadIdx.x == 0) {
        for (u32 i = 0; i < 2; i++) {
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"
                         "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(m.tensor),
                         "l"(rows(m.a, M)), "l"(rows(m.b, N)), "r"(descriptor), "r"(i)
                         : "memory");
            if (i == 0)
                barrier_commit(&m.barrier);
        }
    }
    barrier_wait(&m.barrier, 0);
    __syncthreads();
    end(m, d);
}

// The operands are overwritten before the product is over.
extern "C" __global__ void overwrite(const unsigned char *a, const unsigned char *b, u32 *d, u32 descriptor)
{
    __shared__ memory m;
    begin(m, a, b);
    if (threadIdx.x == 0) {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"
                     "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(m.tensor),
                     "l"(rows(m.a, M)), "l"(rows(m.b, N)), "r"(descriptor), "r"(0)
                     : "memory");
        m.a[0] = 1;
        barrier_commit(&m.barrier);
    }
    barrier_wait(&m.barrier, 0);
    end(m, d);
}
