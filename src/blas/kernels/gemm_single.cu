// Matrix products of FP32 on the ordinary pipes. A block has four warps and makes 128 x 128 results, a warp 64 x 64, a
// thread 16 x 8: four groups of four neighbours on the left, and two on the right. With 8 x 8 for each thread, shared
// memory would return data for as many cycles as 128 lanes compute. cp.async brings tiles into a ring of two stages in
// shared memory, where they lie with l as the slow index.
#include "finish_tile.cuh"
#include "gemm_single.h"

#if __CUDA_ARCH__ >= 800

enum { SIZE = GEMM_SINGLE_SIZE, DEPTH = GEMM_SINGLE_DEPTH, STAGES = GEMM_SINGLE_STAGES, PITCH = GEMM_SINGLE_PITCH };
enum { WARPS = GEMM_SINGLE_THREADS / 32, WARP_SIZE = 64, TILE = DEPTH * PITCH, STAGE = 2 * TILE };
enum { LEFT = 16, RIGHT = 8, HALF = DEPTH / 2 };

// Values are read so many products before they are used.
enum { AHEAD = __CUDA_ARCH__ >= 1000 ? 2 : 1, BUFFERS = 2 * AHEAD };

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

// A thread's copies of each tile, of which all threads of the block have a part. From rows along the sum it takes
// single elements: the lanes of a warp have sixteen neighbours of two rows. Of rows across the sum a warp takes a whole
// one.
template <bool ALONG> struct feeder {
    enum { STEP = ALONG ? 2 * WARPS : WARPS, COUNT = ALONG ? SIZE / STEP : DEPTH / STEP };
    const float *at, *data;
    long long step, advance;
    unsigned v, l, limit, to;
    bool wide;

    __device__ inline feeder(const gemm_operand &o, const float *matrix, unsigned v0, unsigned limit_v) : data(matrix)
    {
        unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        limit = limit_v;
        v = v0 + (ALONG ? warp * 2 + lane / DEPTH : lane * 4);
        l = ALONG ? lane % DEPTH : warp;
        to = 4 * (l * PITCH + v - v0);
        step = STEP * o.pitch;
        advance = ALONG ? DEPTH : DEPTH * o.pitch;
        at = matrix + (ALONG ? v * o.pitch + l : l * o.pitch + v);
        wide = ALONG || (o.aligned && (size_t)matrix % 16 == 0);
    }

    // A tile that lies inside the matrix, and whose rows begin at multiples of sixteen bytes if that counts.
    __device__ inline void fill(unsigned tile)
    {
        const float *from = at;
#pragma unroll
        for (int i = 0; i < COUNT; i++, from += step) {
            if (ALONG)
                copy4(tile + to + 4 * (i * STEP), from);
            else
                copy16(tile + to + 4 * (i * STEP * PITCH), from);
        }
        at += advance;
    }

    // Any tile: `left` elements of the sum are present, and missing ones are zero.
    __device__ inline void fill_some(unsigned tile, unsigned left)
    {
#pragma unroll 1
        for (unsigned i = 0; i < (ALONG ? COUNT : 4 * COUNT); i++) {
            unsigned row = ALONG ? i : i / 4, column = ALONG ? 0 : i % 4;
            bool there = ALONG ? v + row * STEP < limit && l < left : v + column < limit && l + row * STEP < left;
            copy4(tile + to + 4 * (ALONG ? row * STEP : row * STEP * PITCH + column),
                  there ? at + row * step + column : data, there);
        }
        at += advance;
    }
};

// A thread's part of a tile: COUNT of a warp's vectors, in groups of four. Its neighbours have the next four.
template <int COUNT> static __device__ inline void fetch(float (&x)[COUNT], const float *row)
{
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) {
        float4 four = *reinterpret_cast<const float4 *>(row + i / 4 * (WARP_SIZE * 4 / COUNT));
        x[i] = four.x, x[i + 1] = four.y, x[i + 2] = four.z, x[i + 3] = four.w;
    }
}

// Multiplies both floats of a pair by one float, and adds the products. On sm_100 one instruction does that.
static __device__ inline void multiply_add(float2 &sum, float2 x, float y)
{
#if __CUDA_ARCH__ >= 1000 && __CUDA_ARCH__ < 1200
    sum = __ffma2_rn(x, make_float2(y, y), sum);
#else
    sum.x = fmaf(x.x, y, sum.x);
    sum.y = fmaf(x.y, y, sum.y);
#endif
}

// Two neighbours on the right stay, while the left ones pass by: so an instruction reads 1.5 registers that the reuse
// cache lacks.
static __device__ inline void multiply(float2 (&sum)[LEFT][RIGHT / 2], const float (&a)[LEFT], const float (&b)[RIGHT])
{
#pragma unroll
    for (int n = 0; n < RIGHT / 2; n++)
#pragma unroll
        for (int i = 0; i < LEFT; i++) {
            int m = n % 2 ? LEFT - 1 - i : i;
            multiply_add(sum[m][n], make_float2(b[2 * n], b[2 * n + 1]), a[m]);
        }
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

static __device__ inline void store(const gemm_arguments &g, const float2 (&sum)[LEFT][RIGHT / 2], unsigned z,
                                    unsigned p, unsigned q)
{
    finisher<float> finish(g, z);
    bool quick = g.eights && g.type == GEMM_F32 && (!finish.adds || g.addend_type == GEMM_F32) &&
                 !(g.steps & GEMM_BIAS) && g.columns % 4 == 0;
#pragma unroll
    for (int i = 0; i < LEFT; i++)
#pragma unroll
        for (int j = 0; j < RIGHT / 4; j++) {
            unsigned row = p + i % 4 + i / 4 * 16, column = q + j * 32;
            float4 x = make_float4(sum[i][2 * j].x, sum[i][2 * j].y, sum[i][2 * j + 1].x, sum[i][2 * j + 1].y);
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

template <bool LEFT_ALONG, bool RIGHT_ALONG> static __device__ inline void product(const gemm_arguments &g)
{
    extern __shared__ __align__(16) float shared[];
    unsigned z = g.first + blockIdx.z, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned p0 = blockIdx.y * SIZE, q0 = blockIdx.x * SIZE, base = shared_address(shared);
    unsigned p = warp / 2 * WARP_SIZE + lane / 8 * 4, q = warp % 2 * WARP_SIZE + lane % 8 * 4;
    feeder<LEFT_ALONG> left(g.left, matrix_of(g.left, z), p0, g.rows);
    feeder<RIGHT_ALONG> right(g.right, matrix_of(g.right, z), q0, g.columns);
    bool inside = p0 + SIZE <= g.rows && q0 + SIZE <= g.columns && left.wide && right.wide;
    unsigned steps = (g.depth + DEPTH - 1) / DEPTH;
    auto fill = [&](unsigned i) {
        unsigned tile = base + i % STAGES * (STAGE * 4);
        if (inside && (i + 1) * DEPTH <= g.depth) {
            left.fill(tile);
            right.fill(tile + TILE * 4);
        } else if (i < steps) {
            left.fill_some(tile, g.depth - i * DEPTH);
            right.fill_some(tile + TILE * 4, g.depth - i * DEPTH);
        }
        commit();
    };
    float2 sum[LEFT][RIGHT / 2] = {};
    float a[BUFFERS][LEFT], b[BUFFERS][RIGHT];
    const float *half = shared;
    auto read = [&](int l) {
        fetch(a[l % BUFFERS], half + l * PITCH + p);
        fetch(b[l % BUFFERS], half + l * PITCH + q + TILE);
    };
    fill(0);
    fill(1);
    wait<1>();
    __syncthreads();
#pragma unroll
    for (int l = 0; l < AHEAD; l++)
        read(l);
    // Each turn takes half of a tile, and reads AHEAD of its products.
#pragma unroll 1
    for (unsigned i = 0; i < 2 * steps; i++) {
#pragma unroll
        for (int l = 0; l < HALF; l++) {
            if (l == HALF - AHEAD) {
                half = shared + (i + 1) / 2 % STAGES * STAGE + (i + 1) % 2 * (HALF * PITCH);
                if (i % 2 == 1) {
                    wait<0>();
                    __syncthreads();
                }
            }
            read(l < HALF - AHEAD ? l + AHEAD : l + AHEAD - HALF);
            multiply(sum, a[l % BUFFERS], b[l % BUFFERS]);
        }
        if (i % 2 == 1)
            fill(i / 2 + STAGES);
    }
    store(g, sum, z, p0 + p, q0 + q);
}

// The name ends in the direction of the left and of the right operand: a for along the sum, x for across it.
#define KERNEL(name, left, right)                                                                                      \
    extern "C" __global__ void __launch_bounds__(GEMM_SINGLE_THREADS, 2)                                               \
        subcore_gemm_f32_single_##name(const __grid_constant__ gemm_arguments g)                                       \
    {                                                                                                                  \
        product<left, right>(g);                                                                                       \
    }
KERNEL(aa, true, true)
KERNEL(ax, true, false)
KERNEL(xa, false, true)
KERNEL(xx, false, false)
#endif
