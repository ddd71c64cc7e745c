// Sums of scaled matrices with transposes and conversions, products with a diagonal matrix, and packed triangles.
#include "number.cuh"
#include "transform.h"

namespace
{

enum { TILE = TRANSFORM_TILE, THREADS = TRANSFORM_THREADS, LINES = THREADS / TILE };

// ---- C = alpha A + beta B -------------------------------------------------------------------------------------------

// Reads an element as the type of the sum. Only FP32 and integers have several types in memory.
template <typename Sum> __device__ inline Sum read_as(const void *p, unsigned, long long i)
{
    return static_cast<const Sum *>(p)[i];
}
template <> __device__ inline float read_as<float>(const void *p, unsigned type, long long i)
{
    switch (type) {
    case GEMM_S8: return float(static_cast<const signed char *>(p)[i]);
    case GEMM_S32: return float(static_cast<const int *>(p)[i]);
    default: return memory<float>::read(p, type, i);
    }
}
template <> __device__ inline int read_as<int>(const void *p, unsigned type, long long i)
{
    return type == GEMM_S8 ? static_cast<const signed char *>(p)[i] : static_cast<const int *>(p)[i];
}

// Writes an element. Integers are rounded to the nearest even one and saturate.
template <typename Sum> __device__ inline void write_as(void *p, unsigned, long long i, Sum x)
{
    static_cast<Sum *>(p)[i] = x;
}
template <> __device__ inline void write_as<float>(void *p, unsigned type, long long i, float x)
{
    if (type == GEMM_S32)
        static_cast<int *>(p)[i] = __float2int_rn(x);
    else
        memory<float>::write(p, type, i, x);
}
template <> __device__ inline void write_as<int>(void *p, unsigned type, long long i, int x)
{
    if (type == GEMM_S8)
        static_cast<signed char *>(p)[i] = (signed char)max(-128, min(127, x));
    else
        static_cast<int *>(p)[i] = x;
}

__device__ inline __half product(__half a, __half b) { return __hmul(a, b); }
template <typename T> __device__ inline T product(T a, T b) { return a * b; }

template <typename T> __device__ inline T scalar(const void *at, const double (&value)[2])
{
    return at != nullptr ? *static_cast<const T *>(at) : number<T>::of(value[0], value[1]);
}

// A tile's column is padded by one element, so that rows and columns use all banks of the shared memory.
template <typename Sum> struct tile {
    Sum at[TILE][TILE + 1];
};

// Returns the number of an element in memory.
__device__ inline long long place(const transform_matrix &m, long long i, long long j)
{
    long long within = i % TILE;
    switch (m.order) {
    case TRANSFORM_ROWS: return i * m.pitch + j;
    case TRANSFORM_COLUMNS_32: return j / TILE * m.pitch + i * TILE + j % TILE;
    case TRANSFORM_TILES_32:
        within = ((within % 8 / 2 * 4 + within / 8) * 2 + within % 2) * TILE + j % TILE;
        return j / TILE * m.pitch + i / TILE * TILE * TILE + within;
    default: return j * m.pitch + i;
    }
}

// Returns true if op(M) has the elements of a row beside each other in memory, else those of a column.
__device__ inline bool along_rows(const transform_matrix &m)
{
    return (m.order != TRANSFORM_COLUMNS) != (m.turned != 0);
}

// An element of a tile, as the threads reach it: lanes follow the order in memory.
struct spot {
    unsigned row, column;
    __device__ inline spot(const transform_matrix &m, unsigned line)
    {
        unsigned lane = threadIdx.x % TILE;
        row = along_rows(m) ? line : lane;
        column = along_rows(m) ? lane : line;
    }
};

// Copies the tile of op(M) that begins at (i, j).
template <typename Sum>
__device__ inline void fill(tile<Sum> &t, const transform_matrix &m, const transform_arguments &g, long long batch,
                            long long i, long long j)
{
    for (unsigned line = threadIdx.x / TILE; line < TILE; line += LINES) {
        spot s(m, line);
        long long row = i + s.row, column = j + s.column;
        if (row >= g.rows || column >= g.columns)
            continue;
        long long at = m.turned ? place(m, column, row) : place(m, row, column);
        Sum x = read_as<Sum>(m.data, m.type, batch * m.stride + at);
        t.at[s.column][s.row] = m.conjugate ? conjugated(x) : x;
    }
}

template <typename Sum> struct terms {
    tile<Sum> first, second;
    bool reads_a, reads_b;
};

template <typename Sum>
__device__ inline void store(const terms<Sum> &t, const transform_arguments &g, Sum alpha, Sum beta, long long batch,
                             long long i, long long j)
{
    for (unsigned line = threadIdx.x / TILE; line < TILE; line += LINES) {
        spot s(g.c, line);
        if (i + s.row >= g.rows || j + s.column >= g.columns)
            continue;
        Sum sum = t.reads_a ? product(alpha, t.first.at[s.column][s.row]) : number<Sum>::of(0, 0);
        if (t.reads_b)
            add_product(sum, beta, t.second.at[s.column][s.row]);
        write_as<Sum>(g.c.data, g.c.type, batch * g.c.stride + place(g.c, i + s.row, j + s.column), sum);
    }
}

template <typename Sum> __device__ inline void transform(const transform_arguments &g)
{
    __shared__ terms<Sum> t;
    const Sum alpha = scalar<Sum>(g.alpha_at, g.alpha), beta = scalar<Sum>(g.beta_at, g.beta);
    const long long i = (long long)blockIdx.x * TILE;
    t.reads_a = g.a.data != nullptr && !number<Sum>::is_zero(alpha);
    t.reads_b = g.b.data != nullptr && !number<Sum>::is_zero(beta);
    __syncthreads();
    for (long long z = blockIdx.z; z < g.batch; z += gridDim.z)
        for (long long j = (long long)blockIdx.y * TILE; j < g.columns; j += (long long)gridDim.y * TILE) {
            if (t.reads_a)
                fill(t.first, g.a, g, z, i, j);
            if (t.reads_b)
                fill(t.second, g.b, g, z, i, j);
            __syncthreads();
            store(t, g, alpha, beta, z, i, j);
            __syncthreads();
        }
}

// ---- products with a diagonal matrix --------------------------------------------------------------------------------

template <typename T> __device__ inline void diagonal(const diagonal_arguments &g)
{
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (i >= g.rows)
        return;
    for (long long j = blockIdx.y; j < g.columns; j += gridDim.y) {
        T factor = static_cast<const T *>(g.x)[(g.right ? j : i) * g.step];
        static_cast<T *>(g.c)[j * g.c_pitch + i] = static_cast<const T *>(g.a)[j * g.a_pitch + i] * factor;
    }
}

// ---- packed triangles -----------------------------------------------------------------------------------------------

template <typename T> __device__ inline void packed(const packed_arguments &g)
{
    const long long i = (long long)blockIdx.x * THREADS + threadIdx.x;
    if (i >= g.size)
        return;
    for (long long j = blockIdx.y; j < g.size; j += gridDim.y) {
        if (g.upper ? i > j : i < j)
            continue;
        long long at = g.upper ? j * (j + 1) / 2 + i : j * (2 * g.size - j - 1) / 2 + i;
        T &one = static_cast<T *>(g.packed)[at], &other = static_cast<T *>(g.matrix)[j * g.pitch + i];
        if (g.unpack)
            other = one;
        else
            one = other;
    }
}

}   // namespace

#define KERNEL(name, arguments, ...)                                                                                   \
    extern "C" __global__ void __launch_bounds__(THREADS) subcore_##name(const __grid_constant__ arguments g)          \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(transform_##name, transform_arguments, transform<type>)                                                     \
    KERNEL(diagonal_##name, diagonal_arguments, diagonal<type>)                                                        \
    KERNEL(packed_##name, packed_arguments, packed<type>)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(c32, c32)
OF_TYPE(c64, c64)
KERNEL(transform_f16, transform_arguments, transform<__half>)
KERNEL(transform_s32, transform_arguments, transform<int>)
