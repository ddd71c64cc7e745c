// A sparse matrix times dense ones, products of dense matrices where a sparse one has elements, and triangular systems.
#include "number.cuh"

namespace {

// Y = alpha A X + beta Y. A thread has one element of Y.
template <typename T> __device__ inline void product(const sparse_arguments &g)
{
    typedef sum_type<T> S;
    S alpha = alpha_of<S>(g), beta = beta_of<S>(g);
    matrix<T> a = {g.a, blockIdx.y};
    unsigned long long count = (unsigned long long)g.rows * g.columns;
    for (unsigned long long e = blockIdx.x * (unsigned long long)SPARSE_THREADS + threadIdx.x; e < count;
         e += gridDim.x * (unsigned long long)SPARSE_THREADS) {
        unsigned row = unsigned(e / g.columns), column = unsigned(e % g.columns);
        S sum = number<S>::of(0, 0);
        for (long long i = a.begin(row), end = a.end(row); i < end; i++)
            sum = sum + a.value(i) * widened(*at<T>(g.x, blockIdx.y, a.column(i), column));
        finish(at<T>(g.y, blockIdx.y, row, column), sum, alpha, beta);
    }
}

// The same for one column. A warp has one element.
template <typename T> __device__ inline void vector(const sparse_arguments &g)
{
    typedef sum_type<T> S;
    S alpha = alpha_of<S>(g), beta = beta_of<S>(g);
    matrix<T> a = {g.a, blockIdx.y};
    for (unsigned row = blockIdx.x * (SPARSE_THREADS / 32) + threadIdx.x / 32; row < g.rows;
         row += gridDim.x * (SPARSE_THREADS / 32)) {
        S sum = number<S>::of(0, 0);
        for (long long i = a.begin(row) + threadIdx.x % 32, end = a.end(row); i < end; i += 32)
            sum = sum + a.value(i) * widened(*at<T>(g.x, blockIdx.y, a.column(i), 0));
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0)
            finish(at<T>(g.y, blockIdx.y, row, 0), sum, alpha, beta);
    }
}

// Y = beta Y.
template <typename T> __device__ inline void scale(const sparse_arguments &g)
{
    typedef sum_type<T> S;
    S beta = beta_of<S>(g), zero = number<S>::of(0, 0);
    unsigned long long count = (unsigned long long)g.rows * g.columns;
    for (unsigned long long e = blockIdx.x * (unsigned long long)SPARSE_THREADS + threadIdx.x; e < count;
         e += gridDim.x * (unsigned long long)SPARSE_THREADS)
        finish(at<T>(g.y, blockIdx.y, e / g.columns, e % g.columns), zero, zero, beta);
}

__device__ inline void add(float *at, float x) { atomicAdd(at, x); }
__device__ inline void add(double *at, double x) { atomicAdd(at, x); }
template <typename R> __device__ inline void add(complex_of<R> *at, complex_of<R> x)
{
    atomicAdd(&at->re, x.re);
    atomicAdd(&at->im, x.im);
}

// Y = Y + alpha A' X, where A' is A's transpose or its adjoint. A warp has one row of A.
template <typename T> __device__ inline void scatter(const sparse_arguments &g)
{
    T alpha = alpha_of<T>(g);
    matrix<T> a = {g.a, blockIdx.y};
    for (unsigned row = blockIdx.x * (SPARSE_THREADS / 32) + threadIdx.x / 32; row < g.a.height;
         row += gridDim.x * (SPARSE_THREADS / 32)) {
        long long first = a.begin(row), parts = (a.end(row) - first) * g.columns;
        for (long long p = threadIdx.x % 32; p < parts; p += 32) {
            long long i = first + p / g.columns, column = p % g.columns;
            T x = *at<T>(g.x, blockIdx.y, row, column);
            add(at<T>(g.y, blockIdx.y, a.column(i), column), alpha * conjugated(a.value(i), g.conjugate) * x);
        }
    }
}

// C = alpha (X Y) + beta C where C has elements. A thread has one.
template <typename T> __device__ inline void sampled(const sparse_arguments &g)
{
    typedef sum_type<T> S;
    S alpha = alpha_of<S>(g), beta = beta_of<S>(g);
    matrix<T> c = {g.c, blockIdx.y};
    for (long long i = blockIdx.x * (long long)SPARSE_THREADS + threadIdx.x; i < g.c.count;
         i += gridDim.x * (long long)SPARSE_THREADS) {
        unsigned row = c.row_of(i), column = c.column(i);
        S sum = number<S>::of(0, 0);
        for (unsigned k = 0; k < g.inner; k++)
            sum = sum + widened(*at<T>(g.x, blockIdx.y, row, k)) * widened(*at<T>(g.y, blockIdx.y, k, column));
        finish(c.at(i), sum, alpha, beta);
    }
}

// Whether an element counts: those of the other triangle do not.
__device__ inline bool inside(const sparse_arguments &g, unsigned row, unsigned column)
{
    return g.lower ? column < row : column > row;
}

// The diagonal element, and the sum of a row's other elements times what is known of y.
template <typename T> __device__ inline void solve_row(const sparse_arguments &g, unsigned row, unsigned column)
{
    matrix<T> a = {g.a, 0};
    T sum = number<T>::of(0, 0), diagonal = sum;
    for (long long i = a.begin(row) + threadIdx.x, end = a.end(row); i < end; i += SPARSE_THREADS) {
        unsigned k = a.column(i);
        if (inside(g, row, k) && !g.transposed)
            sum = sum + a.value(i) * *at<T>(g.y, 0, k, column);
        else if (k == row)
            diagonal = diagonal + conjugated(a.value(i), g.conjugate);
    }
    sum = block_sum<SPARSE_THREADS>(sum);
    diagonal = block_sum<SPARSE_THREADS>(diagonal);
    T *y = at<T>(g.y, 0, row, column), known = *y - sum;
    known = g.unit ? known : known / diagonal;
    __syncthreads();
    if (threadIdx.x == 0)
        *y = known;
    for (long long i = a.begin(row) + threadIdx.x, end = a.end(row); i < end && g.transposed; i += SPARSE_THREADS)
        if (inside(g, row, a.column(i))) {
            T *other = at<T>(g.y, 0, a.column(i), column);
            *other = *other - conjugated(a.value(i), g.conjugate) * known;
        }
    __syncthreads();
}

// Solves op(A) Y = alpha X for a triangle of A. A block has one column of Y.
template <typename T> __device__ inline void triangular(const sparse_arguments &g)
{
    T alpha = alpha_of<T>(g);
    bool downward = (g.lower != 0) != (g.transposed != 0);
    for (unsigned column = blockIdx.x; column < g.columns; column += gridDim.x) {
        for (unsigned row = threadIdx.x; row < g.rows; row += SPARSE_THREADS)
            *at<T>(g.y, 0, row, column) = alpha * *at<T>(g.x, 0, row, column);
        __syncthreads();
        for (unsigned step = 0; step < g.rows; step++)
            solve_row<T>(g, downward ? step : g.rows - 1 - step, column);
    }
}

} // namespace

#define OF_TYPE(name, type)                                                                                            \
    KERNEL(product_##name, product<type>)                                                                              \
    KERNEL(vector_##name, vector<type>)                                                                                \
    KERNEL(scale_##name, scale<type>)                                                                                  \
    KERNEL(sampled_##name, sampled<type>)
OF_ALL_TYPES
#undef OF_TYPE
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(scatter_##name, scatter<type>)                                                                              \
    KERNEL(triangular_##name, triangular<type>)
OF_WIDE_TYPES
