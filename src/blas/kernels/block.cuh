// Sums and maxima over a block's threads, and the real type of a complex one.
#ifndef SUBCORE_BLAS_KERNELS_BLOCK_CUH
#define SUBCORE_BLAS_KERNELS_BLOCK_CUH

#include "block_sum.cuh"
#include "number.cuh"

template <typename T> struct real_of_type {
    typedef T type;
};
template <typename T> struct real_of_type<complex_of<T>> {
    typedef T type;
};
template <typename T> using real_type = typename real_of_type<T>::type;

__device__ inline float real_of(float x) { return x; }
__device__ inline double real_of(double x) { return x; }
template <typename T> __device__ inline T real_of(complex_of<T> x) { return x.re; }
__device__ inline float imaginary_of(float) { return 0; }
__device__ inline double imaginary_of(double) { return 0; }
template <typename T> __device__ inline T imaginary_of(complex_of<T> x) { return x.im; }

__device__ inline float square_of(float x) { return x * x; }
__device__ inline double square_of(double x) { return x * x; }
template <typename T> __device__ inline T square_of(complex_of<T> x) { return x.re * x.re + x.im * x.im; }

// The larger of both parts.
__device__ inline float extent_of(float x) { return fabsf(x); }
__device__ inline double extent_of(double x) { return fabs(x); }
template <typename T> __device__ inline T extent_of(complex_of<T> x)
{
    return fmax(extent_of(x.re), extent_of(x.im));
}

__device__ inline float scaled(float x, float by) { return x * by; }
__device__ inline double scaled(double x, double by) { return x * by; }
template <typename T> __device__ inline complex_of<T> scaled(complex_of<T> x, T by) { return {x.re * by, x.im * by}; }

// The distance from 1 to the next number.
template <typename R> __device__ inline R step_of();
template <> __device__ inline float step_of<float>() { return 0x1p-23f; }
template <> __device__ inline double step_of<double>() { return 0x1p-52; }

template <typename T> __device__ inline complex_of<T> of_lane(complex_of<T> x, unsigned mask)
{
    return {of_lane(x.re, mask), of_lane(x.im, mask)};
}

// Returns the largest of all threads' values to every thread.
template <unsigned Threads, typename R> __device__ inline R block_largest(R x)
{
    __shared__ R parts[Threads / 32];
    for (unsigned mask = 16; mask > 0; mask /= 2)
        x = fmax(x, of_lane(x, mask));
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = x;
    __syncthreads();
    R largest = parts[0];
    for (unsigned i = 1; i < Threads / 32; i++)
        largest = fmax(largest, parts[i]);
    __syncthreads();
    return largest;
}

#endif
