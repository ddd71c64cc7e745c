// Matrices with a structure: products with vectors and matrices, triangular systems of one right side, and updates.
#include "block.cuh"
#include "structured.h"

namespace {

enum { THREADS = STRUCTURED_THREADS, ROWS = STRUCTURED_ROWS, WARPS = THREADS / 32, TILE = STRUCTURED_TILE, DEPTH = 16 };

template <typename T> __device__ inline T &element(void *x, long long step, long long i)
{
    return static_cast<T *>(x)[i * step];
}

template <typename T> __device__ inline T scalar(const void *at, const double (&value)[2], bool real)
{
    if (at == nullptr)
        return number<T>::of(value[0], value[1]);
    return real ? number<T>::of(*static_cast<const real_type<T> *>(at), 0) : *static_cast<const T *>(at);
}

// ---- elements -------------------------------------------------------------------------------------------------------

__device__ inline long long place(const structured_matrix &m, long long i, long long j)
{
    if (m.packed)
        return m.lower ? i + (2 * m.rows - j - 1) * j / 2 : i + j * (j + 1) / 2;
    return j * m.pitch + (m.banded ? m.above + i - j : i);
}

__device__ inline bool in_band(const structured_matrix &m, long long i, long long j)
{
    return !m.banded || (i - j <= m.below && j - i <= m.above);
}

__device__ inline bool in_triangle(const structured_matrix &m, long long i, long long j)
{
    return m.lower ? i >= j : i <= j;
}

// Reads element (i, j) of the matrix before its operation. Returns false if it is a structural zero, and not stored.
template <typename T> __device__ inline bool stored(const structured_matrix &m, long long i, long long j, T &x)
{
    const T *a = static_cast<const T *>(m.data);
    bool here = m.kind == STRUCTURED_GENERAL || in_triangle(m, i, j);
    if (!here && m.kind == STRUCTURED_TRIANGLE)
        return false;
    if (!in_band(m, here ? i : j, here ? j : i))
        return false;
    if (m.kind == STRUCTURED_TRIANGLE && m.unit && i == j) {
        x = number<T>::of(1, 0);
        return true;
    }
    x = here ? a[place(m, i, j)] : a[place(m, j, i)];
    if (m.kind == STRUCTURED_HERMITIAN && i == j)
        x = number<T>::of(real_of(x), 0);
    else if (m.kind == STRUCTURED_HERMITIAN && !here)
        x = conjugated(x);
    return true;
}

// The same after its operation.
template <typename T> __device__ inline bool value(const structured_matrix &m, long long i, long long j, T &x)
{
    if (m.operation == 0)
        return stored(m, i, j, x);
    bool there = stored(m, j, i, x);
    if (there && m.operation == 2)
        x = conjugated(x);
    return there;
}

// The columns of row i that may have elements, after the operation.
struct span {
    long long begin, end;
};
__device__ inline span span_of(const structured_matrix &m, long long i)
{
    long long columns = m.operation == 0 ? m.columns : m.rows;
    if (!m.banded)
        return {0, columns};
    bool both = m.kind == STRUCTURED_SYMMETRIC || m.kind == STRUCTURED_HERMITIAN;
    long long most = max(m.below, m.above), back = m.operation == 0 ? m.below : m.above;
    long long ahead = m.operation == 0 ? m.above : m.below;
    return {max(0ll, i - (both ? most : back)), min(columns, i + (both ? most : ahead) + 1)};
}

// ---- level 2 --------------------------------------------------------------------------------------------------------

// y = alpha op(A) x + beta y: a block has 32 rows, a lane each, and its warps take columns in turn.
template <typename T> __device__ inline void multiply(const structured_arguments &g)
{
    __shared__ T sums[WARPS][ROWS];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    long long i = blockIdx.x * (long long)ROWS + lane, rows = g.a.operation == 0 ? g.a.rows : g.a.columns;
    T alpha = scalar<T>(g.alpha_at, g.alpha, false), beta = scalar<T>(g.beta_at, g.beta, false);
    T sum = number<T>::of(0, 0), x;
    if (i < rows && !number<T>::is_zero(alpha)) {
        span s = span_of(g.a, i);
        for (long long j = s.begin + warp; j < s.end; j += WARPS)
            if (value(g.a, i, j, x))
                add_product(sum, x, element<T>(g.x, g.x_step, j));
    }
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp > 0 || i >= rows)
        return;
    for (unsigned other = 1; other < WARPS; other++)
        sum = sum + sums[other][lane];
    T &y = element<T>(g.y, g.y_step, i);
    y = number<T>::is_zero(beta) ? alpha * sum : alpha * sum + beta * y;
}

// Solves op(A) x = b in the place of b, row by row. A block has the whole matrix.
template <typename T> __device__ inline void solve(const structured_arguments &g)
{
    long long n = g.a.rows;
    bool forward = (g.a.lower != 0) == (g.a.operation == 0);
    for (long long step = 0; step < n; step++) {
        long long i = forward ? step : n - 1 - step;
        T a;
        if (threadIdx.x == 0 && !g.a.unit && value(g.a, i, i, a))
            element<T>(g.x, g.x_step, i) = element<T>(g.x, g.x_step, i) / a;
        __syncthreads();
        T x = element<T>(g.x, g.x_step, i);
        long long reach = g.a.banded ? max(g.a.below, g.a.above) : n;
        long long count = min(forward ? n - 1 - i : i, reach);
        for (long long k = 1 + threadIdx.x; k <= count; k += THREADS) {
            long long row = forward ? i + k : i - k;
            if (value(g.a, row, i, a))
                element<T>(g.x, g.x_step, row) = element<T>(g.x, g.x_step, row) - a * x;
        }
        __syncthreads();
    }
}

// A += alpha x x', or alpha x y' + alpha y x' (its conjugate there if A is Hermitian), in one triangle.
template <typename T> __device__ inline void update(const structured_arguments &g)
{
    long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
    bool hermitian = g.a.kind == STRUCTURED_HERMITIAN;
    T alpha = scalar<T>(g.alpha_at, g.alpha, g.real_alpha), other = hermitian ? conjugated(alpha) : alpha;
    if (i >= g.a.rows || number<T>::is_zero(alpha))
        return;
    for (long long j = blockIdx.y; j < g.a.rows; j += gridDim.y) {
        if (!in_triangle(g.a, i, j))
            continue;
        T &a = static_cast<T *>(g.a.data)[place(g.a, i, j)], sum = a;
        T y = g.both ? element<T>(g.y, g.y_step, j) : element<T>(g.x, g.x_step, j);
        add_product(sum, alpha * element<T>(g.x, g.x_step, i), hermitian ? conjugated(y) : y);
        if (g.both) {
            T x = element<T>(g.x, g.x_step, j);
            add_product(sum, other * element<T>(g.y, g.y_step, i), hermitian ? conjugated(x) : x);
        }
        a = hermitian && i == j ? number<T>::of(real_of(sum), 0) : sum;
    }
}

// ---- level 3 --------------------------------------------------------------------------------------------------------

// Adds A B to the sums of a tile of 32 x 32: a thread has two rows and two columns, 16 apart.
template <typename T>
__device__ inline void add_tile(const structured_matrix &a, const structured_matrix &b, const structured_product &g,
                                T (&sums)[2][2])
{
    __shared__ T left[DEPTH][TILE + 1], right[DEPTH][TILE + 1];
    long long row = blockIdx.x * (long long)TILE, column = blockIdx.y * (long long)TILE;
    unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;
    for (long long l = 0; l < g.depth; l += DEPTH) {
        for (unsigned e = threadIdx.x; e < DEPTH * TILE; e += THREADS) {
            long long v = e % TILE, k = e / TILE;
            T none = number<T>::of(0, 0), one = none, other = none;
            if (l + k >= g.depth || row + v >= g.rows || !value(a, row + v, l + k, one))
                one = none;
            if (l + k >= g.depth || column + v >= g.columns || !value(b, l + k, column + v, other))
                other = none;
            left[k][v] = one;
            right[k][v] = other;
        }
        __syncthreads();
        for (unsigned k = 0; k < DEPTH; k++)
            for (unsigned p = 0; p < 2; p++)
                for (unsigned q = 0; q < 2; q++)
                    add_product(sums[p][q], left[k][x + 16 * p], right[k][y + 16 * q]);
        __syncthreads();
    }
}

template <typename T> __device__ inline void product(const structured_product &g)
{
    T zero = number<T>::of(0, 0), sums[2][2] = {{zero, zero}, {zero, zero}}, more[2][2] = {{zero, zero}, {zero, zero}};
    T alpha = scalar<T>(g.alpha_at, g.alpha, g.real_alpha), beta = scalar<T>(g.beta_at, g.beta, g.real_beta);
    T other = g.hermitian ? conjugated(alpha) : alpha;
    if (!number<T>::is_zero(alpha)) {
        add_tile(g.a, g.b, g, sums);
        if (g.both)
            add_tile(g.a2, g.b2, g, more);
    }
    for (unsigned p = 0; p < 2; p++)
        for (unsigned q = 0; q < 2; q++) {
            long long i = blockIdx.x * (long long)TILE + threadIdx.x % 16 + 16 * p;
            long long j = blockIdx.y * (long long)TILE + threadIdx.x / 16 + 16 * q;
            bool inside = i < g.rows && j < g.columns;
            if (!inside || (g.triangle == 1 && i < j) || (g.triangle == 2 && i > j))
                continue;
            T &c = static_cast<T *>(g.c)[j * g.pitch + i], x = alpha * sums[p][q];
            if (g.both)
                x = x + other * more[p][q];
            if (!number<T>::is_zero(beta))
                x = x + beta * c;
            c = g.hermitian && i == j ? number<T>::of(real_of(x), 0) : x;
        }
}

} // namespace

#define KERNEL(name, arguments, ...)                                                                                   \
    extern "C" __global__ void __launch_bounds__(STRUCTURED_THREADS)                                                   \
        subcore_structured_##name(const __grid_constant__ arguments g)                                                 \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(mv_##name, structured_arguments, multiply<type>)                                                            \
    KERNEL(sv_##name, structured_arguments, solve<type>)                                                               \
    KERNEL(update_##name, structured_arguments, update<type>)                                                          \
    KERNEL(mm_##name, structured_product, product<type>)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(c32, c32)
OF_TYPE(c64, c64)
