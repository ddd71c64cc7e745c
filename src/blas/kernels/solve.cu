// Triangular systems, and factors of small matrices. A block has one matrix, or one right-hand side of it.
#include "number.cuh"
#include "solve.h"

namespace {

template <typename T> __device__ inline T *matrix(const solve_matrix &m, unsigned batch)
{
    return static_cast<T *>(m.list != nullptr ? m.list[batch] : m.data);
}

template <typename T> __device__ inline T scalar(const solve_arguments &g)
{
    return g.alpha_at != nullptr ? *static_cast<const T *>(g.alpha_at) : number<T>::of(g.alpha[0], g.alpha[1]);
}

__device__ inline float size_of(float x) { return fabsf(x); }
__device__ inline double size_of(double x) { return fabs(x); }
template <typename T> __device__ inline T size_of(complex_of<T> x) { return size_of(x.re) + size_of(x.im); }

// Element k in a unit of the block's right-hand sides.
template <typename T> struct line {
    T *at;
    long long step;
    __device__ inline T &operator[](unsigned k) const { return at[k * step]; }
};

// Solves op(A) x = alpha b for one column b of B; or, from the right, x op(A) = alpha b for one row. The latter is
// op(A)' x' = alpha b'. Every element of x is known before the next one is reached.
template <typename T> __device__ inline void solve(const solve_arguments &g)
{
    unsigned n = g.right ? g.columns : g.rows, lines = g.right ? g.rows : g.columns;
    const T *a = matrix<T>(g.a, blockIdx.y);
    T *b = matrix<T>(g.b, blockIdx.y);
    bool across = g.transposed != g.right;    // the system's element (i, k) is A's (k, i)
    bool downward = (g.lower != 0) != across; // the system is a lower triangle: its first unknown comes first
    for (unsigned l = blockIdx.x; l < lines; l += gridDim.x) {
        line<T> x = g.right ? line<T>{b + l, g.b.pitch} : line<T>{b + l * g.b.pitch, 1};
        T alpha = scalar<T>(g);
        bool nothing = number<T>::is_zero(alpha); // then neither A nor B is read
        for (unsigned k = threadIdx.x; k < n; k += SOLVE_THREADS)
            x[k] = nothing ? alpha : alpha * x[k];
        if (nothing)
            continue;
        for (unsigned step = 0; step < n; step++) {
            unsigned k = downward ? step : n - 1 - step;
            T pivot = a[k * g.a.pitch + k];
            __syncthreads();
            if (threadIdx.x == 0 && !g.unit)
                x[k] = x[k] / (g.conjugate ? conjugated(pivot) : pivot);
            __syncthreads();
            T known = x[k];
            for (unsigned i = threadIdx.x; i < n - 1 - step; i += SOLVE_THREADS) {
                unsigned row = downward ? k + 1 + i : i;
                T element = across ? a[row * g.a.pitch + k] : a[k * g.a.pitch + row];
                element = g.conjugate ? conjugated(element) : element;
                x[row] = x[row] - element * known;
            }
        }
        __syncthreads();
    }
}

// The row of the largest element at and below the diagonal of column k; the first of equals.
template <typename T> __device__ inline unsigned largest(const T *column, unsigned k, unsigned n)
{
    __shared__ unsigned rows[SOLVE_THREADS];
    unsigned best = k;
    for (unsigned i = k + threadIdx.x; i < n; i += SOLVE_THREADS)
        if (size_of(column[i]) > size_of(column[best]))
            best = i;
    rows[threadIdx.x] = best;
    __syncthreads();
    for (unsigned step = SOLVE_THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            unsigned one = rows[threadIdx.x], other = rows[threadIdx.x + step];
            bool larger = size_of(column[other]) > size_of(column[one]);
            bool same = !(size_of(column[other]) < size_of(column[one])) && other < one;
            rows[threadIdx.x] = larger || same ? other : one;
        }
        __syncthreads();
    }
    unsigned row = rows[0];
    __syncthreads();
    return row;
}

// P A = L U, in the place of A. Without room for pivots rows stay where they are.
template <typename T> __device__ inline void factor(const solve_arguments &g)
{
    unsigned steps = min(g.rows, g.columns);
    T *a = matrix<T>(g.a, blockIdx.x);
    int info = 0;
    for (unsigned k = 0; k < steps; k++) {
        T *column = a + k * g.a.pitch;
        unsigned row = g.pivots != nullptr ? largest(column, k, g.rows) : k;
        if (g.pivots != nullptr && threadIdx.x == 0)
            g.pivots[(size_t)blockIdx.x * steps + k] = int(row + 1);
        if (row != k)
            for (unsigned j = threadIdx.x; j < g.columns; j += SOLVE_THREADS) {
                T kept = a[j * g.a.pitch + k];
                a[j * g.a.pitch + k] = a[j * g.a.pitch + row];
                a[j * g.a.pitch + row] = kept;
            }
        __syncthreads();
        T pivot = column[k];
        bool singular = number<T>::is_zero(pivot);
        info = info == 0 && singular ? int(k + 1) : info;
        for (unsigned i = k + 1 + threadIdx.x; i < g.rows && !singular; i += SOLVE_THREADS)
            column[i] = column[i] / pivot;
        __syncthreads();
        unsigned rows = g.rows - 1 - k, rest = rows * (g.columns - 1 - k);
        for (unsigned i = threadIdx.x; i < rest; i += SOLVE_THREADS) {
            unsigned r = k + 1 + i % rows, c = k + 1 + i / rows;
            a[c * g.a.pitch + r] = a[c * g.a.pitch + r] - column[r] * a[c * g.a.pitch + k];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        g.info[blockIdx.x] = info;
}

__device__ inline float real_of(float x) { return x; }
__device__ inline double real_of(double x) { return x; }
template <typename T> __device__ inline T real_of(complex_of<T> x) { return x.re; }

__device__ inline float root(float x) { return sqrtf(x); }
__device__ inline double root(double x) { return sqrt(x); }

// A = L L' or U' U of a Hermitian matrix, in the place of the half that is given. A matrix that is not positive
// definite is left at the step that shows it.
template <typename T> __device__ inline void cholesky(const solve_arguments &g)
{
    unsigned n = g.rows;
    T *a = matrix<T>(g.a, blockIdx.x);
    long long along = g.lower ? 1 : g.a.pitch, across = g.lower ? g.a.pitch : 1; // element (i, k) of L, or (k, i) of U
    int info = 0;
    for (unsigned k = 0; k < n && info == 0; k++) {
        auto pivot = real_of(a[k * g.a.pitch + k]);
        __syncthreads();
        if (!(pivot > 0)) {
            info = int(k + 1);
            continue;
        }
        T size = number<T>::of(root(pivot), 0);
        if (threadIdx.x == 0)
            a[k * g.a.pitch + k] = size;
        for (unsigned i = k + 1 + threadIdx.x; i < n; i += SOLVE_THREADS)
            a[i * along + k * across] = a[i * along + k * across] / size;
        __syncthreads();
        unsigned rest = n - 1 - k;
        for (unsigned i = threadIdx.x; i < rest * rest; i += SOLVE_THREADS) {
            unsigned r = k + 1 + i % rest, c = k + 1 + i / rest;
            T one = a[r * along + k * across], other = a[c * along + k * across];
            if (r >= c)
                a[r * along + c * across] = a[r * along + c * across] - one * conjugated(other);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        g.info[blockIdx.x] = info;
}

// Exchanges rows of B as a factored matrix's pivots say: before solving, or afterwards in the other order.
template <typename T> __device__ inline void exchange(const solve_arguments &g)
{
    unsigned n = g.rows;
    T *b = matrix<T>(g.b, blockIdx.x);
    for (unsigned j = threadIdx.x; j < g.columns; j += SOLVE_THREADS)
        for (unsigned step = 0; step < n; step++) {
            unsigned k = g.transposed ? n - 1 - step : step;
            unsigned row = unsigned(g.pivots[(size_t)blockIdx.x * n + k] - 1);
            T kept = b[j * g.b.pitch + k];
            b[j * g.b.pitch + k] = b[j * g.b.pitch + row];
            b[j * g.b.pitch + row] = kept;
        }
}

// B = the identity, of which solving makes the inverse of A. A zero on the diagonal of A is noted.
template <typename T> __device__ inline void identity(const solve_arguments &g)
{
    const T *a = matrix<T>(g.a, blockIdx.x);
    T *b = matrix<T>(g.b, blockIdx.x);
    int info = 0;
    for (unsigned k = g.rows; k > 0 && threadIdx.x == 0; k--)
        info = number<T>::is_zero(a[(k - 1) * g.a.pitch + k - 1]) ? int(k) : info;
    if (threadIdx.x == 0)
        g.info[blockIdx.x] = info;
    for (unsigned i = threadIdx.x; i < g.rows * g.rows; i += SOLVE_THREADS)
        b[i / g.rows * g.b.pitch + i % g.rows] = number<T>::of(i / g.rows == i % g.rows ? 1 : 0, 0);
}

} // namespace

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(SOLVE_THREADS)                                                        \
        subcore_##name(const __grid_constant__ solve_arguments g)                                                      \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(trsm_##name, solve<type>)                                                                                   \
    KERNEL(getrf_##name, factor<type>)                                                                                 \
    KERNEL(potrf_##name, cholesky<type>)                                                                               \
    KERNEL(laswp_##name, exchange<type>)                                                                               \
    KERNEL(identity_##name, identity<type>)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(c32, c32)
OF_TYPE(c64, c64)
