/* Arguments of the kernels for softmax, as host and device see them. */
#ifndef SUBCORE_DNN_KERNELS_SOFTMAX_ARGUMENTS_H
#define SUBCORE_DNN_KERNELS_SOFTMAX_ARGUMENTS_H

#include "dnn/kernels/arguments.h"

/* cudnnSoftmaxAlgorithm_t */
enum softmax_algorithm { SOFTMAX_FAST, SOFTMAX_ACCURATE, SOFTMAX_LOG, SOFTMAX_ALGORITHMS };

/* A warp has one set of elements whose results sum up to 1: an image, or the channels at one position. */
struct softmax_arguments {
    struct dnn_tensor x, y; /* going back, x is the gradient of the input */
    struct dnn_tensor dy;   /* going back only */
    unsigned sets, each;
    unsigned inner; /* positions of an image if channels are a set, or 1 */
    unsigned algorithm;
    double alpha, beta;
};

#endif
