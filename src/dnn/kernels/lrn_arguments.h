/* Arguments of the kernels for local response normalization, as host and device see them. */
#ifndef SUBCORE_DNN_KERNELS_LRN_ARGUMENTS_H
#define SUBCORE_DNN_KERNELS_LRN_ARGUMENTS_H

#include "dnn/kernels/arguments.h"

/* y = x / (k + a / n * sum of squares)^b. The sum has n neighbouring channels. */
struct lrn_arguments {
    struct dnn_tensor x, y;
    struct dnn_tensor dy, dx; /* going back only */
    unsigned n, spare;
    double a, b, k;
    double alpha, beta;
};

#endif
