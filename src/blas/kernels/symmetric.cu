// P A P' = L D L' of a symmetric matrix, where D has blocks of one or two rows (Bunch and Kaufman), and systems that
// are solved with it. A block has the matrix, or a thread one right side.
#include "block.cuh"
#include "symmetric.h"

namespace
{

enum { THREADS = SYMMETRIC_THREADS };

__device__ inline float size_of(float x) { return fabsf(x); }
__device__ inline double size_of(double x) { return fabs(x); }
template <typename T> __device__ inline T size_of(complex_of<T> x) { return size_of(x.re) + size_of(x.im); }

template <typename T> struct lower {
    T *a;
    long long pitch;
    // An element of the symmetric matrix.
    __device__ inline T &operator()(unsigned i, unsigned j) const { return a[min(i, j) * pitch + max(i, j)]; }
};

// The largest of a column of the symmetric matrix, from row `first` on but for one row, and its row.
template <typename T>
__device__ inline unsigned largest(const lower<T> &a, unsigned n, unsigned column, unsigned first, real_type<T> &size)
{
    typedef real_type<T> R;
    __shared__ R sizes[THREADS];
    __shared__ unsigned rows[THREADS];
    R best = 0;
    unsigned row = n;
    for (unsigned i = first + threadIdx.x; i < n; i += THREADS)
        if (i != column && (size_of(a(i, column)) > best || row == n)) {
            best = size_of(a(i, column));
            row = i;
        }
    sizes[threadIdx.x] = best;
    rows[threadIdx.x] = row;
    __syncthreads();
    for (unsigned i = 0; i < THREADS; i++)
        if (sizes[i] > best || (sizes[i] == best && rows[i] < row)) {
            best = sizes[i];
            row = rows[i];
        }
    __syncthreads();
    size = best;
    return row;
}

// The row that is exchanged, and whether two rows are eliminated at once.
struct choice {
    unsigned row;
    bool two;
};

template <typename T> __device__ inline choice choose(const lower<T> &a, unsigned n, unsigned k, bool &singular)
{
    typedef real_type<T> R;
    R alpha = R(0.6403882032022076), below = 0, across = 0, here = size_of(a(k, k));   // (1 + sqrt 17) / 8
    unsigned row = largest(a, n, k, k + 1, below);
    singular = !(fmax(here, below) > 0);
    if (singular || here >= alpha * below)
        return {k, false};
    largest(a, n, row, k, across);
    if (here >= alpha * below * (below / across))
        return {k, false};
    return {row, size_of(a(row, row)) < alpha * across};
}

template <typename T> __device__ inline void exchange(T &one, T &other)
{
    T kept = one;
    one = other;
    other = kept;
}

// Exchanges rows and columns `one` and `other` behind column k, where one < other.
template <typename T> __device__ inline void exchange(const lower<T> &a, unsigned n, unsigned one, unsigned other)
{
    for (unsigned i = one + 1 + threadIdx.x; i < n; i += THREADS)
        if (i != other)
            exchange(a(i, one), a(i, other));
    if (threadIdx.x == 0)
        exchange(a(one, one), a(other, other));
}

template <typename T> __device__ inline void eliminate_one(const lower<T> &a, unsigned n, unsigned k)
{
    T pivot = a(k, k);
    for (unsigned j = k + 1; j < n; j++)
        for (unsigned i = j + threadIdx.x; i < n; i += THREADS)
            a(i, j) = a(i, j) - a(i, k) * (a(j, k) / pivot);
    __syncthreads();
    for (unsigned i = k + 1 + threadIdx.x; i < n; i += THREADS)
        a(i, k) = a(i, k) / pivot;
}

// The rows of L that two columns become.
template <typename T> struct two {
    T scale, first, second;
    __device__ inline two(const lower<T> &a, unsigned k)
    {
        T across = a(k + 1, k);
        first = a(k + 1, k + 1) / across;
        second = a(k, k) / across;
        scale = number<T>::of(1, 0) / (first * second - number<T>::of(1, 0)) / across;
    }
    __device__ inline T left(T x, T y) const { return scale * (first * x - y); }
    __device__ inline T right(T x, T y) const { return scale * (second * y - x); }
};

template <typename T> __device__ inline void eliminate_two(const lower<T> &a, unsigned n, unsigned k)
{
    two<T> d(a, k);
    for (unsigned j = k + 2; j < n; j++) {
        T left = d.left(a(j, k), a(j, k + 1)), right = d.right(a(j, k), a(j, k + 1));
        for (unsigned i = j + threadIdx.x; i < n; i += THREADS)
            a(i, j) = a(i, j) - a(i, k) * left - a(i, k + 1) * right;
    }
    __syncthreads();
    for (unsigned i = k + 2 + threadIdx.x; i < n; i += THREADS) {
        T x = a(i, k), y = a(i, k + 1);
        a(i, k) = d.left(x, y);
        a(i, k + 1) = d.right(x, y);
    }
}

template <typename T> __device__ inline void factor(const symmetric_arguments &g)
{
    lower<T> a = {static_cast<T *>(g.a), g.lda};
    int info = 0;
    for (unsigned k = 0; k < g.n;) {
        bool singular;
        choice c = choose(a, g.n, k, singular);
        info = info == 0 && singular ? int(k + 1) : info;
        unsigned last = k + c.two;
        if (c.row != last) {
            exchange(a, g.n, last, c.row);
            if (c.two && threadIdx.x == 0)
                exchange(a(last, k), a(c.row, k));
        }
        __syncthreads();
        if (c.two)
            eliminate_two(a, g.n, k);
        else if (!singular)
            eliminate_one(a, g.n, k);
        if (threadIdx.x == 0 && g.pivots != nullptr) {
            g.pivots[k] = c.two ? -int(c.row + 1) : int(c.row + 1);
            g.pivots[last] = g.pivots[k];
        }
        __syncthreads();
        k = last + 1;
    }
    if (threadIdx.x == 0)
        *g.info = info;
}

// ---- systems --------------------------------------------------------------------------------------------------------

// The row that was exchanged with row k, or k.
__device__ inline unsigned exchanged(const symmetric_arguments &g, unsigned k)
{
    long long pivot = g.wide_pivots[k];
    return unsigned((pivot < 0 ? -pivot : pivot) - 1);
}

template <typename T> __device__ inline void forward(const symmetric_arguments &g, const lower<T> &a, T *b)
{
    for (unsigned k = 0; k < g.n;) {
        bool both = g.wide_pivots[k] < 0;
        unsigned last = k + both;
        exchange(b[last], b[exchanged(g, last)]);
        for (unsigned i = last + 1; i < g.n; i++)
            b[i] = both ? b[i] - a(i, k) * b[k] - a(i, last) * b[last] : b[i] - a(i, k) * b[k];
        if (both) {
            two<T> d(a, k);
            T x = b[k], y = b[last];
            b[k] = d.left(x, y);
            b[last] = d.right(x, y);
        } else {
            b[k] = b[k] / a(k, k);
        }
        k = last + 1;
    }
}

template <typename T> __device__ inline void backward(const symmetric_arguments &g, const lower<T> &a, T *b)
{
    for (unsigned k = g.n; k > 0;) {
        unsigned last = k - 1, first = g.wide_pivots[last] < 0 ? last - 1 : last;
        for (unsigned column = first; column <= last; column++)
            for (unsigned i = last + 1; i < g.n; i++)
                b[column] = b[column] - a(i, column) * b[i];
        exchange(b[last], b[exchanged(g, last)]);
        k = first;
    }
}

template <typename T> __device__ inline void solve(const symmetric_arguments &g)
{
    lower<T> a = {static_cast<T *>(g.a), g.lda};
    for (unsigned j = blockIdx.x * THREADS + threadIdx.x; j < g.sides; j += gridDim.x * THREADS) {
        T *b = static_cast<T *>(g.b) + j * g.ldb;
        forward(g, a, b);
        backward(g, a, b);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0 && g.info != nullptr)
        *g.info = 0;
}

}   // namespace

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(SYMMETRIC_THREADS)                                                    \
        subcore_##name(const __grid_constant__ symmetric_arguments g)                                                  \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(sytrf_##name, factor<type>)                                                                                 \
    KERNEL(sytrs_##name, solve<type>)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(c32, c32)
OF_TYPE(c64, c64)
