// wgmma: C = A * B^T on Hopper's tensor cores, with A m x k, B n x k, C m x n, all row-major, sums in FP32.
// m is a multiple of 128 (with clusters 256), n a multiple of 128, k a multiple of 64. Blocks of 384 threads make a 128
// x 128 tile of C. Warpgroup 0 produces: one thread has TMA copy tiles of A and B into a ring of 4 stages. Warpgroups 1
// and 2 consume: each multiplies 64 rows. A stage has two barrier objects: full, at which the copies arrive with their
// bytes, and empty, at which the consumers arrive. The producer gives its registers to the consumers. wgmma_cluster:
// two CTAs of a cluster make tiles above each other. Each copies one half of B's tile to both. Shows: UTMALDG, SYNCS
// with transactions, HGMMA, USETMAXREG, multicast, arrivals at another CTA.
#include <cstdint>

enum { TILE_M = 128, TILE_N = 128, TILE_K = 64, STAGES = 4, CONSUMERS = 2 };
enum { BYTES_A = TILE_M * TILE_K * 2, BYTES_B = TILE_N * TILE_K * 2 };

struct __align__(64) tensor_map {
    unsigned char bytes[128];
};

struct stage {
    unsigned char a[BYTES_A], b[BYTES_B]; // rows of 128 bytes, swizzled
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

// ---- copies -------------------------------------------------------------------------------------------------------

static __device__ void copy_tile(void *to, const tensor_map *map, uint64_t *barrier, uint32_t column, uint32_t row)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
                 "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row)
                 : "memory");
}

// To the same place in each CTA of the mask, where the bytes arrive.
static __device__ void copy_tile_to(uint16_t mask, void *to, const tensor_map *map, uint64_t *barrier, uint32_t column,
                                    uint32_t row)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(shared_address(barrier)), "r"(column), "r"(row), "h"(mask)
                 : "memory");
}

// ---- the matrix product -------------------------------------------------------------------------------------------

// Rows of 128 bytes in 8-row groups, swizzled over 128 bytes.
static __device__ uint64_t descriptor(const void *tile)
{
    return (uint64_t)((shared_address(tile) & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 |
           (uint64_t)1 << 62;
}

#define ROW8(i)                                                                                                        \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]),        \
        "+f"(d[i + 7])

// 64 x 128 sums of a warpgroup, 16 deep. Without `add` it begins anew.
static __device__ void multiply(float (&d)[64], uint64_t a, uint64_t b, int add)
{
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
                 "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
                 "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, 0, 0;\n"
                 "}"
                 : ROW8(0), ROW8(8), ROW8(16), ROW8(24), ROW8(32), ROW8(40), ROW8(48), ROW8(56)
                 : "l"(a), "l"(b), "r"(add));
}

// A warpgroup's 64 rows of the stage, all 64 deep; leaves the product in flight.
static __device__ void multiply_stage(float (&d)[64], const stage &s, uint32_t group, bool first)
{
    uint64_t a = descriptor(s.a + group * 64 * TILE_K * 2), b = descriptor(s.b);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < TILE_K / 16; k++)
        multiply(d, a + 2 * k, b + 2 * k, !first || k > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int PENDING> static __device__ void products_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

static __device__ void store_sums(float *c, uint32_t n, const float (&d)[64])
{
    uint32_t lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane / 4;
#pragma unroll
    for (int j = 0; j < TILE_N / 8; j++) {
        float *to = c + row * n + 8 * j + lane % 4 * 2;
        *reinterpret_cast<float2 *>(to) = make_float2(d[4 * j], d[4 * j + 1]);
        *reinterpret_cast<float2 *>(to + 8 * n) = make_float2(d[4 * j + 2], d[4 * j + 3]);
    }
}

// ---- producer and consumers ---------------------------------------------------------------------------------------

struct ring {
    uint64_t full[STAGES], empty[STAGES];
};

template <int CTAS>
static __device__ void produce(stage *s, ring *r, const tensor_map *a, const tensor_map *b, uint32_t row,
                               uint32_t column, uint32_t steps, uint32_t rank)
{
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t at = i % STAGES, turn = i / STAGES;
        barrier_wait(&r->empty[at], ~turn & 1); // the first turn finds every stage empty
        barrier_expect(&r->full[at], BYTES_A + BYTES_B);
        copy_tile(s[at].a, a, &r->full[at], i * TILE_K, row);
        if (CTAS == 1)
            copy_tile(s[at].b, b, &r->full[at], i * TILE_K, column);
        else // a half, to all
            copy_tile_to((1 << CTAS) - 1, s[at].b + rank * (BYTES_B / CTAS), b, &r->full[at], i * TILE_K,
                         column + rank * (TILE_N / CTAS));
    }
}

// Waits for the product before a stage's before it frees that one's stage.
template <int CTAS>
static __device__ void consume(const stage *s, ring *r, float (&d)[64], uint32_t group, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        barrier_wait(&r->full[i % STAGES], i / STAGES & 1);
        multiply_stage(d, s[i % STAGES], group, i == 0);
        products_wait<1>();
        if (i > 0 && threadIdx.x % 128 < CTAS)
            barrier_arrive(&r->empty[(i - 1) % STAGES], threadIdx.x % 128);
    }
    products_wait<0>();
}

template <int CTAS>
static __device__ void product(const tensor_map *a, const tensor_map *b, float *c, uint32_t n, uint32_t k)
{
    extern __shared__ unsigned char dynamic[];
    __shared__ ring r;
    uint32_t pad = 0u - shared_address(dynamic) & 1023, rank = CTAS == 1 ? 0 : blockIdx.y % CTAS;
    stage *s = reinterpret_cast<stage *>(dynamic + pad); // TMA's swizzle counts rows from a multiple of 1024 bytes
    uint32_t group = threadIdx.x / 128, row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N, steps = k / TILE_K;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&r.full[i], 1);
            barrier_init(&r.empty[i], CONSUMERS * CTAS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    if (CTAS > 1)
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    else
        __syncthreads();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            produce<CTAS>(s, &r, a, b, row, column, steps, rank);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        float d[64];
        consume<CTAS>(s, &r, d, group - 1, steps);
        store_sums(c + (row + (group - 1) * 64) * n + column, n, d);
    }
    if (CTAS > 1) // nobody leaves while the other may still write here or arrive here
        asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(384, 1)
wgmma_product(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, float *c, uint32_t n,
              uint32_t k)
{
    product<1>(&a, &b, c, n, k);
}

extern "C" __global__ void __launch_bounds__(384, 1) __cluster_dims__(1, 2, 1)
wgmma_cluster(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, float *c, uint32_t n,
              uint32_t k)
{
    product<2>(&a, &b, c, n, k);
}
