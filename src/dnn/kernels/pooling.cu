// Pooling and its gradient. Going back, a thread has one element of the input and looks at all windows that have it. No
// sum depends on the order of threads. A maximum's gradient goes to the first of equal elements.
#include "tensor.cuh"

#include "pooling_arguments.h"

namespace {

// The part of a window that lies in the input: from first to last - 1 along each dimension.
struct window {
    int first[DNN_SPACE], last[DNN_SPACE];
    __device__ inline window(const pooling_arguments &g, const position &p)
    {
        for (int d = 0; d < DNN_SPACE; d++) {
            int from = int(p.at[2 + d]) * g.stride[d] - g.padding[d], to = from + g.window[d];
            first[d] = max(from, 0);
            last[d] = min(to, int(g.x.sizes[2 + d]));
        }
    }
    __device__ inline int elements() const
    {
        int count = 1;
        for (int d = 0; d < DNN_SPACE; d++)
            count *= max(last[d] - first[d], 0);
        return count;
    }
};

// The elements by which a mean divides.
__device__ inline int divisor(const pooling_arguments &g, const window &w)
{
    int whole = 1;
    for (int d = 0; d < DNN_SPACE; d++)
        whole *= g.window[d];
    return g.mode == POOLING_MEAN_OF_WINDOW ? whole : max(w.elements(), 1);
}

__device__ inline bool is_mean(const pooling_arguments &g)
{
    return g.mode == POOLING_MEAN || g.mode == POOLING_MEAN_OF_WINDOW;
}

// The sum of a window, or its maximum and the place of that.
template <typename T> struct result {
    typedef typename element<T>::sum sum;
    sum value;
    long long place;
    __device__ inline result(const pooling_arguments &g, const window &w, position p) : value(0), place(-1)
    {
        for (p.at[2] = w.first[0]; int(p.at[2]) < w.last[0]; p.at[2]++)
            for (p.at[3] = w.first[1]; int(p.at[3]) < w.last[1]; p.at[3]++)
                for (p.at[4] = w.first[2]; int(p.at[4]) < w.last[2]; p.at[4]++)
                    add(g, offset(g.x, p));
    }
    __device__ inline void add(const pooling_arguments &g, long long at)
    {
        sum x = read<T>(g.x, at);
        if (is_mean(g)) {
            value += x;
            return;
        }
        // Without propagation a NaN stays only as long as no number was met.
        bool better = x > value || (g.nan ? x != x && value == value : value != value && x == x);
        if (place < 0 || better) {
            value = x;
            place = at;
        }
    }
};

template <typename T> __device__ inline void forward(const pooling_arguments &g)
{
    typedef typename element<T>::sum sum;
    if (thread() >= elements(g.y))
        return;
    position p(g.y, thread());
    window w(g, p);
    result<T> r(g, w, p);
    blend<T>(g.y, offset(g.y, p), is_mean(g) ? r.value / sum(divisor(g, w)) : r.value, g.alpha, g.beta);
}

// The outputs whose windows have an element: from first to last - 1 along each dimension.
struct outputs {
    int first[DNN_SPACE], last[DNN_SPACE];
    __device__ inline outputs(const pooling_arguments &g, const position &p)
    {
        for (int d = 0; d < DNN_SPACE; d++) {
            int at = int(p.at[2 + d]) + g.padding[d], before = at - g.window[d];
            first[d] = before < 0 ? 0 : before / g.stride[d] + 1;
            last[d] = min(at / g.stride[d] + 1, int(g.y.sizes[2 + d]));
        }
    }
};

// The share of an output's gradient that an element has.
template <typename T>
__device__ inline typename element<T>::sum share(const pooling_arguments &g, const position &out, long long at)
{
    typedef typename element<T>::sum sum;
    window w(g, out);
    sum dy = read<T>(g.dy, offset(g.dy, out));
    if (is_mean(g))
        return dy / sum(divisor(g, w));
    return result<T>(g, w, out).place == at ? dy : sum(0);
}

template <typename T> __device__ inline void backward(const pooling_arguments &g)
{
    typedef typename element<T>::sum sum;
    if (thread() >= elements(g.x))
        return;
    position p(g.x, thread()), out = p;
    outputs o(g, p);
    long long at = offset(g.x, p);
    sum own = 0;
    for (int z = o.first[0]; z < o.last[0]; z++)
        for (int y = o.first[1]; y < o.last[1]; y++)
            for (int x = o.first[2]; x < o.last[2]; x++) {
                out.at[2] = z;
                out.at[3] = y;
                out.at[4] = x;
                own += share<T>(g, out, at);
            }
    blend<T>(g.dx, offset(g.dx, p), own, g.alpha, g.beta);
}

} // namespace

DNN_KERNELS(pooling_forward, pooling_arguments, forward)
DNN_KERNELS(pooling_backward, pooling_arguments, backward)
