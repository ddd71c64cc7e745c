// Functions of single elements: sums and products of two tensors, copies, and activations with their gradients.
#include "tensor.cuh"

#include "pointwise_arguments.h"

namespace {

template <typename S> __device__ inline S limited(const pointwise_arguments &g, S a, S b)
{
    if (g.nan && (a != a || b != b))
        return a + b;
    return g.operation == POINTWISE_MIN ? fmin(a, b) : fmax(a, b);
}

template <typename S> __device__ inline S combined(const pointwise_arguments &g, S a, S b)
{
    switch (g.operation) {
    case POINTWISE_ADD: return a + b;
    case POINTWISE_MUL: return a * b;
    case POINTWISE_MIN:
    case POINTWISE_MAX: return limited(g, a, b);
    case POINTWISE_SQRT: return sqrt(a);
    case POINTWISE_NOT: return 1 - a;
    default: return a;
    }
}

template <typename T> __device__ inline void operation(const pointwise_arguments &g)
{
    typedef typename element<T>::sum sum;
    if (thread() >= elements(g.c))
        return;
    position p(g.c, thread());
    sum a = g.a.data != nullptr ? sum(g.alpha) * read<T>(g.a, offset(g.a, p)) : sum(g.alpha);
    sum b = g.b.data != nullptr ? sum(g.other) * read<T>(g.b, offset(g.b, p)) : sum(0);
    blend<T>(g.c, offset(g.c, p), combined(g, a, b), 1, g.beta);
}

template <typename S> __device__ inline S sigmoid(S x) { return 1 / (1 + exp(-x)); }

template <typename S> __device__ inline S activated(const activation_arguments &g, S x)
{
    S positive = x > 0 || (g.nan && x != x) ? x : S(0);
    switch (g.mode) {
    case ACTIVATION_SIGMOID: return sigmoid(x);
    case ACTIVATION_RELU: return positive;
    case ACTIVATION_TANH: return tanh(x);
    case ACTIVATION_CLIPPED: return positive > S(g.coefficient) ? S(g.coefficient) : positive;
    case ACTIVATION_ELU: return x > 0 ? x : S(g.coefficient) * expm1(x);
    case ACTIVATION_SWISH: return x * sigmoid(S(g.slope) * x);
    default: return x;
    }
}

template <typename T> __device__ inline void activation(const activation_arguments &g)
{
    if (thread() >= elements(g.y))
        return;
    position p(g.y, thread());
    blend<T>(g.y, offset(g.y, p), activated(g, read<T>(g.x, offset(g.x, p))), g.alpha, g.beta);
}

// The slope at x, whose value is y.
template <typename S> __device__ inline S slope(const activation_arguments &g, S x, S y)
{
    switch (g.mode) {
    case ACTIVATION_SIGMOID: return y * (1 - y);
    case ACTIVATION_RELU: return x > 0 || (g.nan && x != x) ? S(1) : S(0);
    case ACTIVATION_TANH: return 1 - y * y;
    case ACTIVATION_CLIPPED: return x > 0 && x < S(g.coefficient) ? S(1) : S(0);
    case ACTIVATION_ELU: return x > 0 ? S(1) : y + S(g.coefficient);
    case ACTIVATION_SWISH: {
        S part = sigmoid(S(g.slope) * x);
        return part + S(g.slope) * x * part * (1 - part);
    }
    default: return S(1);
    }
}

template <typename T> __device__ inline void activation_gradient(const activation_arguments &g)
{
    typedef typename element<T>::sum sum;
    if (thread() >= elements(g.dx))
        return;
    position p(g.dx, thread());
    sum x = read<T>(g.x, offset(g.x, p)), y = read<T>(g.y, offset(g.y, p)), dy = read<T>(g.dy, offset(g.dy, p));
    blend<T>(g.dx, offset(g.dx, p), slope(g, x, y) * dy, g.alpha, g.beta);
}

} // namespace

DNN_KERNELS(pointwise_operation, pointwise_arguments, operation)
DNN_KERNELS(pointwise_activation, activation_arguments, activation)
DNN_KERNELS(pointwise_activation_gradient, activation_arguments, activation_gradient)
