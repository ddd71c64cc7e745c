// Inverses of small matrices by Gauss-Jordan elimination with row exchanges. A warp has a matrix, and a lane a column.
#include "inverse.h"
#include "number.cuh"

namespace
{

enum { SIZE = INVERSE_SIZE };

__device__ inline float size_of(float x) { return fabsf(x); }
__device__ inline double size_of(double x) { return fabs(x); }
template <typename T> __device__ inline T size_of(complex_of<T> x) { return size_of(x.re) + size_of(x.im); }

template <typename T> struct square {
    T at[SIZE][SIZE + 1];
};

// The row of the largest element at and below the diagonal of column k. Of equal elements the first one counts.
template <typename T> __device__ inline unsigned largest(const square<T> &a, unsigned k, unsigned n)
{
    unsigned best = k;
    for (unsigned i = k + 1; i < n; i++)
        if (size_of(a.at[i][k]) > size_of(a.at[best][k]))
            best = i;
    return best;
}

template <typename T> __device__ inline void exchange(square<T> &a, unsigned one, unsigned other)
{
    T kept = a.at[one][threadIdx.x];
    a.at[one][threadIdx.x] = a.at[other][threadIdx.x];
    a.at[other][threadIdx.x] = kept;
}

// Makes column k of A a unit vector, with the same steps for B.
template <typename T> __device__ inline void eliminate(square<T> &a, square<T> &b, unsigned k, unsigned n)
{
    const unsigned j = threadIdx.x;
    T pivot = a.at[k][k];
    __syncwarp();
    a.at[k][j] = a.at[k][j] / pivot;
    b.at[k][j] = b.at[k][j] / pivot;
    for (unsigned i = 0; i < n; i++) {
        if (i == k)
            continue;
        T factor = a.at[i][k];
        __syncwarp();
        a.at[i][j] = a.at[i][j] - factor * a.at[k][j];
        b.at[i][j] = b.at[i][j] - factor * b.at[k][j];
    }
    __syncwarp();
}

template <typename T> __device__ inline void invert(const inverse_arguments &g)
{
    __shared__ square<T> a, b;
    const unsigned n = g.size, j = threadIdx.x;
    const T *given = static_cast<const T *>(g.given[blockIdx.x]);
    T *result = static_cast<T *>(g.result[blockIdx.x]);
    for (unsigned i = 0; i < n; i++) {
        a.at[i][j] = j < n ? given[j * g.given_pitch + i] : number<T>::of(0, 0);
        b.at[i][j] = number<T>::of(i == j ? 1 : 0, 0);
    }
    __syncwarp();
    unsigned info = 0;
    for (unsigned k = 0; k < n && info == 0; k++) {
        unsigned row = largest(a, k, n);
        if (number<T>::is_zero(a.at[row][k])) {
            info = k + 1;
            continue;
        }
        __syncwarp();
        exchange(a, k, row);
        exchange(b, k, row);
        __syncwarp();
        eliminate(a, b, k, n);
    }
    for (unsigned i = 0; info == 0 && j < n && i < n; i++)
        result[j * g.result_pitch + i] = b.at[i][j];
    if (j == 0)
        g.info[blockIdx.x] = int(info);
}

}   // namespace

#define KERNEL(name, type)                                                                                             \
    extern "C" __global__ void __launch_bounds__(SIZE)                                                                 \
        subcore_inverse_##name(const __grid_constant__ inverse_arguments g)                                            \
    {                                                                                                                  \
        invert<type>(g);                                                                                               \
    }
KERNEL(f32, float)
KERNEL(f64, double)
KERNEL(c32, c32)
KERNEL(c64, c64)
