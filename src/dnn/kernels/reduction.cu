// Reductions of a tensor along any of its dimensions. The threads of a block take elements in turn. A tree combines
// their results, so that the order is always the same.
#include "tensor.cuh"

#include "reduction_arguments.h"

namespace {

enum { NONE = 0xffffffff };

template <typename S> struct partial {
    S value;
    unsigned index; // of a minimum or maximum, or NONE
};

__device__ inline bool is_extreme(unsigned operation)
{
    return operation == REDUCTION_MIN || operation == REDUCTION_MAX || operation == REDUCTION_LARGEST;
}

__device__ inline bool is_product(unsigned operation)
{
    return operation == REDUCTION_MUL || operation == REDUCTION_MUL_NO_ZEROS;
}

// Whether an extreme takes another's place. The first of equal ones stays.
template <typename S>
__device__ inline bool better(const reduction_arguments &g, const partial<S> &old, const partial<S> &other)
{
    if (other.index == NONE || old.index == NONE)
        return other.index != NONE;
    bool earlier = other.index < old.index, nan = other.value != other.value, old_nan = old.value != old.value;
    if (nan || old_nan)
        return nan && old_nan ? earlier : bool(g.nan) == nan;
    if (other.value == old.value)
        return earlier;
    return g.operation == REDUCTION_MIN ? other.value < old.value : other.value > old.value;
}

template <typename S>
__device__ inline void combine(const reduction_arguments &g, partial<S> &old, const partial<S> &other)
{
    if (is_extreme(g.operation)) {
        if (better(g, old, other))
            old = other;
    } else if (is_product(g.operation)) {
        old.value *= other.value;
    } else {
        old.value += other.value;
    }
}

// An element as it enters the reduction.
template <typename S> __device__ inline S prepared(const reduction_arguments &g, S x)
{
    switch (g.operation) {
    case REDUCTION_LARGEST:
    case REDUCTION_NORM1: return fabs(x);
    case REDUCTION_NORM2: return x * x;
    case REDUCTION_MUL_NO_ZEROS: return x == 0 ? S(1) : x;
    default: return x;
    }
}

template <typename S> __device__ inline S finished(const reduction_arguments &g, S x)
{
    return g.operation == REDUCTION_MEAN ? x / S(g.count) : g.operation == REDUCTION_NORM2 ? sqrt(x) : x;
}

template <typename T> __device__ inline void reduce(const reduction_arguments &g)
{
    typedef typename element<T>::sum sum;
    __shared__ partial<sum> parts[DNN_THREADS];
    position out(g.c, blockIdx.x);
    partial<sum> own = {is_product(g.operation) ? sum(1) : sum(0), NONE};
    for (unsigned i = threadIdx.x; i < g.count; i += DNN_THREADS) {
        position p = out;
        unsigned rest = i;
        for (int d = DNN_DIMENSIONS - 1; d >= 0; d--) {
            p.at[d] += rest % g.sizes[d];
            rest /= g.sizes[d];
        }
        combine(g, own, partial<sum>{prepared(g, read<T>(g.a, offset(g.a, p))), i});
    }
    parts[threadIdx.x] = own;
    for (unsigned step = DNN_THREADS / 2; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step)
            combine(g, parts[threadIdx.x], parts[threadIdx.x + step]);
    }
    if (threadIdx.x > 0)
        return;
    blend<T>(g.c, offset(g.c, out), finished(g, parts[0].value), g.alpha, g.beta);
    if (g.indices != nullptr)
        g.indices[blockIdx.x] = parts[0].index;
}

} // namespace

DNN_KERNELS(reduction_reduce, reduction_arguments, reduce)
