// umma: C = A * B^T on Blackwell's tensor cores (tcgen05), with A m x k, B n x k, C m x n, all row-major, sums in
// FP32. n is a multiple of 128, m of 128 (for the pair 256), k a multiple of 64. Blocks of 256 threads. umma_product: a
// block makes a tile of 128 x 128. Warp 0 produces: one thread has TMA copy tiles of A and B into a ring of 4 stages.
// Warp 1 multiplies: one thread starts tcgen05.mma, whose sums are in tensor memory. A commit frees the stage when its
// products are over, and another tells warps 4 to 7 that all are. These store the tile, 32 rows each. umma_pair: two
// CTAs of a cluster make a tile of 256 x 128 together (cta_group::2). Each copies its 128 rows of A and half B. The
// first one multiplies for both, and its commits arrive at the barriers of both. Shows: UTMALDG, SYNCS with
// transactions, UTCATOMSWS, UTCHMMA, UTCBAR with multicast, LDTM.
#include <cstdint>

enum { TILE_M = 128, TILE_N = 128, TILE_K = 64, STAGES = 4 };
enum { BYTES_A = TILE_M * TILE_K * 2, BYTES_B = TILE_N * TILE_K * 2 };

struct __align__(64) tensor_map {
    unsigned char bytes[128];
};

struct stage {
    unsigned char a[BYTES_A], b[BYTES_B]; // rows of 128 bytes, swizzled; of a pair the second half of b is not used
};

struct ring {
    uint64_t full[STAGES], empty[STAGES], done;
    uint32_t tensor; // address in tensor memory
};

static __device__ uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

// ---- barrier objects ----------------------------------------------------------------------------------------------

static __device__ void barrier_init(uint64_t *barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

static __device__ void barrier_expect(uint64_t *barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

// Arrives at the object at the same place in CTA `rank` of the cluster.
static __device__ void barrier_arrive(uint64_t *barrier, uint32_t rank)
{
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(rank)
                 : "memory");
}

static __device__ void barrier_wait(uint64_t *barrier, uint32_t parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

static __device__ void cluster_wait()
{
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

// ---- copies and products ------------------------------------------------------------------------------------------

static __device__ void copy_tile(void *to, const tensor_map *map, uint64_t *barrier, uint32_t column, uint32_t row)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
                 "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row)
                 : "memory");
}

// Rows of 128 bytes in 8-row groups, swizzled over 128 bytes.
static __device__ uint64_t matrix(const void *tile)
{
    return (uint64_t)((shared_address(tile) & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 |
           (uint64_t)1 << 46 | (uint64_t)2 << 61;
}

// FP16, sums in FP32; rows and columns of the whole product.
static __device__ uint32_t shape(uint32_t rows, uint32_t columns)
{
    return 1u << 4 | columns / 8 << 17 | rows / 16 << 24;
}

template <int CTAS>
static __device__ void multiply(uint32_t d, uint64_t a, uint64_t b, uint32_t add)
{
    uint32_t descriptor = shape(TILE_M * CTAS, TILE_N);
    if (CTAS == 1)
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"
                     "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(d),
                     "l"(a), "l"(b), "r"(descriptor), "r"(add)
                     : "memory");
    else
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"
                     "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(d),
                     "l"(a), "l"(b), "r"(descriptor), "r"(add)
                     : "memory");
}

// The object gets an arrival, in each CTA, when all products so far are over.
template <int CTAS> static __device__ void commit(uint64_t *barrier)
{
    if (CTAS == 1)
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                         shared_address(barrier))
                     : "memory");
    else
        asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
                     "[%0], %1;" ::"r"(shared_address(barrier)), "h"((uint16_t)3)
                     : "memory");
}

template <int CTAS> static __device__ void allocate(uint32_t *address)
{
    if (CTAS == 1)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;\n"
                     "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::"r"(shared_address(address)),
                     "r"((uint32_t)TILE_N)
                     : "memory");
    else
        asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;\n"
                     "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::"r"(shared_address(address)),
                     "r"((uint32_t)TILE_N)
                     : "memory");
}

template <int CTAS> static __device__ void release(uint32_t address)
{
    if (CTAS == 1)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address), "r"((uint32_t)TILE_N));
    else
        asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(address), "r"((uint32_t)TILE_N));
}

// ---- the warps ----------------------------------------------------------------------------------------------------

// A stage is full when the copies of all CTAs are there: those of a pair's second CTA arrive at its own object, and its
// multiplying warp, which has nothing else to do, passes that on.
template <int CTAS>
static __device__ void produce(stage *s, ring *r, const tensor_map *a, const tensor_map *b, uint32_t row,
                               uint32_t column, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t at = i % STAGES, turn = i / STAGES;
        barrier_wait(&r->empty[at], ~turn & 1); // the first turn finds every stage empty
        barrier_expect(&r->full[at], BYTES_A + BYTES_B / CTAS);
        copy_tile(s[at].a, a, &r->full[at], i * TILE_K, row);
        copy_tile(s[at].b, b, &r->full[at], i * TILE_K, column);
    }
}

template <int CTAS> static __device__ void start_products(const stage *s, ring *r, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t at = i % STAGES;
        barrier_wait(&r->full[at], i / STAGES & 1);
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        uint64_t a = matrix(s[at].a), b = matrix(s[at].b);
#pragma unroll
        for (int k = 0; k < TILE_K / 16; k++) // 32 bytes further in the rows
            multiply<CTAS>(r->tensor, a + 2 * k, b + 2 * k, i > 0 || k > 0);
        commit<CTAS>(&r->empty[at]);
    }
    commit<CTAS>(&r->done);
}

static __device__ void pass_on(ring *r, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        barrier_wait(&r->full[i % STAGES], i / STAGES & 1);
        barrier_arrive(&r->full[i % STAGES], 0);
    }
}

// Lane r of tensor memory has row r. A warp reaches the 32 lanes of its number modulo 4.
static __device__ void store_sums(float *c, uint32_t n, uint32_t tensor)
{
    uint32_t warp = threadIdx.x / 32 % 4, row = threadIdx.x % 128;
    for (uint32_t column = 0; column < TILE_N; column += 16) {
        float v[16];
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, "
                     "[%16];\ntcgen05.wait::ld.sync.aligned;"
                     : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]), "=f"(v[7]),
                       "=f"(v[8]), "=f"(v[9]), "=f"(v[10]), "=f"(v[11]), "=f"(v[12]), "=f"(v[13]), "=f"(v[14]),
                       "=f"(v[15])
                     : "r"(tensor + (warp << 21) + column)
                     : "memory");
#pragma unroll
        for (int i = 0; i < 16; i += 4)
            *reinterpret_cast<float4 *>(c + row * n + column + i) = make_float4(v[i], v[i + 1], v[i + 2], v[i + 3]);
    }
}

template <int CTAS>
static __device__ void product(const tensor_map *a, const tensor_map *b, float *c, uint32_t n, uint32_t k)
{
    extern __shared__ unsigned char dynamic[];
    __shared__ ring r;
    uint32_t pad = 0u - shared_address(dynamic) & 1023, rank = CTAS == 1 ? 0 : blockIdx.y % CTAS;
    stage *s = reinterpret_cast<stage *>(dynamic + pad); // TMA's swizzle counts rows from a multiple of 1024 bytes
    uint32_t warp = threadIdx.x / 32, row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N, steps = k / TILE_K;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&r.full[i], rank == 0 ? CTAS : 1);
            barrier_init(&r.empty[i], 1);
        }
        barrier_init(&r.done, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    if (warp == 0)
        allocate<CTAS>(&r.tensor);
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (CTAS > 1)
        cluster_wait();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    if (threadIdx.x == 0)
        produce<CTAS>(s, &r, a, b, row, column + rank * (TILE_N / CTAS), steps);
    else if (threadIdx.x == 32 && rank == 0)
        start_products<CTAS>(s, &r, steps);
    else if (threadIdx.x == 32)
        pass_on(&r, steps);
    else if (warp >= 4) {
        barrier_wait(&r.done, 0);
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        store_sums(c + row * n + column, n, r.tensor);
        asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    }
    __syncthreads();
    if (CTAS > 1)
        cluster_wait(); // nobody leaves while the other may still use its memory
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    if (warp == 0)
        release<CTAS>(r.tensor);
}

extern "C" __global__ void __launch_bounds__(256, 1)
umma_product(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, float *c, uint32_t n,
             uint32_t k)
{
    product<1>(&a, &b, c, n, k);
}

extern "C" __global__ void __launch_bounds__(256, 1) __cluster_dims__(1, 2, 1)
umma_pair(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, float *c, uint32_t n, uint32_t k)
{
    product<2>(&a, &b, c, n, k);
}
