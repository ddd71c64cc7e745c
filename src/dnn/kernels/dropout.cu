// Dropout. An element is kept if a number that follows from the seed, from the count of earlier numbers and from the
// element's place is below 1 minus the probability. The state in memory counts the numbers.
#include "arguments.h"
#include "element.cuh"

namespace {

// Mixes a counter into 64 bits that depend on all of it (the finalizer of splitmix64).
__device__ inline unsigned long long mixed(unsigned long long x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// A number in [0, 1) with 24 bits.
__device__ inline double uniform(const dropout_state &state, unsigned long long i)
{
    return double(mixed(mixed(state.seed) + state.count + i) >> 40) / 16777216;
}

// The offset of element i in a tensor, whose last dimension counts fastest.
__device__ inline long long offset(const dnn_tensor &t, unsigned long long i)
{
    long long sum = 0;
    for (int d = DNN_DIMENSIONS - 1; d >= 0; d--) {
        sum += (long long)(i % t.sizes[d]) * t.steps[d];
        i /= t.sizes[d];
    }
    return sum;
}

template <typename T> __device__ inline void pass(const dropout_arguments &g, unsigned long long i, bool kept)
{
    typedef typename element<T>::sum sum;
    sum x = element<T>::widened(static_cast<const T *>(g.x.data)[offset(g.x, i)]);
    static_cast<T *>(g.y.data)[offset(g.y, i)] = element<T>::narrowed(kept ? x * sum(g.scale) : sum(0));
}

template <typename T> __device__ inline void forward(const dropout_arguments &g)
{
    unsigned long long i = (unsigned long long)blockIdx.x * DNN_THREADS + threadIdx.x;
    if (i >= g.count)
        return;
    bool kept = uniform(*g.state, i) >= g.probability;
    g.mask[i] = kept;
    pass<T>(g, i, kept);
}

template <typename T> __device__ inline void backward(const dropout_arguments &g)
{
    unsigned long long i = (unsigned long long)blockIdx.x * DNN_THREADS + threadIdx.x;
    if (i < g.count)
        pass<T>(g, i, g.mask[i]);
}

} // namespace

extern "C" __global__ void subcore_dropout_seed(const __grid_constant__ dropout_seed_arguments g)
{
    *g.state = g.value;
}

extern "C" __global__ void subcore_dropout_advance(const __grid_constant__ dropout_seed_arguments g)
{
    g.state->count += g.value.count;
}

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(DNN_THREADS)                                                          \
        subcore_dropout_##name(const __grid_constant__ dropout_arguments g)                                            \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(forward_##name, forward<type>)                                                                              \
    KERNEL(backward_##name, backward<type>)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(f16, __half)
OF_TYPE(bf16, __nv_bfloat16)
