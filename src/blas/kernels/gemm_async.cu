// Matrix products of FP16 and BF16 by the asynchronous tensor cores: wgmma on sm_90, tcgen05 on sm_100. TMA brings
// tiles into a ring in shared memory.
#include "finish_tile.cuh"

#include "async.cuh"

enum { LEFT_BYTES = ROWS * DEPTH * 2, RIGHT_BYTES = COLUMNS * DEPTH * 2 };

template <typename T> static __device__ inline constexpr bool tensor_is_half() { return false; }
template <> __device__ inline constexpr bool tensor_is_half<__half>() { return true; }

#if __CUDA_ARCH_FEAT_SM90_ALL

enum { STAGES = GEMM_WGMMA_STAGES, STAGE = LEFT_BYTES + RIGHT_BYTES, CONSUMERS = 2, WRITE = 64 };
static constexpr uint32_t PITCH = tile_finisher<WRITE>::PITCH;

struct ring {
    uint64_t full[STAGES], empty[STAGES];
};

#define FOUR(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
#define WGMMA(type)                                                                                                    \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"                                                         \
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type " "                                      \
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26," \
                 "%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,"    \
                 "%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,"    \
                 "%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,"    \
                 "%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,"      \
                 "%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}, %128, %129, p, 1, 1, %131, %132;\n}"             \
                 : SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), SIXTEEN(64), SIXTEEN(80), SIXTEEN(96),           \
                   SIXTEEN(112)                                                                                        \
                 : "l"(a), "l"(b), "r"(add), "n"(ACROSS_A), "n"(ACROSS_B))

template <typename T, int ACROSS_A, int ACROSS_B>
static __device__ inline void multiply(float (&d)[128], uint64_t a, uint64_t b, int add)
{
    if (tensor_is_half<T>())
        WGMMA("f16");
    else
        WGMMA("bf16");
}

template <bool LEFT, bool RIGHT>
static __device__ inline void produce(const gemm_async_arguments &x, ring *r, uint32_t base, uint32_t p, uint32_t q,
                                      uint32_t z, uint32_t rank)
{
    uint32_t steps = (x.g.depth + DEPTH - 1) / DEPTH;
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t at = i % STAGES, to = base + at * STAGE;
        barrier_wait(&r->empty[at], ~(i / STAGES) & 1);   // the first turn finds every stage empty
        barrier_expect(&r->full[at], STAGE);
        copy_tile<ROWS, LEFT>(0, to, x.left, &r->full[at], p, i * DEPTH, z);
        copy_tile<COLUMNS / 2, RIGHT>(3, to + LEFT_BYTES + rank * (RIGHT_BYTES / 2), x.right, &r->full[at],
                                      q + rank * (COLUMNS / 2), i * DEPTH, z);
    }
}

// Waits for the product of the previous stage, and then frees that stage in both blocks.
template <typename T, bool LEFT, bool RIGHT>
static __device__ inline void consume(float (&d)[128], ring *r, uint32_t base, uint32_t group, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t at = i % STAGES, tile = base + at * STAGE;
        barrier_wait(&r->full[at], i / STAGES & 1);
        uint64_t a = describe<LEFT>(tile + group * 64 * DEPTH * 2, (uint64_t)1 << 62);
        uint64_t b = describe<RIGHT>(tile + LEFT_BYTES, (uint64_t)1 << 62);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < DEPTH / 16; k++)
            multiply<T, !LEFT, !RIGHT>(d, a + k * sixteen<LEFT>(), b + k * sixteen<RIGHT>(), i > 0 || k > 0);
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (i > 0 && threadIdx.x % 128 < GEMM_ASYNC_CLUSTER)
            barrier_arrive(&r->empty[(i - 1) % STAGES], threadIdx.x % 128);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

template <typename T, bool LEFT, bool RIGHT> static __device__ inline void product(const gemm_async_arguments &x)
{
    extern __shared__ unsigned char dynamic[];
    __shared__ ring r;
    unsigned char *stages = dynamic + (0u - shared_address(dynamic) & 1023);
    uint32_t base = shared_address(stages), group = threadIdx.x / 128, rank = cluster_rank();
    uint32_t p = blockIdx.y * ROWS, q = blockIdx.x * COLUMNS, z = x.g.first + blockIdx.z;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&r.full[i], 1);
            barrier_init(&r.empty[i], CONSUMERS * GEMM_ASYNC_CLUSTER);
        }
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
    }
    cluster_sync();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0)
            produce<LEFT, RIGHT>(x, &r, base, p, q, z, rank);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        float d[128];
        consume<T, LEFT, RIGHT>(d, &r, base, group - 1, (x.g.depth + DEPTH - 1) / DEPTH);
        asm volatile("bar.sync 1, 256;" ::: "memory");   // nobody reads the ring any more
        uint32_t warp = threadIdx.x / 32 - 4, lane = threadIdx.x % 32;
        float *own = reinterpret_cast<float *>(stages) + warp * 16 * PITCH;
        tile_finisher<WRITE> finish(x.g, z);
#pragma unroll
        for (int part = 0; part < COLUMNS / WRITE; part++) {
            finish.move_to(q + part * WRITE);
#pragma unroll
            for (int j = 0; j < WRITE / 8; j++)
#pragma unroll
                for (int half = 0; half < 2; half++)
                    *reinterpret_cast<float2 *>(own + (half * 8 + lane / 4) * PITCH + j * 8 + lane % 4 * 2) =
                        make_float2(d[part * 32 + 4 * j + 2 * half], d[part * 32 + 4 * j + 2 * half + 1]);
            __syncwarp();
            finish.template store<16>(own, p + warp * 16);
            __syncwarp();
        }
    }
    cluster_sync();   // nobody leaves while the other may still write or arrive here
}

#define THREADS GEMM_WGMMA_THREADS
#define TOGETHER 1
#define NAME(type, left, right) subcore_gemm_##type##_wgmma_##left##right

#elif __CUDA_ARCH_FEAT_SM100_ALL

enum { STAGES = GEMM_UMMA_STAGES, STAGE = LEFT_BYTES + RIGHT_BYTES / 2, WRITERS = GEMM_UMMA_WRITERS, SUMS = 2 };
enum { WRITE = GEMM_UMMA_WRITE };
static constexpr uint32_t PITCH = tile_finisher<WRITE>::PITCH;

struct ring {
    uint64_t full[STAGES], empty[STAGES], done[SUMS], written[SUMS];
    uint32_t tensor;   // address in tensor memory
};

// A block pair's tiles, one after another: each has 256 x 256 results, 128 rows for each block. After the
// whole tiles come halves, of 128 columns, so that the last round keeps more pairs busy.
struct walk {
    const gemm_async_arguments &x;
    uint32_t unit, rank, steps;

    __device__ inline explicit walk(const gemm_async_arguments &arguments)
        : x(arguments), unit(blockIdx.x), rank(cluster_rank()), steps((arguments.g.depth + DEPTH - 1) / DEPTH)
    {
    }

    __device__ inline bool more() const { return unit < x.units; }
    __device__ inline void go_on() { unit += gridDim.x; }
    __device__ inline uint32_t half() const { return unit < x.whole ? 0 : unit - x.whole; }
    __device__ inline uint32_t tile() const { return unit < x.whole ? unit : x.whole + half() / 2; }
    __device__ inline uint32_t columns() const { return unit < x.whole ? COLUMNS : COLUMNS / 2; }
    __device__ inline uint32_t q() const { return tile() % x.across * COLUMNS + half() % 2 * (COLUMNS / 2); }
    __device__ inline uint32_t p() const { return (tile() / x.across % x.down * GEMM_ASYNC_CLUSTER + rank) * ROWS; }
    __device__ inline uint32_t z() const { return tile() / x.across / x.down; }
};

template <bool LEFT, bool RIGHT> static __device__ inline void produce(walk w, ring *r, uint32_t base)
{
    uint32_t count = 0;
    for (; w.more(); w.go_on()) {
        uint32_t own = w.columns() / 2, p = w.p(), q = w.q() + w.rank * own, z = w.z();
        for (uint32_t i = 0; i < w.steps; i++, count++) {
            uint32_t at = count % STAGES, to = base + at * STAGE, right = to + LEFT_BYTES;
            barrier_wait(&r->empty[at], ~(count / STAGES) & 1);   // the first turn finds every stage empty
            barrier_expect(&r->full[at], LEFT_BYTES + own * DEPTH * 2);
            copy_tile<ROWS, LEFT>(0, to, w.x.left, &r->full[at], p, i * DEPTH, z);
            copy_tile<GEMM_UMMA_BOX, RIGHT>(0, right, w.x.right, &r->full[at], q, i * DEPTH, z);
            if (own > GEMM_UMMA_BOX)
                copy_tile<GEMM_UMMA_BOX, RIGHT>(0, right + BOX_BYTES, w.x.right, &r->full[at], q + GEMM_UMMA_BOX,
                                                i * DEPTH, z);
        }
    }
}

// Signals to both blocks of the pair when all earlier products are complete.
static __device__ inline void commit(uint64_t *barrier)
{
    asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
                 "[%0], %1;" ::"r"(shared_address(barrier)),
                 "h"((uint16_t)3)
                 : "memory");
}

// The first block of the pair multiplies for both, FP16 or BF16, with sums in FP32. While the sums of one tile are
// stored, the next tile is computed.
template <typename T, bool LEFT, bool RIGHT> static __device__ inline void multiply(walk w, ring *r, uint32_t base)
{
    uint32_t type = tensor_is_half<T>() ? 0 : 1, count = 0;
    uint32_t kinds = 1u << 4 | type << 7 | type << 10 | (LEFT ? 0u : 1u << 15) | (RIGHT ? 0u : 1u << 16);
    for (uint32_t turn = 0; w.more(); w.go_on(), turn++) {
        uint32_t which = turn % SUMS, sums = r->tensor + which * COLUMNS;
        uint32_t shape = kinds | w.columns() / 8u << 17 | 2 * ROWS / 16u << 24;
        barrier_wait_relaxed(&r->written[which], ~(turn / SUMS) & 1);   // nobody has used either at first
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        for (uint32_t i = 0; i < w.steps; i++, count++) {
            uint32_t at = count % STAGES, tile = base + at * STAGE;
            barrier_wait(&r->full[at], count / STAGES & 1);
            asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
            uint64_t kind = (uint64_t)1 << 46 | (uint64_t)2 << 61;
            uint64_t a = describe<LEFT>(tile, kind), b = describe<RIGHT>(tile + LEFT_BYTES, kind);
#pragma unroll
            for (int k = 0; k < DEPTH / 16; k++)
                asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"
                             "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(sums),
                             "l"(a + k * sixteen<LEFT>()), "l"(b + k * sixteen<RIGHT>()), "r"(shape),
                             "r"((uint32_t)(i > 0 || k > 0))
                             : "memory");
            commit(&r->empty[at]);
        }
        commit(&r->done[which]);
    }
}

// Copies of the second block arrive at its own objects, and it forwards the arrival.
static __device__ inline void pass_on(walk w, ring *r)
{
    uint32_t count = 0;
    for (; w.more(); w.go_on())
        for (uint32_t i = 0; i < w.steps; i++, count++) {
            barrier_wait(&r->full[count % STAGES], count / STAGES & 1);
            barrier_arrive(&r->full[count % STAGES], 0);
        }
}

// Begins to load the sums of a lane's row in WRITE columns. They are there after wait_for_sums().
static __device__ inline void load_sums(float (&v)[WRITE], uint32_t tensor)
{
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, "
                 "[%16];"
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]), "=f"(v[7]),
                   "=f"(v[8]), "=f"(v[9]), "=f"(v[10]), "=f"(v[11]), "=f"(v[12]), "=f"(v[13]), "=f"(v[14]), "=f"(v[15])
                 : "r"(tensor)
                 : "memory");
}

static __device__ inline void wait_for_sums(float (&v)[WRITE])
{
    asm volatile("tcgen05.wait::ld.sync.aligned;"
                 : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]), "+f"(v[4]), "+f"(v[5]), "+f"(v[6]), "+f"(v[7]),
                   "+f"(v[8]), "+f"(v[9]), "+f"(v[10]), "+f"(v[11]), "+f"(v[12]), "+f"(v[13]), "+f"(v[14]), "+f"(v[15])
                 :
                 : "memory");
}

// A warp's part of a tile, which lies in tensor memory at `sums`: 32 rows from p on, a lane has one of them.
struct tile_part {
    float *own;
    uint32_t sums, columns, p, q;

    __device__ inline void share(const float (&v)[WRITE]) const
    {
#pragma unroll
        for (int i = 0; i < WRITE; i += 4)
            *reinterpret_cast<float4 *>(own + threadIdx.x % 32 * PITCH + i) =
                make_float4(v[i], v[i + 1], v[i + 2], v[i + 3]);
        __syncwarp();
    }

    // Stores any results, step by step.
    __device__ inline void store_any(tile_finisher<WRITE> &finish) const
    {
#pragma unroll 1
        for (uint32_t part = 0; part < columns && q + part < finish.g.columns; part += WRITE) {
            float v[WRITE];
            finish.move_to(q + part);
            load_sums(v, sums + part);
            wait_for_sums(v);
            share(v);
            finish.template store<32>(own, p);
            __syncwarp();
        }
    }

    // Stores results of one type without an addend, while the next sums are in flight.
    template <unsigned TYPE, bool BIAS> __device__ inline void store_quickly(tile_finisher<WRITE> &finish) const
    {
        float v[WRITE];
        load_sums(v, sums);
#pragma unroll 1
        for (uint32_t part = 0; part < columns; part += WRITE) {
            finish.q = q + part;
            if (BIAS)
                finish.read_bias();
            wait_for_sums(v);
            share(v);
            load_sums(v, sums + min(part + WRITE, columns - WRITE));
            finish.template store_whole_rows<32, TYPE>(own, p);
            __syncwarp();
        }
        wait_for_sums(v);
    }

    template <bool BIAS> __device__ inline void store_type(tile_finisher<WRITE> &finish) const
    {
        if (finish.g.type == GEMM_F16)
            store_quickly<GEMM_F16, BIAS>(finish);
        else if (finish.g.type == GEMM_BF16)
            store_quickly<GEMM_BF16, BIAS>(finish);
        else
            store_quickly<GEMM_F32, BIAS>(finish);
    }

    __device__ inline void store(tile_finisher<WRITE> &finish) const
    {
        if (!finish.is_quick(p + 32, q + columns))
            store_any(finish);
        else if (finish.g.steps & GEMM_BIAS)
            store_type<true>(finish);
        else
            store_type<false>(finish);
    }
};

// Stores the results of all tiles. Four warps have the rows of a block, each of these fours some columns.
static __device__ inline void store(walk w, ring *r, float *buffer)
{
    uint32_t warp = threadIdx.x / 32 - 4, row = warp % 4 * 32;
    float *own = buffer + warp * 32 * PITCH;
    tile_finisher<WRITE> finish(w.x.g, 0);   // matrices of a batch stand at one distance here
    for (uint32_t turn = 0; w.more(); w.go_on(), turn++) {
        uint32_t which = turn % SUMS;
        barrier_wait_relaxed(&r->done[which], turn / SUMS & 1);
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        uint32_t columns = w.columns() / (WRITERS / 4), column = warp / 4 * columns;
        tile_part part = {own, r->tensor + (row << 16) + which * COLUMNS + column, columns, w.p() + row,
                          w.q() + column};
        finish.z = w.z();
        part.store(finish);
        asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            barrier_arrive_relaxed(&r->written[which], 0);
    }
}

static __device__ inline void prepare(ring *r, uint32_t rank)
{
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&r->full[i], rank == 0 ? 2 : 1);
            barrier_init(&r->empty[i], 1);
        }
        for (int i = 0; i < SUMS; i++) {
            barrier_init(&r->done[i], 1);
            barrier_init(&r->written[i], WRITERS * GEMM_ASYNC_CLUSTER);
        }
        asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
    }
    if (threadIdx.x / 32 == 0)
        asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;\n"
                     "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::"r"(shared_address(&r->tensor)),
                     "r"((uint32_t)SUMS * COLUMNS)
                     : "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    cluster_sync();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

template <typename T, bool LEFT, bool RIGHT> static __device__ inline void product(const gemm_async_arguments &x)
{
    extern __shared__ unsigned char dynamic[];
    __shared__ ring r;
    unsigned char *stages = dynamic + (0u - shared_address(dynamic) & 1023);
    uint32_t base = shared_address(stages), warp = threadIdx.x / 32;
    walk w(x);
    prepare(&r, w.rank);
    if (threadIdx.x == 0)
        produce<LEFT, RIGHT>(w, &r, base);
    else if (threadIdx.x == 32 && w.rank == 0)
        multiply<T, LEFT, RIGHT>(w, &r, base);
    else if (threadIdx.x == 32)
        pass_on(w, &r);
    else if (warp >= 4)
        store(w, &r, reinterpret_cast<float *>(stages + STAGES * STAGE));
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    cluster_sync();   // nobody leaves while the other may still use its memory
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    if (warp == 0)
        asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(r.tensor),
                     "r"((uint32_t)SUMS * COLUMNS));
}

#define THREADS GEMM_UMMA_THREADS
#define TOGETHER 1
#define NAME(type, left, right) subcore_gemm_##type##_umma_##left##right

#endif

#ifdef NAME
#define KERNEL(name, type, left, right)                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS, TOGETHER) __cluster_dims__(1, GEMM_ASYNC_CLUSTER, 1)         \
        name(const __grid_constant__ gemm_async_arguments x)                                                           \
    {                                                                                                                  \
        product<type, left, right>(x);                                                                                 \
    }
#define DIRECTIONS(name, type)                                                                                         \
    KERNEL(NAME(name, a, a), type, true, true)                                                                         \
    KERNEL(NAME(name, a, x), type, true, false)                                                                        \
    KERNEL(NAME(name, x, a), type, false, true)                                                                        \
    KERNEL(NAME(name, x, x), type, false, false)

DIRECTIONS(f16, __half)
DIRECTIONS(bf16, __nv_bfloat16)
#endif
