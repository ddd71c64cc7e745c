// Elements of tensors in memory, read and written as the type of the sum.
#ifndef SUBCORE_DNN_KERNELS_ELEMENT_CUH
#define SUBCORE_DNN_KERNELS_ELEMENT_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T> struct element {
    typedef T sum;
    static __device__ inline T widened(T x) { return x; }
    static __device__ inline T narrowed(T x) { return x; }
};
template <> struct element<__half> {
    typedef float sum;
    static __device__ inline float widened(__half x) { return __half2float(x); }
    static __device__ inline __half narrowed(float x) { return __float2half_rn(x); }
};
template <> struct element<__nv_bfloat16> {
    typedef float sum;
    static __device__ inline float widened(__nv_bfloat16 x) { return __bfloat162float(x); }
    static __device__ inline __nv_bfloat16 narrowed(float x) { return __float2bfloat16_rn(x); }
};

#endif
