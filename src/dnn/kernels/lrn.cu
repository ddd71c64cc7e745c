// Local response normalization across channels, and its gradient. A thread has one element.
#include "tensor.cuh"

#include "lrn_arguments.h"

namespace {

// The channels whose squares count for one channel: an even width has one more above it.
struct channels {
    unsigned first, last;
    __device__ inline channels(unsigned at, unsigned below, unsigned above, unsigned all)
        : first(at > below ? at - below : 0), last(min(at + above, all - 1))
    {
    }
};

__device__ inline unsigned below(const lrn_arguments &g) { return (g.n - 1) / 2; }
__device__ inline unsigned above(const lrn_arguments &g) { return g.n - 1 - below(g); }

template <typename T>
__device__ inline typename element<T>::sum input(const dnn_tensor &t, position p, unsigned channel)
{
    p.at[1] = channel;
    return read<T>(t, offset(t, p));
}

// The base of the power at a channel.
template <typename T>
__device__ inline typename element<T>::sum base(const lrn_arguments &g, position p, unsigned channel)
{
    typedef typename element<T>::sum sum;
    channels c(channel, below(g), above(g), g.x.sizes[1]);
    sum squares = 0;
    for (unsigned other = c.first; other <= c.last; other++) {
        sum x = input<T>(g.x, p, other);
        squares += x * x;
    }
    return sum(g.k) + sum(g.a) / sum(g.n) * squares;
}

template <typename T> __device__ inline void forward(const lrn_arguments &g)
{
    typedef typename element<T>::sum sum;
    if (thread() >= elements(g.y))
        return;
    position p(g.y, thread());
    sum x = input<T>(g.x, p, p.at[1]);
    blend<T>(g.y, offset(g.y, p), x * pow(base<T>(g, p, p.at[1]), -sum(g.b)), g.alpha, g.beta);
}

template <typename T> __device__ inline void backward(const lrn_arguments &g)
{
    typedef typename element<T>::sum sum;
    if (thread() >= elements(g.dx))
        return;
    position p(g.dx, thread());
    sum x = input<T>(g.x, p, p.at[1]), along = 0;
    // The channels for which this one counts: the window, mirrored.
    channels c(p.at[1], above(g), below(g), g.x.sizes[1]);
    for (unsigned other = c.first; other <= c.last; other++)
        along += input<T>(g.dy, p, other) * input<T>(g.x, p, other) * pow(base<T>(g, p, other), -sum(g.b) - 1);
    sum own = input<T>(g.dy, p, p.at[1]) * pow(base<T>(g, p, p.at[1]), -sum(g.b));
    blend<T>(g.dx, offset(g.dx, p), own - 2 * sum(g.a) * sum(g.b) / sum(g.n) * x * along, g.alpha, g.beta);
}

} // namespace

DNN_KERNELS(lrn_forward, lrn_arguments, forward)
DNN_KERNELS(lrn_backward, lrn_arguments, backward)
