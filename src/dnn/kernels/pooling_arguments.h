/* Arguments of the kernels for pooling, as host and device see them. */
#ifndef SUBCORE_DNN_KERNELS_POOLING_ARGUMENTS_H
#define SUBCORE_DNN_KERNELS_POOLING_ARGUMENTS_H

#include "dnn/kernels/arguments.h"

/* cudnnPoolingMode_t */
enum pooling_mode { POOLING_MAX, POOLING_MEAN_OF_WINDOW, POOLING_MEAN, POOLING_MAX_IN_ORDER, POOLING_MODES };

struct pooling_arguments {
    struct dnn_tensor x, y;
    struct dnn_tensor dy, dx; /* going back only */
    int window[DNN_SPACE], padding[DNN_SPACE], stride[DNN_SPACE];
    unsigned mode, nan; /* nan: a maximum that meets a NaN is NaN */
    double alpha, beta;
};

#endif
