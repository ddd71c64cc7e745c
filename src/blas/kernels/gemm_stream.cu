// Matrix products of FP16 and BF16 on the tensor cores, for operands that can be read sixteen bytes at a time. cp.async
// brings tiles, DEPTH deep, into a ring of STAGES in shared memory, and ldmatrix reads the operands of one step while
// the tensor cores work on those of the step before. A block of four warps makes 128 x 128 results.
#include "finish_tile.cuh"
#include "gemm_stream.h"

#if __CUDA_ARCH__ >= 800

enum { DEPTH = GEMM_STREAM_DEPTH, TILE = GEMM_STREAM_TILE, THREADS = 128, WARP = 64, TILE_BYTES = TILE * DEPTH * 2 };
// Two blocks of an SM share its memory.
enum { STAGES = GEMM_STREAM_STAGES(__CUDA_ARCH__ / 10) };

static __device__ inline unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

static __device__ inline void copy16(unsigned to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// The first `bytes` of them are read, and the others are zero.
static __device__ inline void copy16(unsigned to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

static __device__ inline void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int PENDING> static __device__ inline void wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

template <bool TRANSPOSED> static __device__ inline void load_matrices(unsigned *r, unsigned at)
{
    if (TRANSPOSED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(at)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                     : "r"(at)
                     : "memory");
}

template <typename T> struct tensor;
#define TENSOR(type, name)                                                                                             \
    template <> struct tensor<type> {                                                                                  \
        static __device__ inline void multiply(float (&d)[4], const unsigned *a, const unsigned *b)                    \
        {                                                                                                              \
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." name "." name ".f32 "                                \
                         "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                             \
                         : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                              \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                          \
        }                                                                                                              \
    };
TENSOR(__half, "f16")
TENSOR(__nv_bfloat16, "bf16")

// A tile of TILE vectors, DEPTH deep. Rows along the sum have 64 bytes, rows across it 256. The chunks of 16 bytes of a
// row change places so that the eight that ldmatrix reads together are in different banks.
template <bool ALONG> struct layout {
    enum { ROW = ALONG ? DEPTH * 2 : TILE * 2, ROW_CHUNKS = ROW / 16, ROW_STEP = THREADS / ROW_CHUNKS };
    enum { CHUNKS = TILE_BYTES / 16 / THREADS };

    static __device__ inline unsigned place(unsigned row, unsigned chunk)
    {
        return row * ROW + (chunk ^ (ALONG ? row / 2 % 4 : row % 8)) * 16;
    }
};

// A thread's copies of each tile: chunks of rows that are ROW_STEP apart.
template <bool ALONG> struct feeder {
    typedef layout<ALONG> tile;
    const char *at;
    long long step, advance;
    unsigned offset, l, bytes,
        rows;   // its first place in the tile and in the sum; what there is of chunks, and of rows

    __device__ inline feeder(const gemm_operand &o, const void *data, unsigned v0, unsigned limit)
    {
        unsigned row = threadIdx.x / tile::ROW_CHUNKS, chunk = threadIdx.x % tile::ROW_CHUNKS;
        offset = tile::place(row, chunk);
        step = 2 * tile::ROW_STEP * o.pitch;
        advance = ALONG ? 2 * DEPTH : 2 * DEPTH * o.pitch;
        if (ALONG) {
            l = chunk * 8;
            bytes = 16;
            rows = v0 + row < limit ? (limit - v0 - row + tile::ROW_STEP - 1) / tile::ROW_STEP : 0;
            at = static_cast<const char *>(data) + 2 * ((long long)(v0 + row) * o.pitch + l);
        } else {
            unsigned v = v0 + chunk * 8;
            l = row;
            bytes = v < limit ? min(2 * (limit - v), 16u) : 0;
            rows = tile::CHUNKS;
            at = static_cast<const char *>(data) + 2 * (row * o.pitch + v);
        }
    }

    // Chunk i of a tile that lies inside the matrix.
    __device__ inline void fill_one(unsigned to, int i) const
    {
        copy16(to + offset + i * tile::ROW_STEP * tile::ROW, at + i * step);
    }

    __device__ inline void go_on() { at += advance; }

    // A tile at the end of the matrix or the sum, with `left` elements: missing ones are zero. The copies
    // of missing elements have no address.
    __device__ inline void fill_some(unsigned to, unsigned left, const void *data)
    {
#pragma unroll 1
        for (int i = 0; i < tile::CHUNKS; i++) {
            unsigned first = ALONG ? l : l + i * tile::ROW_STEP;
            unsigned valid = first >= left || i >= rows ? 0 : ALONG ? min(2 * (left - first), 16u) : bytes;
            copy16(to + offset + i * tile::ROW_STEP * tile::ROW, valid ? at + i * step : data, valid);
        }
        go_on();
    }
};

// A lane's reads of a warp's operands: 64 vectors from v on, sixteen at a time.
template <bool ALONG, bool LEFT> struct reader {
    unsigned at[ALONG ? 1 : 4];

    __device__ inline explicit reader(unsigned v)
    {
        unsigned lane = threadIdx.x % 32;
        unsigned low = lane % 8, eight = lane / 8 % 2, sixteen = lane / 16;
        unsigned vector = LEFT ? eight : sixteen, deep = LEFT ? sixteen : eight;   // which half of each
        if (ALONG) {
            at[0] = layout<true>::place(v + vector * 8 + low, deep);
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++)
                at[i] = layout<false>::place(deep * 8 + low, v / 8 + i * 2 + vector);
        }
    }

    // Vectors 16 i to 16 i + 15, and sixteen of the sum: half 0 or 1 of the tile.
    __device__ inline void load(unsigned *r, unsigned tile, int i, int half) const
    {
        if (ALONG)
            load_matrices<false>(r, tile + (at[0] ^ half * 32) + i * 16 * layout<true>::ROW);
        else
            load_matrices<true>(r, tile + at[ALONG ? 0 : i] + half * 16 * layout<false>::ROW);
    }
};

static __device__ inline const void *matrix_of(const gemm_operand &o, unsigned z)
{
    return o.list ? o.list[z] : static_cast<const char *>(o.data) + 2 * (z * o.stride);
}

template <bool LEFT, bool RIGHT> struct operands {
    unsigned a[WARP / 16][4], b[WARP / 8][2];

    __device__ inline void load(const reader<LEFT, true> &left, const reader<RIGHT, false> &right, unsigned stage,
                                int half)
    {
#pragma unroll
        for (int i = 0; i < WARP / 16; i++)
            left.load(a[i], stage, i, half);
#pragma unroll
        for (int i = 0; i < WARP / 16; i++)
            right.load(b[2 * i], stage + TILE_BYTES, i, half);
    }

    // Calls between(i) after the products of sixteen rows.
    template <typename T, typename F>
    __device__ inline void multiply(float (&sum)[WARP / 16][WARP / 8][4], F between) const
    {
#pragma unroll
        for (int i = 0; i < WARP / 16; i++) {
#pragma unroll
            for (int j = 0; j < WARP / 8; j++)
                tensor<T>::multiply(sum[i][j], a[i], b[j]);
            between(i);
        }
    }
};

// A thread's part of both operands.
template <bool LEFT, bool RIGHT> struct source {
    const void *left_data, *right_data;
    feeder<LEFT> left;
    feeder<RIGHT> right;
    unsigned depth, filled;

    __device__ inline source(const gemm_arguments &g, const void *l, const void *r, unsigned p0, unsigned q0)
        : left_data(l), right_data(r), left(g.left, l, p0, g.rows), right(g.right, r, q0, g.columns), depth(g.depth),
          filled(0)
    {
    }

    // The next tiles, from any place in the matrices, or nothing beyond their end.
    __device__ inline void fill(unsigned to)
    {
        if (filled < depth) {
            left.fill_some(to, depth - filled, left_data);
            right.fill_some(to + TILE_BYTES, depth - filled, right_data);
        }
        filled += DEPTH;
    }
};

template <typename T, bool LEFT, bool RIGHT> struct product {
    enum { CHUNKS = TILE_BYTES / 16 / THREADS, EACH = CHUNKS / (WARP / 16) };
    operands<LEFT, RIGHT> held[2];
    float sum[WARP / 16][WARP / 8][4];
    unsigned now, next, base;

    __device__ inline unsigned stage(unsigned i) const { return base + i * 2 * TILE_BYTES; }

    // One tile of the ring. While its first half is multiplied, between(i) may copy to the stage `next`.
    template <typename F>
    __device__ inline void step(const reader<LEFT, true> &left, const reader<RIGHT, false> &right, bool more, F between)
    {
        held[1].load(left, right, stage(now), 1);
        held[0].template multiply<T>(sum, between);
        next = now;
        now = now + 1 == STAGES ? 0 : now + 1;
        commit();
        wait<STAGES - 2>();
        __syncthreads();
        if (more)
            held[0].load(left, right, stage(now), 0);
        held[1].template multiply<T>(sum, [](int) {});
    }

    __device__ inline void run(const gemm_arguments &g, unsigned z, unsigned p0, unsigned q0, unsigned p, unsigned q)
    {
        source<LEFT, RIGHT> from(g, matrix_of(g.left, z), matrix_of(g.right, z), p0, q0);
        reader<LEFT, true> left(p);
        reader<RIGHT, false> right(q);
#pragma unroll
        for (int i = 0; i < WARP / 16; i++)
#pragma unroll
            for (int j = 0; j < WARP / 8; j++)
#pragma unroll
                for (int k = 0; k < 4; k++)
                    sum[i][j][k] = 0.0f;
#pragma unroll 1
        for (unsigned i = 0; i + 1 < STAGES; i++) {
            from.fill(stage(i));
            commit();
        }
        wait<STAGES - 2>();
        __syncthreads();
        held[0].load(left, right, base, 0);
        now = 0;
        next = STAGES - 1;
        unsigned l = 0;
        if (p0 + TILE <= g.rows && q0 + TILE <= g.columns)
#pragma unroll 1
            for (; l + STAGES * DEPTH <= g.depth; l += DEPTH) {
                unsigned to = stage(next);
                step(left, right, l + DEPTH < g.depth, [&](int i) {
#pragma unroll
                    for (int j = 0; j < EACH; j++) {
                        from.left.fill_one(to, i * EACH + j);
                        from.right.fill_one(to + TILE_BYTES, i * EACH + j);
                    }
                    if (i == WARP / 16 - 1) {
                        from.left.go_on();
                        from.right.go_on();
                    }
                });
            }
        from.filled = l + (STAGES - 1) * DEPTH;
#pragma unroll 1
        for (; l < g.depth; l += DEPTH) {
            from.fill(stage(next));
            step(left, right, l + DEPTH < g.depth, [](int) {});
        }
        wait<0>();
        __syncthreads();
    }

    __device__ inline void store(const gemm_arguments &g, float *own, unsigned z, unsigned p, unsigned q) const
    {
        enum { PITCH = tile_finisher<WARP>::PITCH };
        tile_finisher<WARP> finish(g, z);
        finish.move_to(q);
        unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < WARP / 16; i++) {
#pragma unroll
            for (int j = 0; j < WARP / 8; j++)
#pragma unroll
                for (int half = 0; half < 2; half++)
                    *reinterpret_cast<float2 *>(own + (half * 8 + lane / 4) * PITCH + j * 8 + lane % 4 * 2) =
                        make_float2(sum[i][j][2 * half], sum[i][j][2 * half + 1]);
            __syncwarp();
            finish.template store<16>(own, p + i * 16);
            __syncwarp();
        }
    }
};

template <typename T, bool LEFT, bool RIGHT> static __device__ inline void run(const gemm_arguments &g)
{
    extern __shared__ __align__(128) unsigned char shared[];
    unsigned z = g.first + blockIdx.z, p0 = blockIdx.y * TILE, q0 = blockIdx.x * TILE;
    unsigned warp = threadIdx.x / 32, p = warp / 2 * WARP, q = warp % 2 * WARP;
    product<T, LEFT, RIGHT> block;
    block.base = shared_address(shared);
    block.run(g, z, p0, q0, p, q);
    block.store(g, reinterpret_cast<float *>(shared) + warp * 16 * tile_finisher<WARP>::PITCH, z, p0 + p, q0 + q);
}

// The name ends in the direction of the left and of the right operand: a for along the sum, x for across it.
#define KERNEL(name, type, left, right)                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS, 2)                                                           \
        subcore_gemm_##name(const __grid_constant__ gemm_arguments g)                                                  \
    {                                                                                                                  \
        run<type, left, right>(g);                                                                                     \
    }
#define DIRECTIONS(name, type)                                                                                         \
    KERNEL(name##_aa, type, true, true)                                                                                \
    KERNEL(name##_ax, type, true, false)                                                                               \
    KERNEL(name##_xa, type, false, true)                                                                               \
    KERNEL(name##_xx, type, false, false)

DIRECTIONS(f16_stream_128, __half)
DIRECTIONS(bf16_stream_128, __nv_bfloat16)
#endif
