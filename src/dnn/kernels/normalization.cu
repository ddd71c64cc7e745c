// Batch normalization. A block has one set of parameters. Its threads take the elements in turn. Sums are in FP32, of
// FP64 tensors in FP64, and the variance is the mean square of the distance from the mean, in a second pass.
#include "arguments.h"
#include "element.cuh"

namespace {

// The elements that share the parameters of a block: images and, with parameters of channels, all positions.
struct range {
    unsigned count;
    unsigned channel, at[DNN_SPACE];
    bool each;
};

__device__ inline range of_block(const normalization_arguments &g)
{
    range r;
    r.each = g.each != 0;
    unsigned i = blockIdx.x, positions = 1;
    for (int d = DNN_SPACE - 1; d >= 0; d--) {
        positions *= g.x.sizes[2 + d];
        r.at[d] = i % g.x.sizes[2 + d];
        if (r.each)
            i /= g.x.sizes[2 + d];
    }
    r.channel = i;
    r.count = g.x.sizes[0] * (r.each ? 1 : positions);
    return r;
}

__device__ inline long long offset(const dnn_tensor &t, const range &r, unsigned i)
{
    long long sum = r.channel * t.steps[1];
    for (int d = DNN_SPACE - 1; d >= 0; d--) {
        unsigned at = r.at[d];
        if (!r.each) {
            at = i % t.sizes[2 + d];
            i /= t.sizes[2 + d];
        }
        sum += at * t.steps[2 + d];
    }
    return sum + i * t.steps[0];
}

template <typename T> __device__ inline typename element<T>::sum read(const dnn_tensor &t, const range &r, unsigned i)
{
    return element<T>::widened(static_cast<const T *>(t.data)[offset(t, r, i)]);
}

template <typename T>
__device__ inline void write(const normalization_arguments &g, const dnn_tensor &t, const range &r, unsigned i,
                             typename element<T>::sum x)
{
    typedef typename element<T>::sum sum;
    T *at = static_cast<T *>(t.data) + offset(t, r, i);
    sum scaled = sum(g.alpha) * x;
    *at = element<T>::narrowed(g.beta == 0 ? scaled : scaled + sum(g.beta) * element<T>::widened(*at));
}

template <typename S> __device__ inline S total(S own)
{
    __shared__ S parts[DNN_THREADS];
    parts[threadIdx.x] = own;
    __syncthreads();
    for (unsigned step = DNN_THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            parts[threadIdx.x] += parts[threadIdx.x + step];
        __syncthreads();
    }
    S sum = parts[0];
    __syncthreads();
    return sum;
}

template <typename S> __device__ inline S parameter(const void *at, S otherwise)
{
    return at != nullptr ? static_cast<const S *>(at)[blockIdx.x] : otherwise;
}

template <typename S> __device__ inline S &place(void *at) { return static_cast<S *>(at)[blockIdx.x]; }

__device__ inline float inverse_root(float x) { return 1 / sqrtf(x); }
__device__ inline double inverse_root(double x) { return 1 / sqrt(x); }

template <typename T> struct moments {
    typedef typename element<T>::sum sum;
    sum mean, square; // the mean, and the sum of squared distances from it
    __device__ inline moments(const normalization_arguments &g, const range &r)
    {
        sum own = 0;
        for (unsigned i = threadIdx.x; i < r.count; i += DNN_THREADS)
            own += read<T>(g.x, r, i);
        mean = total(own) / sum(r.count);
        own = 0;
        for (unsigned i = threadIdx.x; i < r.count; i += DNN_THREADS) {
            sum distance = read<T>(g.x, r, i) - mean;
            own += distance * distance;
        }
        square = total(own);
    }
};

template <typename T> __device__ inline void forward(const normalization_arguments &g)
{
    typedef typename element<T>::sum sum;
    range r = of_block(g);
    moments<T> m(g, r);
    sum inverse = inverse_root(m.square / sum(r.count) + sum(g.epsilon));
    sum scale = parameter(g.scale, sum(1)) * inverse, bias = parameter(g.bias, sum(0));
    for (unsigned i = threadIdx.x; i < r.count; i += DNN_THREADS)
        write<T>(g, g.y, r, i, (read<T>(g.x, r, i) - m.mean) * scale + bias);
    if (threadIdx.x > 0)
        return;
    sum factor = sum(g.factor), spread = m.square / sum(r.count > 1 ? r.count - 1 : 1);
    if (g.running_mean != nullptr && g.running_variance != nullptr) {
        place<sum>(g.running_mean) = (1 - factor) * place<sum>(g.running_mean) + factor * m.mean;
        place<sum>(g.running_variance) = (1 - factor) * place<sum>(g.running_variance) + factor * spread;
    }
    if (g.mean != nullptr && g.inverse != nullptr) {
        place<sum>(g.mean) = m.mean;
        place<sum>(g.inverse) = inverse;
    }
}

template <typename T> __device__ inline void inference(const normalization_arguments &g)
{
    typedef typename element<T>::sum sum;
    range r = of_block(g);
    sum mean = place<sum>(g.running_mean), bias = parameter(g.bias, sum(0));
    sum scale = parameter(g.scale, sum(1)) * inverse_root(place<sum>(g.running_variance) + sum(g.epsilon));
    for (unsigned i = threadIdx.x; i < r.count; i += DNN_THREADS)
        write<T>(g, g.y, r, i, (read<T>(g.x, r, i) - mean) * scale + bias);
}

template <typename S> __device__ inline void blend(const normalization_arguments &g, void *at, S value)
{
    S scaled = S(g.parameter_alpha) * value;
    place<S>(at) = g.parameter_beta == 0 ? scaled : scaled + S(g.parameter_beta) * place<S>(at);
}

template <typename T> __device__ inline void backward(const normalization_arguments &g)
{
    typedef typename element<T>::sum sum;
    range r = of_block(g);
    sum mean, inverse;
    if (g.mean != nullptr && g.inverse != nullptr) {
        mean = place<sum>(g.mean);
        inverse = place<sum>(g.inverse);
    } else {
        moments<T> m(g, r);
        mean = m.mean;
        inverse = inverse_root(m.square / sum(r.count) + sum(g.epsilon));
    }
    sum all = 0, along = 0; // the sums of the gradient, and the sums over the gradient times the normalized input
    for (unsigned i = threadIdx.x; i < r.count; i += DNN_THREADS) {
        sum dy = read<T>(g.y, r, i);
        all += dy;
        along += dy * (read<T>(g.x, r, i) - mean) * inverse;
    }
    all = total(all);
    along = total(along);
    sum scale = parameter(g.scale, sum(1)) * inverse, count = sum(r.count);
    for (unsigned i = threadIdx.x; i < r.count; i += DNN_THREADS) {
        sum normalized = (read<T>(g.x, r, i) - mean) * inverse;
        write<T>(g, g.dx, r, i, scale * (read<T>(g.y, r, i) - all / count - normalized * along / count));
    }
    if (threadIdx.x == 0) {
        blend(g, g.scale_gradient, along);
        blend(g, g.bias_gradient, all);
    }
}

} // namespace

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(DNN_THREADS)                                                          \
        subcore_normalization_##name(const __grid_constant__ normalization_arguments g)                                \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_TYPE(name, type)                                                                                            \
    KERNEL(forward_##name, forward<type>)                                                                              \
    KERNEL(inference_##name, inference<type>)                                                                          \
    KERNEL(backward_##name, backward<type>)

OF_TYPE(f32, float)
OF_TYPE(f64, double)
OF_TYPE(f16, __half)
OF_TYPE(bf16, __nv_bfloat16)
