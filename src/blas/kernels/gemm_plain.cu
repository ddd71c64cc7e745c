// Matrix products on the ordinary pipes. A block of 256 threads makes a tile of BP x BQ results, each thread TP x TQ of
// them. Tiles of both operands, DEPTH deep, lie in shared memory with l as the slow index. The next pair is read into
// registers while this one is multiplied.
#include "finish.cuh"

enum { DEPTH = 8, THREADS = 256 };

template <typename In, typename Sum, int V> struct tile_reader {
    enum { EACH = V * DEPTH / THREADS, PITCH = V + 4 };
    Sum held[EACH];

    static __device__ inline void place(bool along, int i, unsigned &v, unsigned &l)
    {
        unsigned at = threadIdx.x + i * THREADS;
        v = along ? at / DEPTH : at % V;
        l = along ? at % DEPTH : at / V;
    }

    __device__ inline void read(const gemm_operand &o, const In *data, unsigned v0, unsigned l0, unsigned limit_v,
                                unsigned limit_l)
    {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            unsigned v, l;
            place(o.along, i, v, l);
            v += v0;
            l += l0;
            bool inside = v < limit_v && l < limit_l;
            long long at = o.along ? (long long)v * o.pitch + l : (long long)l * o.pitch + v;
            held[i] = inside ? widened<Sum>(data[at]) : number<Sum>::of(0, 0);
            if (o.conjugate)
                held[i] = conjugated(held[i]);
        }
    }

    __device__ inline void write(const gemm_operand &o, Sum *tile) const
    {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            unsigned v, l;
            place(o.along, i, v, l);
            tile[l * PITCH + v] = held[i];
        }
    }
};

// A thread's results are groups of four neighbours, V / (T / 4) apart.
template <int V, int T> __device__ inline unsigned own(unsigned thread, int i)
{
    return i / 4 * (V / (T / 4)) + thread * 4 + i % 4;
}

template <typename Sum, int V, int T> __device__ inline void fetch(Sum (&x)[T], const Sum *row, unsigned thread)
{
    struct alignas(4 * sizeof(Sum) < 16 ? 4 * sizeof(Sum) : 16) four {
        Sum of[4];
    };
#pragma unroll
    for (int i = 0; i < T; i += 4) {
        four group = *reinterpret_cast<const four *>(row + own<V, T>(thread, i));
#pragma unroll
        for (int j = 0; j < 4; j++)
            x[i + j] = group.of[j];
    }
}

template <typename In> __device__ inline const In *matrix_of(const gemm_operand &o, unsigned z)
{
    return static_cast<const In *>(o.list ? o.list[z] : o.data) + (o.list ? 0 : z * o.stride);
}

template <typename Left, typename Right, typename Sum, int BP, int BQ, int TP, int TQ>
__device__ inline void product(const gemm_arguments &g)
{
    __shared__ __align__(16) Sum lefts[DEPTH * tile_reader<Left, Sum, BP>::PITCH];
    __shared__ __align__(16) Sum rights[DEPTH * tile_reader<Right, Sum, BQ>::PITCH];
    enum { ROWS = BP / TP, PITCH = BQ + 4 };
    __shared__ __align__(16) Sum results[ROWS * PITCH];
    unsigned z = g.first + blockIdx.z, p0 = blockIdx.y * BP, q0 = blockIdx.x * BQ;
    unsigned across = BQ / TQ, tp = threadIdx.x / across, tq = threadIdx.x % across;
    const Left *left = matrix_of<Left>(g.left, z);
    const Right *right = matrix_of<Right>(g.right, z);
    tile_reader<Left, Sum, BP> left_reader;
    tile_reader<Right, Sum, BQ> right_reader;
    Sum sum[TP][TQ];
#pragma unroll
    for (int i = 0; i < TP; i++)
#pragma unroll
        for (int j = 0; j < TQ; j++)
            sum[i][j] = number<Sum>::of(0, 0);
    left_reader.read(g.left, left, p0, 0, g.rows, g.depth);
    right_reader.read(g.right, right, q0, 0, g.columns, g.depth);
    for (unsigned l0 = 0; l0 < g.depth; l0 += DEPTH) {
        left_reader.write(g.left, lefts);
        right_reader.write(g.right, rights);
        __syncthreads();
        if (l0 + DEPTH < g.depth) {
            left_reader.read(g.left, left, p0, l0 + DEPTH, g.rows, g.depth);
            right_reader.read(g.right, right, q0, l0 + DEPTH, g.columns, g.depth);
        }
#pragma unroll
        for (int l = 0; l < DEPTH; l++) {
            Sum a[TP], b[TQ];
            fetch<Sum, BP, TP>(a, lefts + l * tile_reader<Left, Sum, BP>::PITCH, tp);
            fetch<Sum, BQ, TQ>(b, rights + l * tile_reader<Right, Sum, BQ>::PITCH, tq);
#pragma unroll
            for (int i = 0; i < TP; i++)
#pragma unroll
                for (int j = 0; j < TQ; j++)
                    add_product(sum[i][j], a[i], b[j]);
        }
        __syncthreads();
    }
    finisher<Sum> finish(g, z);
#pragma unroll
    for (int i = 0; i < TP; i++) {
        // One row from each thread, through shared memory: the code that finishes results is there once a row.
#pragma unroll
        for (int j = 0; j < TQ; j++)
            results[tp * PITCH + own<BQ, TQ>(tq, j)] = sum[i][j];
        __syncthreads();
#pragma unroll 1
        for (unsigned at = threadIdx.x; at < ROWS * BQ / 2; at += THREADS) {
            unsigned row = at / (BQ / 2), column = at % (BQ / 2) * 2;
            finish.store_two(results + row * PITCH + column, p0 + own<BP, TP>(row, i), q0 + column);
        }
        __syncthreads();
    }
}

#define KERNEL(name, left, right, sum, bp, bq, tp, tq)                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                              \
    subcore_gemm_##name(const __grid_constant__ gemm_arguments g)                                                      \
    {                                                                                                                  \
        product<left, right, sum, bp, bq, tp, tq>(g);                                                                  \
    }

KERNEL(f32_128, float, float, float, 128, 128, 8, 8)
KERNEL(f32_64, float, float, float, 64, 64, 4, 4)
KERNEL(f64_64, double, double, double, 64, 64, 4, 4)
KERNEL(c32_64, c32, c32, c32, 64, 64, 4, 4)
KERNEL(c64_64, c64, c64, c64, 64, 64, 4, 4)
KERNEL(s8_64, signed char, signed char, int, 64, 64, 4, 4)
KERNEL(s8f32_64, signed char, signed char, float, 64, 64, 4, 4)
KERNEL(h16_64, __half, __half, __half, 64, 64, 4, 4)
KERNEL(bf16_64, __nv_bfloat16, __nv_bfloat16, float, 64, 64, 4, 4)
KERNEL(e4m3_e4m3_64, __nv_fp8_e4m3, __nv_fp8_e4m3, float, 64, 64, 4, 4)
KERNEL(e4m3_e5m2_64, __nv_fp8_e4m3, __nv_fp8_e5m2, float, 64, 64, 4, 4)
KERNEL(e5m2_e4m3_64, __nv_fp8_e5m2, __nv_fp8_e4m3, float, 64, 64, 4, 4)
