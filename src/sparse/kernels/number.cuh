// Elements in memory and the numbers in which they are summed; indices of either width.
#ifndef SUBCORE_SPARSE_KERNELS_NUMBER_CUH
#define SUBCORE_SPARSE_KERNELS_NUMBER_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "arguments.h"
#include "block_sum.cuh"

template <typename R> struct alignas(2 * sizeof(R)) complex_of {
    R re, im;
};
typedef complex_of<float> c32;
typedef complex_of<double> c64;

// The number in which elements are summed.
template <typename T> struct sum_of {
    typedef T type;
};
template <> struct sum_of<__half> {
    typedef float type;
};
template <> struct sum_of<__nv_bfloat16> {
    typedef float type;
};
template <typename T> using sum_type = typename sum_of<T>::type;

__device__ inline float widened(__half x) { return __half2float(x); }
__device__ inline float widened(__nv_bfloat16 x) { return __bfloat162float(x); }
template <typename T> __device__ inline T widened(T x) { return x; }
__device__ inline void store(__half *at, float x) { *at = __float2half_rn(x); }
__device__ inline void store(__nv_bfloat16 *at, float x) { *at = __float2bfloat16_rn(x); }
template <typename T> __device__ inline void store(T *at, T x) { *at = x; }

template <typename R> __device__ inline complex_of<R> operator+(complex_of<R> a, complex_of<R> b)
{
    return {a.re + b.re, a.im + b.im};
}
template <typename R> __device__ inline complex_of<R> operator-(complex_of<R> a, complex_of<R> b)
{
    return {a.re - b.re, a.im - b.im};
}
template <typename R> __device__ inline complex_of<R> operator*(complex_of<R> a, complex_of<R> b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename R> __device__ inline complex_of<R> operator/(complex_of<R> a, complex_of<R> b)
{
    R size = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}

template <typename S> __device__ inline S conjugated(S x, bool) { return x; }
template <typename R> __device__ inline complex_of<R> conjugated(complex_of<R> x, bool yes)
{
    return {x.re, yes ? -x.im : x.im};
}

template <typename S> struct number {
    static __device__ inline S of(double re, double) { return S(re); }
    static __device__ inline bool is_zero(S x) { return x == S(0); }
};
template <typename R> struct number<complex_of<R>> {
    static __device__ inline complex_of<R> of(double re, double im) { return {R(re), R(im)}; }
    static __device__ inline bool is_zero(complex_of<R> x) { return x.re == R(0) && x.im == R(0); }
};

template <typename S> __device__ inline S alpha_of(const sparse_arguments &g)
{
    return g.alpha_at != nullptr ? *static_cast<const S *>(g.alpha_at) : number<S>::of(g.alpha[0], g.alpha[1]);
}
template <typename S> __device__ inline S beta_of(const sparse_arguments &g)
{
    return g.beta_at != nullptr ? *static_cast<const S *>(g.beta_at) : number<S>::of(g.beta[0], g.beta[1]);
}

// alpha sum + beta y. Where beta is zero, y is not read.
template <typename T> __device__ inline void finish(T *y, sum_type<T> sum, sum_type<T> alpha, sum_type<T> beta)
{
    sum_type<T> result = alpha * sum;
    store(y, number<sum_type<T>>::is_zero(beta) ? result : result + beta * widened(*y));
}

template <typename R> __device__ inline complex_of<R> of_lane(complex_of<R> x, unsigned mask)
{
    return {of_lane(x.re, mask), of_lane(x.im, mask)};
}

// ---- matrices -------------------------------------------------------------------------------------------------------

__device__ inline long long index_of(const void *indices, bool wide, long long i)
{
    return wide ? static_cast<const long long *>(indices)[i] : static_cast<const int *>(indices)[i];
}
__device__ inline void set_index(void *indices, bool wide, long long i, long long x)
{
    if (wide)
        static_cast<long long *>(indices)[i] = x;
    else
        static_cast<int *>(indices)[i] = int(x);
}

// One matrix of a batch.
template <typename T> struct matrix {
    const sparse_operand &m;
    long long batch;

    __device__ inline long long row(long long i) const
    {
        return index_of(m.rows, m.wide_rows, batch * m.rows_batch + i) - m.base;
    }
    __device__ inline unsigned column(long long i) const
    {
        return unsigned(index_of(m.columns, m.wide_columns, batch * m.values_batch + i) - m.base);
    }
    __device__ inline T *at(long long i) const { return static_cast<T *>(m.values) + batch * m.values_batch + i; }
    __device__ inline sum_type<T> value(long long i) const { return widened(*at(i)); }

    // The first element whose row is not below r, among coordinates.
    __device__ inline long long search(long long r) const
    {
        long long low = 0, high = m.count;
        while (low < high) {
            long long middle = (low + high) / 2;
            if (row(middle) < r)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    __device__ inline long long begin(unsigned r) const { return m.coordinates ? search(r) : row(r); }
    __device__ inline long long end(unsigned r) const { return m.coordinates ? search(r + 1ll) : row(r + 1ll); }

    // The row of an element.
    __device__ inline unsigned row_of(long long i) const
    {
        if (m.coordinates)
            return unsigned(row(i));
        unsigned low = 0, high = m.height;
        while (low + 1 < high) {
            unsigned middle = low + (high - low) / 2;
            if (row(middle) <= i)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
};

template <typename T> __device__ inline T *at(const dense_operand &d, long long batch, long long i, long long j)
{
    return static_cast<T *>(d.data) + batch * d.batch + i * d.row + j * d.column;
}

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(SPARSE_THREADS)                                                       \
        subcore_sparse_##name(const __grid_constant__ sparse_arguments g)                                              \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_ALL_TYPES                                                                                                   \
    OF_TYPE(f16, __half)                                                                                               \
    OF_TYPE(bf16, __nv_bfloat16)                                                                                       \
    OF_WIDE_TYPES
#define OF_WIDE_TYPES                                                                                                  \
    OF_TYPE(f32, float)                                                                                                \
    OF_TYPE(f64, double)                                                                                               \
    OF_TYPE(c32, c32)                                                                                                  \
    OF_TYPE(c64, c64)

#endif
