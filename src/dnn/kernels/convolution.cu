// Convolutions and their gradients as products of matrices that are gathered from the tensors: a block computes a tile
// of 32 x 32 results, a thread 4 of them, and the sum goes on in steps of 32. Sums are in FP32, of FP64 tensors in
// FP64.
#include "arguments.h"
#include "element.cuh"

namespace {

struct place {
    unsigned image, at[DNN_SPACE];
};

// Divides a number into a position in space, the last dimension first, and the rest.
__device__ inline place split(unsigned i, const dnn_tensor &t)
{
    place p;
    for (int d = DNN_SPACE - 1; d >= 0; d--) {
        p.at[d] = i % t.sizes[2 + d];
        i /= t.sizes[2 + d];
    }
    p.image = i;
    return p;
}

__device__ inline long long offset(const dnn_tensor &t, unsigned image, unsigned channel, const unsigned *at)
{
    long long sum = image * t.steps[0] + channel * t.steps[1];
    for (int d = 0; d < DNN_SPACE; d++)
        sum += at[d] * t.steps[2 + d];
    return sum;
}

template <typename T> __device__ inline typename element<T>::sum read(const dnn_tensor &t, long long offset)
{
    return element<T>::widened(static_cast<const T *>(t.data)[offset]);
}

__device__ inline unsigned tap_of(const convolution_arguments &g, const place &tap, int d)
{
    return g.flipped ? g.w.sizes[2 + d] - 1 - tap.at[d] : tap.at[d];
}

// The input element that meets a tap at a position of the output; false in the padding.
__device__ inline bool input_of(const convolution_arguments &g, const place &out, const place &tap, unsigned *at)
{
    for (int d = 0; d < DNN_SPACE; d++) {
        long long i = (long long)out.at[d] * g.stride[d] - g.padding[d] + (long long)tap_of(g, tap, d) * g.dilation[d];
        if (i < 0 || i >= g.x.sizes[2 + d])
            return false;
        at[d] = unsigned(i);
    }
    return true;
}

// The position of the output at which a tap meets an input element, if there is one.
__device__ inline bool output_of(const convolution_arguments &g, const place &in, const place &tap, unsigned *at)
{
    for (int d = 0; d < DNN_SPACE; d++) {
        long long o = (long long)in.at[d] + g.padding[d] - (long long)tap_of(g, tap, d) * g.dilation[d];
        if (o < 0 || o % g.stride[d] != 0 || o / g.stride[d] >= g.y.sizes[2 + d])
            return false;
        at[d] = unsigned(o / g.stride[d]);
    }
    return true;
}

// The sources that the three products gather, and the places of their results.
template <typename T> struct forward {
    typedef typename element<T>::sum sum;
    static __device__ inline sum left(const convolution_arguments &g, unsigned group, unsigned p, unsigned l)
    {
        place out = split(p, g.y), tap = split(l, g.w);
        unsigned at[DNN_SPACE];
        bool there = input_of(g, out, tap, at);
        return there ? read<T>(g.x, offset(g.x, out.image, group * g.inputs + tap.image, at)) : sum(0);
    }
    static __device__ inline sum right(const convolution_arguments &g, unsigned group, unsigned l, unsigned q)
    {
        place tap = split(l, g.w);
        return read<T>(g.w, offset(g.w, group * g.outputs + q, tap.image, tap.at));
    }
    static __device__ inline T *result(const convolution_arguments &g, unsigned group, unsigned p, unsigned q)
    {
        place out = split(p, g.y);
        return static_cast<T *>(g.y.data) + offset(g.y, out.image, group * g.outputs + q, out.at);
    }
    static __device__ inline sum finished(const convolution_arguments &g, unsigned group, unsigned p, unsigned q, sum x)
    {
        place out = split(p, g.y);
        for (unsigned i = 0; i < g.addend_count; i++) {
            const dnn_tensor &t = g.addends[i].tensor;
            x += sum(g.addends[i].scale) * read<T>(t, offset(t, out.image, group * g.outputs + q, out.at));
        }
        return g.positive && x < 0 ? sum(0) : x; // NaN stays NaN
    }
};

// A gradient has nothing added.
template <typename T> struct plain {
    typedef typename element<T>::sum sum;
    static __device__ inline sum finished(const convolution_arguments &, unsigned, unsigned, unsigned, sum x)
    {
        return x;
    }
};

template <typename T> struct backward_data : plain<T> {
    typedef typename element<T>::sum sum;
    static __device__ inline sum left(const convolution_arguments &g, unsigned group, unsigned p, unsigned l)
    {
        place in = split(p, g.x), tap = split(l, g.w);
        unsigned at[DNN_SPACE];
        bool there = output_of(g, in, tap, at);
        return there ? read<T>(g.y, offset(g.y, in.image, group * g.outputs + tap.image, at)) : sum(0);
    }
    static __device__ inline sum right(const convolution_arguments &g, unsigned group, unsigned l, unsigned q)
    {
        place tap = split(l, g.w);
        return read<T>(g.w, offset(g.w, group * g.outputs + tap.image, q, tap.at));
    }
    static __device__ inline T *result(const convolution_arguments &g, unsigned group, unsigned p, unsigned q)
    {
        place in = split(p, g.x);
        return static_cast<T *>(g.x.data) + offset(g.x, in.image, group * g.inputs + q, in.at);
    }
};

template <typename T> struct backward_filter : plain<T> {
    typedef typename element<T>::sum sum;
    static __device__ inline sum left(const convolution_arguments &g, unsigned group, unsigned p, unsigned l)
    {
        place tap = split(p, g.w), out = split(l, g.y);
        unsigned at[DNN_SPACE];
        bool there = input_of(g, out, tap, at);
        return there ? read<T>(g.x, offset(g.x, out.image, group * g.inputs + tap.image, at)) : sum(0);
    }
    static __device__ inline sum right(const convolution_arguments &g, unsigned group, unsigned l, unsigned q)
    {
        place out = split(l, g.y);
        return read<T>(g.y, offset(g.y, out.image, group * g.outputs + q, out.at));
    }
    static __device__ inline T *result(const convolution_arguments &g, unsigned group, unsigned p, unsigned q)
    {
        place tap = split(p, g.w);
        return static_cast<T *>(g.w.data) + offset(g.w, group * g.outputs + q, tap.image, tap.at);
    }
};

template <typename Gather, typename T> __device__ inline void convolve(const convolution_arguments &g)
{
    typedef typename element<T>::sum sum;
    enum { RUNS = DNN_TILE * DNN_TILE / DNN_THREADS, ROWS = DNN_THREADS / DNN_TILE };
    __shared__ sum left[DNN_TILE][DNN_TILE + 1], right[DNN_TILE][DNN_TILE + 1];
    unsigned column = threadIdx.x % DNN_TILE, row = threadIdx.x / DNN_TILE, group = blockIdx.z;
    unsigned first_p = blockIdx.x * DNN_TILE, first_q = blockIdx.y * DNN_TILE;
    sum sums[RUNS] = {};
    for (unsigned first_l = 0; first_l < g.depth; first_l += DNN_TILE) {
        for (unsigned i = row; i < DNN_TILE; i += ROWS) {
            unsigned p = first_p + column, q = first_q + column, l = first_l + i;
            left[i][column] = p < g.rows && l < g.depth ? Gather::left(g, group, p, l) : sum(0);
            right[i][column] = q < g.columns && l < g.depth ? Gather::right(g, group, l, q) : sum(0);
        }
        __syncthreads();
        unsigned end = min(unsigned(DNN_TILE), g.depth - first_l);
        for (unsigned l = 0; l < end; l++)
            for (int r = 0; r < RUNS; r++)
                sums[r] += left[l][column] * right[l][row + r * ROWS];
        __syncthreads();
    }
    for (int r = 0; r < RUNS; r++) {
        unsigned p = first_p + column, q = first_q + row + r * ROWS;
        if (p >= g.rows || q >= g.columns)
            continue;
        T *at = Gather::result(g, group, p, q);
        sum scaled = sum(g.alpha) * sums[r];
        scaled = g.beta == 0 ? scaled : scaled + sum(g.beta) * element<T>::widened(*at);
        *at = element<T>::narrowed(Gather::finished(g, group, p, q, scaled));
    }
}

} // namespace

#define KERNEL(name, gather, type)                                                                                     \
    extern "C" __global__ void __launch_bounds__(DNN_THREADS)                                                          \
        subcore_convolution_##name(const __grid_constant__ convolution_arguments g)                                    \
    {                                                                                                                  \
        convolve<gather<type>, type>(g);                                                                               \
    }
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(forward_##name, forward, type)                                                                              \
    KERNEL(data_##name, backward_data, type)                                                                           \
    KERNEL(filter_##name, backward_filter, type)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(f16, __half)
OF_TYPE(bf16, __nv_bfloat16)
