// Dropout. An element is kept if a number that follows from the seed, from the count of earlier numbers and from the
// element's place is below 1 minus the probability. The state in memory counts the numbers.
#include "tensor.cuh"

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

template <typename T> __device__ inline void pass(const dropout_arguments &g, unsigned long long i, bool kept)
{
    position p(g.x, i);
    blend<T>(g.y, offset(g.y, p), kept ? read<T>(g.x, offset(g.x, p)) : 0, g.scale, 0);
}

template <typename T> __device__ inline void forward(const dropout_arguments &g)
{
    unsigned long long i = thread();
    if (i >= g.count)
        return;
    bool kept = uniform(*g.state, i) >= g.probability;
    g.mask[i] = kept;
    pass<T>(g, i, kept);
}

template <typename T> __device__ inline void backward(const dropout_arguments &g)
{
    unsigned long long i = thread();
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

DNN_KERNELS(dropout_forward, dropout_arguments, forward)
DNN_KERNELS(dropout_backward, dropout_arguments, backward)
