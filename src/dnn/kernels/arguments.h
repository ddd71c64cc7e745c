/* Arguments of the kernels, as host and device see them. */
#ifndef SUBCORE_DNN_KERNELS_ARGUMENTS_H
#define SUBCORE_DNN_KERNELS_ARGUMENTS_H

enum { DNN_SPACE = 3, DNN_DIMENSIONS = 5, DNN_ADDENDS = 2, DNN_TILE = 32, DNN_THREADS = 256 };

/* Images, channels, then depth, height and width. Steps are in elements. Missing dimensions of space have the size 1. A
 * filter has output channels for images and the input channels of one group for channels. */
struct dnn_tensor {
    void *data;
    long long steps[DNN_DIMENSIONS];
    unsigned sizes[DNN_DIMENSIONS];
    unsigned spare;
};

/* Each kernel computes result(p, q) = alpha * sum over l of left(p, l) * right(l, q) + beta * result(p, q) for each
 * group of channels. Forward, p counts positions of the output in all images, q output channels, l input channels and
 * filter taps, and addends come to the result. The gradients exchange these roles. */
/* A tensor that is added to the output. Along dimensions of one element its steps are 0. */
struct dnn_addend {
    struct dnn_tensor tensor;
    double scale;
};

struct convolution_arguments {
    struct dnn_tensor x, w, y;
    int padding[DNN_SPACE], stride[DNN_SPACE], dilation[DNN_SPACE];
    unsigned flipped; /* a true convolution: the filter's last tap meets the first element */
    unsigned groups;
    unsigned inputs, outputs;      /* channels of a group */
    unsigned rows, columns, depth; /* p, q and l are below these */
    double alpha, beta;
    struct dnn_addend addends[DNN_ADDENDS]; /* forward only */
    unsigned addend_count;
    unsigned positive; /* results below zero become zero; forward only */
};

/* Batch normalization: a block has a set of parameters, and all elements that share it. */
struct normalization_arguments {
    struct dnn_tensor x, y;   /* y is the result, or its gradient going back */
    struct dnn_tensor dx;     /* going back: the gradient of x */
    const void *scale, *bias; /* parameters are FP32, of FP64 tensors FP64; null for 1 and 0 */
    void *scale_gradient, *bias_gradient;
    void *running_mean, *running_variance; /* or null */
    void *mean, *inverse;                  /* of this batch: saved going forth, or null; read going back, or null */
    unsigned each;                         /* every element of an image has its own parameters, not every channel */
    unsigned spare;
    double alpha, beta, factor, epsilon;
    double parameter_alpha, parameter_beta;
};

/* The random generator of dropout, in device memory. */
struct dropout_state {
    unsigned long long seed, count;
};

struct dropout_seed_arguments {
    struct dropout_state *state;
    struct dropout_state value;
};

/* A thread has one element. Going back, x is the output's gradient and y the input's. */
struct dropout_arguments {
    struct dnn_tensor x, y;
    unsigned char *mask; /* 1 for a kept element */
    const struct dropout_state *state;
    unsigned long long count;
    double probability, scale;
};

#endif
