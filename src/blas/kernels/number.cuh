// Numbers of the kernels: complex numbers, narrow floats, and reading any type as the type of the sum.
#ifndef SUBCORE_BLAS_KERNELS_NUMBER_CUH
#define SUBCORE_BLAS_KERNELS_NUMBER_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "gemm.h"

template <typename T> struct alignas(2 * sizeof(T)) complex_of {
    T re, im;
};

template <typename T> __device__ inline complex_of<T> operator+(complex_of<T> a, complex_of<T> b)
{
    return {a.re + b.re, a.im + b.im};
}

template <typename T> __device__ inline complex_of<T> operator-(complex_of<T> a, complex_of<T> b)
{
    return {a.re - b.re, a.im - b.im};
}

template <typename T> __device__ inline complex_of<T> operator*(complex_of<T> a, complex_of<T> b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <typename T> __device__ inline complex_of<T> operator/(complex_of<T> a, complex_of<T> b)
{
    T size = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}

typedef complex_of<float> c32;
typedef complex_of<double> c64;

// Sums: d = a * b + d, where multiplication and addition are fused for real numbers.
__device__ inline void add_product(float &d, float a, float b) { d = fmaf(a, b, d); }
__device__ inline void add_product(double &d, double a, double b) { d = fma(a, b, d); }
__device__ inline void add_product(int &d, int a, int b) { d += a * b; }
__device__ inline void add_product(__half &d, __half a, __half b) { d = __hfma(a, b, d); }

template <typename T> __device__ inline void add_product(complex_of<T> &d, complex_of<T> a, complex_of<T> b)
{
    d.re = fma(a.re, b.re, d.re);
    d.re = fma(-a.im, b.im, d.re);
    d.im = fma(a.re, b.im, d.im);
    d.im = fma(a.im, b.re, d.im);
}

template <typename T> __device__ inline T conjugated(T x) { return x; }
template <typename T> __device__ inline complex_of<T> conjugated(complex_of<T> x) { return {x.re, -x.im}; }

template <typename T> struct number {
    static __device__ inline T of(double re, double) { return T(re); }
    static __device__ inline bool is_zero(T x) { return x == T(0); }
};
template <> struct number<__half> {
    static __device__ inline __half of(double re, double) { return __float2half(float(re)); }
    static __device__ inline bool is_zero(__half x) { return __half2float(x) == 0.0f; }
};
template <typename T> struct number<complex_of<T>> {
    static __device__ inline complex_of<T> of(double re, double im) { return {T(re), T(im)}; }
    static __device__ inline bool is_zero(complex_of<T> x) { return x.re == T(0) && x.im == T(0); }
};

// An operand's element as a number of the sum.
template <typename Sum, typename In> __device__ inline Sum widened(In x) { return Sum(x); }
template <> __device__ inline float widened<float, __half>(__half x) { return __half2float(x); }
template <> __device__ inline float widened<float, __nv_bfloat16>(__nv_bfloat16 x) { return __bfloat162float(x); }
template <> __device__ inline float widened<float, __nv_fp8_e4m3>(__nv_fp8_e4m3 x) { return float(x); }
template <> __device__ inline float widened<float, __nv_fp8_e5m2>(__nv_fp8_e5m2 x) { return float(x); }

// Reads an element of a type that is known at run time. `Sum` limits the possible types.
template <typename Sum> struct memory {
    static __device__ inline Sum read(const void *p, unsigned, long long i) { return static_cast<const Sum *>(p)[i]; }
    static __device__ inline void write(void *p, unsigned, long long i, Sum x) { static_cast<Sum *>(p)[i] = x; }
};

template <> struct memory<float> {
    static __device__ inline float read(const void *p, unsigned type, long long i)
    {
        switch (type) {
        case GEMM_F16: return __half2float(static_cast<const __half *>(p)[i]);
        case GEMM_BF16: return __bfloat162float(static_cast<const __nv_bfloat16 *>(p)[i]);
        default: return static_cast<const float *>(p)[i];
        }
    }
    static __device__ inline void write(void *p, unsigned type, long long i, float x)
    {
        switch (type) {
        case GEMM_F16: static_cast<__half *>(p)[i] = __float2half_rn(x); break;
        case GEMM_BF16: static_cast<__nv_bfloat16 *>(p)[i] = __float2bfloat16_rn(x); break;
        case GEMM_E4M3: static_cast<__nv_fp8_e4m3 *>(p)[i] = __nv_fp8_e4m3(x); break;
        case GEMM_E5M2: static_cast<__nv_fp8_e5m2 *>(p)[i] = __nv_fp8_e5m2(x); break;
        case GEMM_S8: static_cast<signed char *>(p)[i] = (signed char)max(-128, min(127, __float2int_rn(x))); break;
        default: static_cast<float *>(p)[i] = x; break;
        }
    }
};

#endif
