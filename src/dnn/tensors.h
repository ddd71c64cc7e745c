/* Descriptors of the functions before the graph interface: tensors, filters, and how to convolve. */
#ifndef SUBCORE_DNN_TENSORS_H
#define SUBCORE_DNN_TENSORS_H

#include "dnn/convolution.h"

/* A cudnnTensorDescriptor_t and a cudnnFilterDescriptor_t point to it. */
struct tensor {
    struct dnn_shape shape;
    int format; /* of a filter: 0 channels first, 1 channels last */
};

/* A cudnnConvolutionDescriptor_t points to it. */
struct convolving {
    int space, mode, math, groups, type;
    int64_t padding[DNN_SPACE], stride[DNN_SPACE], dilation[DNN_SPACE];
};

/* A cudnnActivationDescriptor_t points to it. */
struct activating {
    bool set;
    int mode, nan;
    double coefficient, slope;
};

/* Writes a tensor as kernels see it. Returns false if it has no address. */
bool tensor_place(struct dnn_tensor *out, const struct tensor *t, const void *data);

/* Returns the blocks for kernels with a thread for each element, or 0 if there are too many. */
unsigned tensor_blocks(const struct dnn_tensor *t);

/* Whether two tensors have one type and the same sizes. */
bool tensors_alike(const struct tensor *a, const struct tensor *b);

#endif
