// Orthogonal factors of matrices by Householder's reflectors. A block has one matrix.
#include "block.cuh"
#include "orthogonal.h"

namespace {

enum { THREADS = ORTHOGONAL_THREADS, WARPS = THREADS / 32 };

template <typename T> __device__ inline T *matrix(const orthogonal_matrix &m)
{
    return static_cast<T *>(m.list != nullptr ? m.list[blockIdx.x] : m.data);
}

// Turns the vector x into (beta, v[1], v[2], ...) so that the adjoint of H maps x to beta times the first unit vector.
// Returns tau.
template <typename T> __device__ __noinline__ T reflector(T *x, unsigned n)
{
    typedef real_type<T> R;
    T first = x[0];
    R largest = 0;
    for (unsigned i = 1 + threadIdx.x; i < n; i += THREADS)
        largest = fmax(largest, extent_of(x[i]));
    largest = block_largest<THREADS>(largest);
    if (largest == 0 && imaginary_of(first) == 0)
        return number<T>::of(0, 0);
    R scale = fmax(largest, extent_of(first)), sum = 0;
    for (unsigned i = threadIdx.x; i < n; i += THREADS)
        sum += square_of(scaled(x[i], 1 / scale));
    R size = scale * sqrt(block_sum<THREADS>(sum));
    R beta = real_of(first) >= 0 ? -size : size;
    T factor = number<T>::of(1, 0) / (first - number<T>::of(beta, 0));
    for (unsigned i = 1 + threadIdx.x; i < n; i += THREADS)
        x[i] = x[i] * factor;
    if (threadIdx.x == 0)
        x[0] = number<T>::of(beta, 0);
    return number<T>::of((beta - real_of(first)) / beta, -imaginary_of(first) / beta);
}

template <typename T> __device__ inline T element(const T *v, unsigned i)
{
    return i == 0 ? number<T>::of(1, 0) : v[i];
}

// C = (1 - tau v v') C. A warp has one column.
template <typename T>
__device__ __noinline__ void from_left(T tau, const T *v, T *c, long long pitch, unsigned rows, unsigned columns)
{
    unsigned lane = threadIdx.x % 32;
    for (unsigned j = threadIdx.x / 32; j < columns; j += WARPS) {
        T *column = c + j * pitch, sum = number<T>::of(0, 0);
        for (unsigned i = lane; i < rows; i += 32)
            add_product(sum, conjugated(element(v, i)), column[i]);
        sum = tau * warp_sum(sum);
        for (unsigned i = lane; i < rows; i += 32)
            column[i] = column[i] - element(v, i) * sum;
    }
}

// C = C (1 - tau v v'). A thread has one row.
template <typename T>
__device__ inline void from_right(T tau, const T *v, T *c, long long pitch, unsigned rows, unsigned columns)
{
    for (unsigned i = threadIdx.x; i < rows; i += THREADS) {
        T sum = number<T>::of(0, 0);
        for (unsigned j = 0; j < columns; j++)
            add_product(sum, c[j * pitch + i], element(v, j));
        sum = tau * sum;
        for (unsigned j = 0; j < columns; j++)
            c[j * pitch + i] = c[j * pitch + i] - sum * conjugated(element(v, j));
    }
}

// A = Q R in the place of A: R in the upper triangle, reflectors below.
template <typename T> __device__ inline void factor(const orthogonal_arguments &g)
{
    T *a = matrix<T>(g.a), *tau = matrix<T>(g.tau);
    for (unsigned k = 0; k < g.reflectors; k++) {
        T *v = a + k * g.a.pitch + k, size = reflector(v, g.rows - k);
        if (threadIdx.x == 0)
            tau[k] = size;
        __syncthreads();
        from_left(conjugated(size), v, v + g.a.pitch, g.a.pitch, g.rows - k, g.columns - k - 1);
        __syncthreads();
    }
    if (threadIdx.x == 0 && g.info != nullptr)
        g.info[blockIdx.x] = 0;
}

// The first columns of Q, in the place of the reflectors.
template <typename T> __device__ inline void generate(const orthogonal_arguments &g)
{
    T *a = matrix<T>(g.a);
    const T *tau = matrix<T>(g.tau);
    for (unsigned j = g.reflectors; j < g.columns; j++)
        for (unsigned i = threadIdx.x; i < g.rows; i += THREADS)
            a[j * g.a.pitch + i] = number<T>::of(i == j ? 1 : 0, 0);
    __syncthreads();
    for (unsigned k = g.reflectors; k-- > 0;) {
        T *v = a + k * g.a.pitch + k, size = tau[k], less = number<T>::of(0, 0) - size;
        from_left(size, v, v + g.a.pitch, g.a.pitch, g.rows - k, g.columns - k - 1);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < g.rows; i += THREADS) {
            T &x = a[k * g.a.pitch + i];
            x = i < k ? number<T>::of(0, 0) : i == k ? number<T>::of(1, 0) + less : x * less;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0 && g.info != nullptr)
        g.info[blockIdx.x] = 0;
}

// C = op(Q) C, or C op(Q).
template <typename T> __device__ inline void multiply(const orthogonal_arguments &g)
{
    const T *a = matrix<T>(g.a), *tau = matrix<T>(g.tau);
    T *c = matrix<T>(g.c);
    bool forward = (g.right != 0) != (g.conjugate != 0);
    for (unsigned step = 0; step < g.reflectors; step++) {
        unsigned k = forward ? step : g.reflectors - 1 - step;
        T size = g.conjugate ? conjugated(tau[k]) : tau[k];
        const T *v = a + k * g.a.pitch + k;
        if (g.right)
            from_right(size, v, c + k * g.c.pitch, g.c.pitch, g.rows, g.columns - k);
        else
            from_left(size, v, c + k, g.c.pitch, g.rows - k, g.columns);
        __syncthreads();
    }
    if (threadIdx.x == 0 && g.info != nullptr)
        g.info[blockIdx.x] = 0;
}

// Solves R x = b for the right-hand sides in C, and reports a zero on the diagonal. A thread has one right-hand side.
template <typename T> __device__ inline void backward(const orthogonal_arguments &g, unsigned sides)
{
    const T *a = matrix<T>(g.a);
    T *c = matrix<T>(g.c);
    unsigned n = g.reflectors;
    int info = 0;
    for (unsigned k = n; k > 0; k--)
        info = number<T>::is_zero(a[(k - 1) * g.a.pitch + k - 1]) ? int(k) : info;
    if (threadIdx.x == 0 && g.info != nullptr)
        g.info[blockIdx.x] = info;
    for (unsigned j = threadIdx.x; j < sides && info == 0; j += THREADS)
        for (unsigned k = n; k-- > 0;) {
            T *x = c + j * g.c.pitch, known = x[k] / a[k * g.a.pitch + k];
            x[k] = known;
            for (unsigned i = 0; i < k; i++)
                x[i] = x[i] - a[k * g.a.pitch + i] * known;
        }
}

// Finds X with the least A X - C, in the first rows of C. A has as many rows as columns, or more.
template <typename T> __device__ inline void least_squares(const orthogonal_arguments &g)
{
    T *a = matrix<T>(g.a), *c = matrix<T>(g.c);
    for (unsigned k = 0; k < g.reflectors; k++) {
        T *v = a + k * g.a.pitch + k, size = conjugated(reflector(v, g.rows - k));
        __syncthreads();
        from_left(size, v, v + g.a.pitch, g.a.pitch, g.rows - k, g.reflectors - k - 1);
        from_left(size, v, c + k, g.c.pitch, g.rows - k, g.columns);
        __syncthreads();
    }
    backward<T>(g, g.columns);
}

} // namespace

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(ORTHOGONAL_THREADS)                                                   \
        subcore_##name(const __grid_constant__ orthogonal_arguments g)                                                 \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(geqrf_##name, factor<type>)                                                                                 \
    KERNEL(orgqr_##name, generate<type>)                                                                               \
    KERNEL(ormqr_##name, multiply<type>)                                                                               \
    KERNEL(gels_##name, least_squares<type>)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(c32, c32)
OF_TYPE(c64, c64)
