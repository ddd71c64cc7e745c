// Matrix products of FP32 on the ordinary pipes. Each warp makes 32 x 64 results by itself, a thread 8 x 8 of them: two
// groups of four neighbours in each direction. cp.async brings the warp's tiles into its own ring of two stages in
// shared memory, where they lie with l as the slow index. No warp waits for another one: such waits cost more than the
// loads that the warps of a block could share.
#include "finish_tile.cuh"
#include "gemm_single.h"

#if __CUDA_ARCH__ >= 800

enum { DEPTH = GEMM_SINGLE_DEPTH, ROWS = 32, COLUMNS = 64, THREADS = 32 };
enum { STAGES = GEMM_SINGLE_STAGES, STAGE = DEPTH * (ROWS + COLUMNS + 2 * GEMM_SINGLE_PAD) * 4, PAD = GEMM_SINGLE_PAD };
enum { RIGHT_AT = DEPTH * (ROWS + PAD) * 4 };

static __device__ inline unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

static __device__ inline void copy4(unsigned to, const float *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}

static __device__ inline void copy4(unsigned to, const float *from, bool there)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(there ? 4 : 0) : "memory");
}

static __device__ inline void copy16(unsigned to, const float *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

static __device__ inline void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int PENDING> static __device__ inline void wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

// A thread's copies of each tile. From rows along the sum it takes single elements: the lanes of a warp have eight
// rows and four neighbours of each, which the padding puts into different banks. Of rows across the sum it takes four
// neighbours.
template <int V, bool ALONG> struct feeder {
    enum { PITCH = V + PAD, STEP = ALONG ? THREADS / 4 : THREADS * 4 / V, FOURS = ALONG ? DEPTH / 4 : 4 };
    enum { COUNT = ALONG ? V * DEPTH / THREADS : DEPTH / STEP };
    const float *at, *data;
    long long step, advance;
    unsigned v, l, limit, to;
    bool wide;

    __device__ inline feeder(const gemm_operand &o, const float *matrix, unsigned v0, unsigned limit_v) : data(matrix)
    {
        unsigned lane = threadIdx.x % 32;
        limit = limit_v;
        v = v0 + (ALONG ? lane / 4 : lane % (V / 4) * 4);
        l = ALONG ? lane % 4 : lane / (V / 4);
        to = 4 * (l * PITCH + v - v0);
        step = STEP * o.pitch;
        advance = ALONG ? DEPTH : DEPTH * o.pitch;
        at = matrix + (ALONG ? v * o.pitch + l : l * o.pitch + v);
        wide = o.aligned && (size_t)matrix % 16 == 0;
    }

    // A tile that lies inside the matrix, and whose rows begin at multiples of sixteen bytes if that counts.
    __device__ inline void fill(unsigned tile)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (ALONG)
                copy4(tile + to + 4 * (i % FOURS * 4 * PITCH + i / FOURS * STEP),
                      at + i / FOURS * step + i % FOURS * 4);
            else
                copy16(tile + to + 4 * (i * STEP * PITCH), at + i * step);
        }
        at += advance;
    }

    // Any tile: `left` elements of the sum are present, and missing ones are zero.
    __device__ inline void fill_some(unsigned tile, unsigned left)
    {
#pragma unroll 1
        for (unsigned i = 0; i < (ALONG ? COUNT : 4 * COUNT); i++) {
            unsigned row = i / FOURS, column = i % FOURS;
            bool there =
                ALONG ? v + row * STEP < limit && l + column * 4 < left : v + column < limit && l + row * STEP < left;
            const float *from = at + row * step + (ALONG ? column * 4 : column);
            copy4(tile + to + 4 * (ALONG ? column * 4 * PITCH + row * STEP : row * STEP * PITCH + column),
                  there ? from : data, there);
        }
        at += advance;
    }
};

static __device__ inline void fetch(float (&x)[8], const float *row, int apart)
{
    float4 low = *reinterpret_cast<const float4 *>(row), high = *reinterpret_cast<const float4 *>(row + apart);
    x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
    x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
}

static __device__ inline const float *matrix_of(const gemm_operand &o, unsigned z)
{
    return o.list ? static_cast<const float *>(o.list[z]) : static_cast<const float *>(o.data) + z * o.stride;
}

// Four neighbours with any finish.
static __device__ __noinline__ void finish_four(const gemm_arguments *g, float4 sums, unsigned z, unsigned p,
                                                unsigned q)
{
    finisher<float> finish(*g, z);
    const float x[4] = {sums.x, sums.y, sums.z, sums.w};
    finish.store_two(x, p, q);
    finish.store_two(x + 2, p, q + 2);
}

static __device__ inline void store(const gemm_arguments &g, const float (&sum)[8][8], unsigned z, unsigned p,
                                    unsigned q)
{
    finisher<float> finish(g, z);
    bool quick = g.eights && g.type == GEMM_F32 && (!finish.adds || g.addend_type == GEMM_F32) &&
                 !(g.steps & GEMM_BIAS) && g.columns % 4 == 0;
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            unsigned row = p + i % 4 + i / 4 * 16, column = q + j / 4 * 32;
            float4 x = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
            if (!quick) {
                finish_four(&g, x, z, row, column);
            } else if (row < g.rows && column < g.columns) {
                x = make_float4(finish.alpha * x.x, finish.alpha * x.y, finish.alpha * x.z, finish.alpha * x.w);
                if (finish.adds) {
                    float4 c = *reinterpret_cast<const float4 *>(static_cast<const float *>(finish.addend) +
                                                                 z * g.addend.stride + (long long)row * g.addend.pitch +
                                                                 column);
                    x = make_float4(x.x + finish.beta * c.x, x.y + finish.beta * c.y, x.z + finish.beta * c.z,
                                    x.w + finish.beta * c.w);
                }
                *reinterpret_cast<float4 *>(static_cast<float *>(finish.result) + finish.place(row, column)) = x;
            }
        }
}

template <bool LEFT, bool RIGHT> static __device__ inline void product(const gemm_arguments &g)
{
    extern __shared__ __align__(16) unsigned char shared[];
    unsigned z = g.first + blockIdx.z, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned p0 = blockIdx.y * GEMM_SINGLE_ROWS + warp / 2 * ROWS, p = lane / 8 * 4;
    unsigned q0 = blockIdx.x * GEMM_SINGLE_COLUMNS + warp % 2 * COLUMNS, q = lane % 8 * 4;
    unsigned char *own = shared + warp * STAGES * STAGE;
    unsigned base = shared_address(own);
    feeder<ROWS, LEFT> left(g.left, matrix_of(g.left, z), p0, g.rows);
    feeder<COLUMNS, RIGHT> right(g.right, matrix_of(g.right, z), q0, g.columns);
    bool inside = p0 + ROWS <= g.rows && q0 + COLUMNS <= g.columns && (LEFT || left.wide) && (RIGHT || right.wide);
    float sum[8][8] = {};
    auto fill_some = [&](unsigned stage, unsigned l) {
        if (l < g.depth) {
            left.fill_some(base + stage * STAGE, g.depth - l);
            right.fill_some(base + stage * STAGE + RIGHT_AT, g.depth - l);
        }
        commit();
    };
    auto fill = [&](unsigned stage) {
        left.fill(base + stage * STAGE);
        right.fill(base + stage * STAGE + RIGHT_AT);
        commit();
    };
    auto next = [] {
        wait<0>();
        __syncwarp();
    };
    auto multiply = [&](unsigned stage) {
        const float *lefts = reinterpret_cast<const float *>(own + stage * STAGE) + p;
        const float *rights = reinterpret_cast<const float *>(own + stage * STAGE + RIGHT_AT) + q;
#pragma unroll
        for (int l = 0; l < DEPTH; l++) {
            float a[8], b[8];
            fetch(a, lefts + l * (ROWS + PAD), 16);
            fetch(b, rights + l * (COLUMNS + PAD), 32);
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
        }
    };
    unsigned l = 0;
    fill_some(0, 0);
    if (inside)
#pragma unroll 1
        for (; l + 3 * DEPTH <= g.depth; l += 2 * DEPTH) {   // the stages are constants here
            next();
            fill(1);
            multiply(0);
            next();
            fill(0);
            multiply(1);
        }
#pragma unroll 1
    for (unsigned now = 0; l < g.depth; l += DEPTH, now = 1 - now) {
        next();
        fill_some(1 - now, l + DEPTH);
        multiply(now);
    }
    store(g, sum, z, p0 + p, q0 + q);
}

// The name ends in the direction of the left and of the right operand: a for along the sum, x for across it.
#define KERNEL(name, left, right)                                                                                      \
    extern "C" __global__ void __launch_bounds__(GEMM_SINGLE_THREADS, 4)                                               \
        subcore_gemm_f32_single_##name(const __grid_constant__ gemm_arguments g)                                       \
    {                                                                                                                  \
        product<left, right>(g);                                                                                       \
    }
KERNEL(aa, true, true)
KERNEL(ax, true, false)
KERNEL(xa, false, true)
KERNEL(xx, false, false)
#endif
