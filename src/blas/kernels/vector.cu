// Level 1: threads take elements in steps as large as the grid. Blocks join sums and searches in a fixed order, so that
// each run has the same result.
#include "number.cuh"
#include "vector.h"

enum { THREADS = 256 };

template <typename T> __device__ inline T &element(const vector_of &v, long long i)
{
    return static_cast<T *>(v.data)[i * v.step];
}

template <typename T> __device__ inline T scalar(const void *at, const double (&value)[2])
{
    return at ? *static_cast<const T *>(at) : number<T>::of(value[0], value[1]);
}

#define EACH(i)                                                                                                        \
    for (long long i = blockIdx.x * (long long)THREADS + threadIdx.x; i < g.count; i += gridDim.x * (long long)THREADS)

template <typename T> __device__ inline void axpy(const vector_arguments &g)
{
    T alpha = scalar<T>(g.alpha_at, g.alpha);
    if (number<T>::is_zero(alpha))
        return;   // x is not read
    EACH(i)
    {
        T y = element<T>(g.y, i);
        add_product(y, alpha, element<T>(g.x, i));
        element<T>(g.y, i) = y;
    }
}

template <typename T> __device__ inline void scal(const vector_arguments &g)
{
    T alpha = scalar<T>(g.alpha_at, g.alpha);
    EACH(i) element<T>(g.x, i) = alpha * element<T>(g.x, i);
}

// A complex vector times a real number: both parts are elements here.
template <typename T> __device__ inline void scal_real(const vector_arguments &g)
{
    T alpha = scalar<T>(g.alpha_at, g.alpha);
    EACH(i)
    {
        complex_of<T> &x = element<complex_of<T>>(g.x, i);
        x = {alpha * x.re, alpha * x.im};
    }
}

// Narrow numbers, with scalars and products in FP32.
template <typename In> __device__ inline void narrow_axpy(const vector_arguments &g)
{
    float alpha = scalar<float>(g.alpha_at, g.alpha);
    if (alpha == 0)
        return;   // x is not read
    EACH(i)
    {
        In &y = element<In>(g.y, i);
        y = In(fmaf(alpha, widened<float>(element<In>(g.x, i)), widened<float>(y)));
    }
}

template <typename In> __device__ inline void narrow_scal(const vector_arguments &g)
{
    float alpha = scalar<float>(g.alpha_at, g.alpha);
    EACH(i) element<In>(g.x, i) = In(alpha * widened<float>(element<In>(g.x, i)));
}

template <typename T> __device__ inline void copy(const vector_arguments &g)
{
    EACH(i) element<T>(g.y, i) = element<T>(g.x, i);
}

template <typename T> __device__ inline void swap(const vector_arguments &g)
{
    EACH(i)
    {
        T x = element<T>(g.x, i);
        element<T>(g.x, i) = element<T>(g.y, i);
        element<T>(g.y, i) = x;
    }
}

// ---- reductions: each is a state that elements and other states are added to ----------------------------------------

template <typename T> struct real_of {
    typedef T type;
};
template <typename T> struct real_of<complex_of<T>> {
    typedef T type;
};

template <typename T> __device__ inline T size_of(T x) { return fabs(x); }
template <typename T> __device__ inline T size_of(complex_of<T> x) { return fabs(x.re) + fabs(x.im); }

template <typename T> struct dot {
    T sum;
    __device__ inline void begin() { sum = number<T>::of(0, 0); }
    __device__ inline void add(const vector_arguments &g, long long i)
    {
        T x = element<T>(g.x, i);
        add_product(sum, g.conjugate ? conjugated(x) : x, element<T>(g.y, i));
    }
    __device__ inline void join(const dot &other) { sum = sum + other.sum; }
    __device__ inline void end(const vector_arguments &g) const { *static_cast<T *>(g.result) = sum; }
};

// Narrow numbers, which are added in FP32.
template <typename In> struct narrow_dot {
    float sum;
    __device__ inline void begin() { sum = 0; }
    __device__ inline void add(const vector_arguments &g, long long i)
    {
        add_product(sum, widened<float>(element<In>(g.x, i)), widened<float>(element<In>(g.y, i)));
    }
    __device__ inline void join(const narrow_dot &other) { sum += other.sum; }
    __device__ inline void end(const vector_arguments &g) const
    {
        memory<float>::write(g.result, g.result_type, 0, sum);
    }
};

template <typename T> struct asum {
    typedef typename real_of<T>::type real;
    real sum;
    __device__ inline void begin() { sum = 0; }
    __device__ inline void add(const vector_arguments &g, long long i) { sum += size_of(element<T>(g.x, i)); }
    __device__ inline void join(const asum &other) { sum += other.sum; }
    __device__ inline void end(const vector_arguments &g) const { *static_cast<real *>(g.result) = sum; }
};

// Squares of numbers whose square would be too large or too small are added after scaling, apart from the others
// (Blue, A Portable Fortran Program to Find the Euclidean Norm of a Vector, TOMS 1978).
template <typename T> struct ranges;
template <> struct ranges<float> {
    static constexpr float large = 0x1p52f, small = 0x1p-63f, shrink = 0x1p-76f, grow = 0x1p75f;
};
template <> struct ranges<double> {
    static constexpr double large = 0x1p486, small = 0x1p-511, shrink = 0x1p-538, grow = 0x1p537;
};

template <typename T> struct nrm2 {
    typedef typename real_of<T>::type real;
    typedef ranges<real> range;
    real large, middle, small;
    __device__ inline void begin() { large = middle = small = 0; }
    __device__ inline void add_one(real x)
    {
        x = fabs(x);
        if (x > range::large)
            large += (x * range::shrink) * (x * range::shrink);
        else if (x < range::small)
            small += (x * range::grow) * (x * range::grow);
        else
            middle += x * x;
    }
    __device__ inline void add_parts(real x) { add_one(x); }
    __device__ inline void add_parts(complex_of<real> x)
    {
        add_one(x.re);
        add_one(x.im);
    }
    __device__ inline void add(const vector_arguments &g, long long i) { add_parts(element<T>(g.x, i)); }
    __device__ inline void join(const nrm2 &other)
    {
        large += other.large;
        middle += other.middle;
        small += other.small;
    }
    __device__ inline real value() const
    {
        if (large > 0)
            return sqrt(large + middle * range::shrink * range::shrink) / range::shrink;
        if (!(small > 0))
            return sqrt(middle);
        real less = sqrt(small) / range::grow, more = sqrt(middle);
        if (more < less) {
            real kept = more;
            more = less;
            less = kept;
        }
        return more * sqrt(1 + less / more * (less / more));
    }
    __device__ inline void end(const vector_arguments &g) const { *static_cast<real *>(g.result) = value(); }
};

template <typename In> struct narrow_nrm2 : nrm2<float> {
    __device__ inline void add(const vector_arguments &g, long long i) { add_one(widened<float>(element<In>(g.x, i))); }
    __device__ inline void end(const vector_arguments &g) const
    {
        memory<float>::write(g.result, g.result_type, 0, value());
    }
};

// The first of the largest or smallest elements, counted from one. A NaN loses against every number.
template <typename T, bool LARGEST> struct search {
    typedef typename real_of<T>::type real;
    real best;
    long long at;
    __device__ inline void begin()
    {
        best = 0;
        at = -1;
    }
    __device__ inline void take(real x, long long i)
    {
        bool better = LARGEST ? x > best : x < best, none = best != best;
        if (at < 0 || better || (none && x == x) || ((x == best || (none && x != x)) && i < at)) {
            best = x;
            at = i;
        }
    }
    __device__ inline void add(const vector_arguments &g, long long i) { take(size_of(element<T>(g.x, i)), i); }
    __device__ inline void join(const search &other)
    {
        if (other.at >= 0)
            take(other.best, other.at);
    }
    __device__ inline void end(const vector_arguments &g) const { *static_cast<long long *>(g.result) = at + 1; }
};

template <typename State> __device__ inline void finish(const vector_arguments &g, State own, unsigned part)
{
    static_assert(sizeof(State) <= VECTOR_PARTIAL, "a partial has room");
    __shared__ State states[THREADS];
    states[threadIdx.x] = own;
    __syncthreads();
    for (unsigned step = THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            states[threadIdx.x].join(states[threadIdx.x + step]);
        __syncthreads();
    }
    if (threadIdx.x > 0)
        return;
    if (g.parts == 1)
        states[0].end(g);
    else
        static_cast<State *>(g.partials)[part] = states[0];
}

template <typename State> __device__ inline void reduce(const vector_arguments &g)
{
    State own;
    own.begin();
    EACH(i) own.add(g, i);
    finish(g, own, blockIdx.x);
}

// Joins the parts of `count` blocks, in one block.
template <typename State> __device__ inline void join(const vector_arguments &g)
{
    State own;
    own.begin();
    if (threadIdx.x < g.count)
        own.join(static_cast<const State *>(g.partials)[threadIdx.x]);
    finish(g, own, 0);
}

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS) subcore_##name(const __grid_constant__ vector_arguments g)   \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define REDUCTION(name, ...)                                                                                           \
    KERNEL(name, reduce<__VA_ARGS__>)                                                                                  \
    KERNEL(name##_join, join<__VA_ARGS__>)
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(axpy_##name, axpy<type>)                                                                                    \
    KERNEL(scal_##name, scal<type>)                                                                                    \
    KERNEL(copy_##name, copy<type>)                                                                                    \
    KERNEL(swap_##name, swap<type>)                                                                                    \
    REDUCTION(dot_##name, dot<type>)                                                                                   \
    REDUCTION(asum_##name, asum<type>)                                                                                 \
    REDUCTION(nrm2_##name, nrm2<type>)                                                                                 \
    REDUCTION(amax_##name, search<type, true>)                                                                         \
    REDUCTION(amin_##name, search<type, false>)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(c32, c32)
OF_TYPE(c64, c64)
KERNEL(scal_real_c32, scal_real<float>)
KERNEL(scal_real_c64, scal_real<double>)
#define OF_NARROW_TYPE(name, type)                                                                                     \
    KERNEL(axpy_##name, narrow_axpy<type>)                                                                             \
    KERNEL(scal_##name, narrow_scal<type>)                                                                             \
    REDUCTION(dot_##name, narrow_dot<type>)                                                                            \
    REDUCTION(nrm2_##name, narrow_nrm2<type>)

OF_NARROW_TYPE(f16, __half)
OF_NARROW_TYPE(bf16, __nv_bfloat16)

// ---- level 2 --------------------------------------------------------------------------------------------------------

template <typename T> __device__ inline void store(const vector_arguments &g, long long i, T sum)
{
    T alpha = scalar<T>(g.alpha_at, g.alpha), beta = scalar<T>(g.beta_at, g.beta), &y = element<T>(g.y, i);
    T scaled = alpha * sum;
    y = number<T>::is_zero(beta) ? scaled : scaled + beta * y;
}

template <typename T> __device__ inline bool multiplies(const vector_arguments &g)
{
    return !number<T>::is_zero(scalar<T>(g.alpha_at, g.alpha));   // else neither the matrix nor x is read
}

// y = alpha A x + beta y: a block has 32 rows, a lane each, and its warps take columns in turn.
template <typename T> __device__ inline void gemv_rows(const vector_arguments &g)
{
    __shared__ T sums[THREADS / 32][32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    long long i = blockIdx.x * 32ll + lane;
    T sum = number<T>::of(0, 0);
    if (i < g.rows && multiplies<T>(g))
        for (long long j = warp; j < g.columns; j += THREADS / 32)
            add_product(sum, static_cast<const T *>(g.matrix)[j * g.pitch + i], element<T>(g.x, j));
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp > 0 || i >= g.rows)
        return;
    for (int other = 1; other < THREADS / 32; other++)
        sum = sum + sums[other][lane];
    store(g, i, sum);
}

// y = alpha A' x + beta y: a warp has a column, and its lanes take rows in turn.
template <typename T> __device__ inline void gemv_columns(const vector_arguments &g)
{
    __shared__ T sums[THREADS / 32][32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    long long j = blockIdx.x * (long long)(THREADS / 32) + warp;
    T sum = number<T>::of(0, 0);
    if (j < g.columns && multiplies<T>(g))
        for (long long i = lane; i < g.rows; i += 32) {
            T a = static_cast<const T *>(g.matrix)[j * g.pitch + i];
            add_product(sum, g.conjugate ? conjugated(a) : a, element<T>(g.x, i));
        }
    sums[warp][lane] = sum;
    for (unsigned step = 16; step > 0; step /= 2) {
        __syncwarp();
        if (lane < step)
            sums[warp][lane] = sums[warp][lane] + sums[warp][lane + step];
    }
    if (lane == 0 && j < g.columns)
        store(g, j, sums[warp][0]);
}

// A = A + alpha x y': a thread has a row, and blocks take columns in turn.
template <typename T> __device__ inline void ger(const vector_arguments &g)
{
    long long i = blockIdx.x * (long long)THREADS + threadIdx.x;
    if (i >= g.rows)
        return;
    T x = scalar<T>(g.alpha_at, g.alpha) * element<T>(g.x, i);
    for (long long j = blockIdx.y; j < g.columns; j += gridDim.y) {
        T y = element<T>(g.y, j), &a = static_cast<T *>(g.matrix)[j * g.pitch + i], sum = a;
        add_product(sum, x, g.conjugate ? conjugated(y) : y);
        a = sum;
    }
}

#define OF_MATRIX(name, type)                                                                                          \
    KERNEL(gemv_rows_##name, gemv_rows<type>)                                                                          \
    KERNEL(gemv_columns_##name, gemv_columns<type>)                                                                    \
    KERNEL(ger_##name, ger<type>)

OF_MATRIX(f32, float)
OF_MATRIX(f64, double)
OF_MATRIX(c32, c32)
OF_MATRIX(c64, c64)
