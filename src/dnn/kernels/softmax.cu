// Softmax and its gradient. A warp has one set of elements. Its lanes take them in turn, and add their sums in a fixed
// order.
#include "tensor.cuh"

#include "softmax_arguments.h"

namespace {

enum { WARP = 32, WARPS = DNN_THREADS / WARP };

__device__ inline unsigned set_of_warp() { return blockIdx.x * WARPS + threadIdx.x / WARP; }

// Where element k of a set is.
__device__ inline long long place(const softmax_arguments &g, const dnn_tensor &t, unsigned set, unsigned k)
{
    unsigned long long outer = set / g.inner, inner = set % g.inner;
    return offset(t, position(t, (outer * g.each + k) * g.inner + inner));
}

template <typename S> __device__ inline S total(S x)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2)
        x += __shfl_xor_sync(~0u, x, step);
    return x;
}

template <typename S> __device__ inline S largest(S x)
{
    for (unsigned step = WARP / 2; step > 0; step /= 2) {
        S other = __shfl_xor_sync(~0u, x, step);
        x = other > x ? other : x;
    }
    return x;
}

template <typename T> __device__ inline void forward(const softmax_arguments &g)
{
    typedef typename element<T>::sum sum;
    unsigned set = set_of_warp(), lane = threadIdx.x % WARP;
    if (set >= g.sets)
        return;
    sum most = g.algorithm == SOFTMAX_FAST ? sum(0) : -sum(INFINITY), own = 0;
    for (unsigned k = lane; k < g.each && g.algorithm != SOFTMAX_FAST; k += WARP) {
        sum x = read<T>(g.x, place(g, g.x, set, k));
        most = x > most ? x : most;
    }
    most = largest(most);
    for (unsigned k = lane; k < g.each; k += WARP)
        own += exp(read<T>(g.x, place(g, g.x, set, k)) - most);
    sum all = total(own), logarithm = log(all);
    for (unsigned k = lane; k < g.each; k += WARP) {
        sum x = read<T>(g.x, place(g, g.x, set, k)) - most;
        blend<T>(g.y, place(g, g.y, set, k), g.algorithm == SOFTMAX_LOG ? x - logarithm : exp(x) / all, g.alpha,
                 g.beta);
    }
}

template <typename T> __device__ inline void backward(const softmax_arguments &g)
{
    typedef typename element<T>::sum sum;
    unsigned set = set_of_warp(), lane = threadIdx.x % WARP;
    bool logarithm = g.algorithm == SOFTMAX_LOG;
    if (set >= g.sets)
        return;
    sum own = 0;
    for (unsigned k = lane; k < g.each; k += WARP) {
        sum dy = read<T>(g.dy, place(g, g.dy, set, k));
        own += logarithm ? dy : dy * read<T>(g.y, place(g, g.y, set, k));
    }
    sum all = total(own);
    for (unsigned k = lane; k < g.each; k += WARP) {
        sum dy = read<T>(g.dy, place(g, g.dy, set, k)), y = read<T>(g.y, place(g, g.y, set, k));
        blend<T>(g.x, place(g, g.x, set, k), logarithm ? dy - exp(y) * all : y * (dy - all), g.alpha, g.beta);
    }
}

} // namespace

DNN_KERNELS(softmax_forward, softmax_arguments, forward)
DNN_KERNELS(softmax_backward, softmax_arguments, backward)
