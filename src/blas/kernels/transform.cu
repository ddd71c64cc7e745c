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

// Copies the tile that begins at (i, j). Lanes follow the order in memory.
template <typename Sum>
__device__ inline void fill(tile<Sum> &t, const transform_matrix &m, const transform_arguments &g, long long batch,
                            long long i, long long j)
{
    const unsigned lane = threadIdx.x % TILE;
    for (unsigned line = threadIdx.x / TILE; line < TILE; line += LINES) {
        unsigned row = m.across ? line : lane, column = m.across ? lane : line;
        if (i + row >= g.rows || j + column >= g.columns)
            continue;
        long long at = m.across ? (i + row) * m.pitch + j + column : (j + column) * m.pitch + i + row;
        Sum x = read_as<Sum>(m.data, m.type, batch * m.stride + at);
        t.at[column][row] = m.conjugate ? conjugated(x) : x;
    }
}

template <typename Sum> __device__ inline void transform(const transform_arguments &g)
{
    __shared__ tile<Sum> first, second;
    const Sum alpha = scalar<Sum>(g.alpha_at, g.alpha), beta = scalar<Sum>(g.beta_at, g.beta);
    const bool reads_a = g.a.data != nullptr && !number<Sum>::is_zero(alpha);
    const bool reads_b = g.b.data != nullptr && !number<Sum>::is_zero(beta);
    const unsigned lane = threadIdx.x % TILE;
    const long long i = (long long)blockIdx.x * TILE;
    for (long long z = blockIdx.z; z < g.batch; z += gridDim.z)
        for (long long j = (long long)blockIdx.y * TILE; j < g.columns; j += (long long)gridDim.y * TILE) {
            if (reads_a)
                fill(first, g.a, g, z, i, j);
            if (reads_b)
                fill(second, g.b, g, z, i, j);
            __syncthreads();
            for (unsigned line = threadIdx.x / TILE; line < TILE && j + line < g.columns; line += LINES) {
                if (i + lane >= g.rows)
                    break;
                Sum sum = reads_a ? product(alpha, first.at[line][lane]) : number<Sum>::of(0, 0);
                if (reads_b)
                    add_product(sum, beta, second.at[line][lane]);
                write_as<Sum>(g.c.data, g.c.type, z * g.c.stride + (j + line) * g.c.pitch + i + lane, sum);
            }
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
