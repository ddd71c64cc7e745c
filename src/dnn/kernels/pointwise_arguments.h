/* Arguments of the kernels that treat each element alone, as host and device see them. */
#ifndef SUBCORE_DNN_KERNELS_POINTWISE_ARGUMENTS_H
#define SUBCORE_DNN_KERNELS_POINTWISE_ARGUMENTS_H

#include "dnn/kernels/arguments.h"

/* cudnnOpTensorOp_t, then the functions for one tensor. */
enum pointwise_operation {
    POINTWISE_ADD,
    POINTWISE_MUL,
    POINTWISE_MIN,
    POINTWISE_MAX,
    POINTWISE_SQRT,
    POINTWISE_NOT,
    POINTWISE_OPERATIONS,
    POINTWISE_COPY = POINTWISE_OPERATIONS,
    POINTWISE_SET
};

/* c = operation(alpha * a, other * b) + beta * c. Along dimensions of one element a and b have steps of 0. */
struct pointwise_arguments {
    struct dnn_tensor a, b, c;
    double alpha, other, beta; /* POINTWISE_SET writes alpha */
    unsigned operation, nan;   /* nan: minimum and maximum of a NaN are NaN */
};

/* cudnnActivationMode_t */
enum activation_mode {
    ACTIVATION_SIGMOID,
    ACTIVATION_RELU,
    ACTIVATION_TANH,
    ACTIVATION_CLIPPED,
    ACTIVATION_ELU,
    ACTIVATION_IDENTITY,
    ACTIVATION_SWISH,
    ACTIVATION_MODES
};

/* y = alpha * f(x) + beta * y. Going back, dx = alpha * f'(x) * dy + beta * dx. */
struct activation_arguments {
    struct dnn_tensor x, y, dy, dx;
    double alpha, beta;
    double coefficient, slope; /* a clipped ReLU's ceiling or an ELU's factor, and a swish's factor */
    unsigned mode, nan;        /* nan: ReLUs let NaNs through */
};

#endif
