/* How to drop elements out, and the generator of the numbers. */
#ifndef SUBCORE_DNN_DROPOUT_H
#define SUBCORE_DNN_DROPOUT_H

#include "dnn/dnn.h"
#include "dnn/kernels/arguments.h"

/* A cudnnDropoutDescriptor_t points to it. */
struct dropout {
    float probability;
    struct dropout_state *states; /* in device memory, or null */
    unsigned long long seed;
};

/* Writes y and the mask of kept elements, and moves the state on. Arguments have the tensors and the mask. */
cudnnStatus_t dropout_forward(const struct dnn *dnn, const struct dropout *how, int type, struct dropout_arguments *g);

/* Lets the gradient of kept elements through. */
cudnnStatus_t dropout_backward(const struct dnn *dnn, const struct dropout *how, int type, struct dropout_arguments *g);

#endif
