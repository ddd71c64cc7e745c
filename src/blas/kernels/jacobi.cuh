// Jacobi's rotations: the one that makes two columns orthogonal, and an order in which all pairs meet.
#ifndef SUBCORE_BLAS_KERNELS_JACOBI_CUH
#define SUBCORE_BLAS_KERNELS_JACOBI_CUH

#include "block.cuh"
#include "jacobi.h"

enum { THREADS = JACOBI_THREADS, WARPS = THREADS / 32 };

// Columns p and q become (c p - conj(s) q, s p + c q), where c is 1 - less: small turns leave small errors.
template <typename T> struct rotation {
    real_type<T> less;
    T s;
};

// The rotation that removes the product `cross` of p's adjoint and q. The squares of p and q are pp and qq.
template <typename T>
__device__ inline rotation<T> rotation_of(real_type<T> pp, real_type<T> qq, T cross, real_type<T> size)
{
    typedef real_type<T> R;
    R zeta = (qq - pp) / (2 * size);
    R t = (zeta >= 0 ? R(1) : R(-1)) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    R c = 1 / sqrt(1 + t * t), s = c * t;
    return {s * s / (1 + c), scaled(cross, s / size)};
}

template <typename T> __device__ inline void rotate(T &p, T &q, rotation<T> r)
{
    T kept = p;
    p = kept - (conjugated(r.s) * q + scaled(kept, r.less));
    q = q + (r.s * kept - scaled(q, r.less));
}

struct pair {
    unsigned p, q;
};

// A round has steps, a step has pairs, and each column meets each other once. With odd n a column rests: its q is n.
__device__ inline unsigned steps_of(unsigned n) { return n + n % 2 - 1; }
__device__ inline unsigned pairs_of(unsigned n) { return (n + 1) / 2; }

__device__ inline pair pair_of(unsigned n, unsigned step, unsigned i)
{
    unsigned steps = steps_of(n);
    unsigned one = i == 0 ? steps : (step + i) % steps, other = (step + steps - i) % steps;
    return {min(one, other), max(one, other)};
}

// The place of value i when values are in order; equal ones keep their order.
template <typename R> __device__ inline unsigned place_of(const R *values, unsigned n, unsigned i, bool falling)
{
    unsigned place = 0;
    for (unsigned k = 0; k < n; k++) {
        bool before = falling ? values[k] > values[i] : values[k] < values[i];
        place += before || (!(values[k] < values[i]) && !(values[k] > values[i]) && k < i);
    }
    return place;
}

#endif
