// Elements of tensors by their number, as most kernels see them.
#ifndef SUBCORE_DNN_KERNELS_TENSOR_CUH
#define SUBCORE_DNN_KERNELS_TENSOR_CUH

#include "arguments.h"
#include "element.cuh"

namespace {

__device__ inline unsigned long long thread() { return (unsigned long long)blockIdx.x * DNN_THREADS + threadIdx.x; }

__device__ inline unsigned long long elements(const dnn_tensor &t)
{
    unsigned long long count = 1;
    for (int d = 0; d < DNN_DIMENSIONS; d++)
        count *= t.sizes[d];
    return count;
}

// The positions of element i along all dimensions, of which the last one counts fastest.
struct position {
    unsigned at[DNN_DIMENSIONS];
    __device__ inline position(const dnn_tensor &t, unsigned long long i)
    {
        for (int d = DNN_DIMENSIONS - 1; d >= 0; d--) {
            at[d] = unsigned(i % t.sizes[d]);
            i /= t.sizes[d];
        }
    }
};

__device__ inline long long offset(const dnn_tensor &t, const position &p)
{
    long long sum = 0;
    for (int d = 0; d < DNN_DIMENSIONS; d++)
        sum += (long long)p.at[d] * t.steps[d];
    return sum;
}

template <typename T> __device__ inline typename element<T>::sum read(const dnn_tensor &t, long long offset)
{
    return element<T>::widened(static_cast<const T *>(t.data)[offset]);
}

// t = alpha * x + beta * t. A beta of 0 does not read.
template <typename T>
__device__ inline void blend(const dnn_tensor &t, long long offset, typename element<T>::sum x, double alpha,
                             double beta)
{
    typedef typename element<T>::sum sum;
    sum scaled = sum(alpha) * x;
    static_cast<T *>(t.data)[offset] =
        element<T>::narrowed(beta == 0 ? scaled : scaled + sum(beta) * read<T>(t, offset));
}

} // namespace

// Kernels of four types, each with one struct as its argument.
#define DNN_KERNEL(name, arguments, ...)                                                                               \
    extern "C" __global__ void __launch_bounds__(DNN_THREADS) subcore_##name(const __grid_constant__ arguments g)      \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define DNN_KERNELS(name, arguments, function)                                                                         \
    DNN_KERNEL(name##_f32, arguments, function<float>)                                                                 \
    DNN_KERNEL(name##_f64, arguments, function<double>)                                                                \
    DNN_KERNEL(name##_f16, arguments, function<__half>)                                                                \
    DNN_KERNEL(name##_bf16, arguments, function<__nv_bfloat16>)

#endif
