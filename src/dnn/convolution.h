/* A convolution, or one of its gradients, checked and ready to be started. */
#ifndef SUBCORE_DNN_CONVOLUTION_H
#define SUBCORE_DNN_CONVOLUTION_H

#include "dnn/dnn.h"
#include "dnn/kernels/arguments.h"

enum convolution_kind { CONVOLUTION_FORWARD, CONVOLUTION_DATA, CONVOLUTION_FILTER };

/* A tensor as programs describe it. */
struct dnn_shape {
    int type, count;                                      /* cudnnDataType_t; dimensions, at most DNN_DIMENSIONS */
    int64_t sizes[DNN_DIMENSIONS], steps[DNN_DIMENSIONS]; /* steps in elements */
};

/* The tensors of a convolution, by their places in lists of addresses and numbers. */
enum convolution_tensor { CONVOLUTION_X, CONVOLUTION_W, CONVOLUTION_Y, CONVOLUTION_ADDENDS, CONVOLUTION_TENSORS = 5 };

struct convolution_shape {
    enum convolution_kind kind;
    struct dnn_shape x, w, y;
    int space; /* its dimensions: 1 to 3 */
    int64_t before[DNN_SPACE], after[DNN_SPACE], stride[DNN_SPACE], dilation[DNN_SPACE];
    bool flipped;
    double alpha, beta;
    /* The operations behind CONVOLUTION_FORWARD. Sizes are those of y, or 1. */
    struct dnn_shape addends[DNN_ADDENDS];
    double scales[DNN_ADDENDS];
    int addend_count;
    bool positive;
};

struct convolution {
    enum convolution_kind kind;
    int type;
    struct convolution_arguments arguments; /* without the addresses of the tensors */
};

/* Checks the shapes, and fills `out`. Returns CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH if they contradict each other, and
 * CUDNN_STATUS_NOT_SUPPORTED if there is no kernel. */
cudnnStatus_t convolution_make(const struct convolution_shape *shape, struct convolution *out);

/* Starts it on tensors in device memory. */
cudnnStatus_t convolution_run(const struct dnn *dnn, const struct convolution *convolution,
                              const void *const data[CONVOLUTION_TENSORS]);

#endif
