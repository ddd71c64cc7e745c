/* Arguments of the kernels for sums and other reductions of a tensor, as host and device see them. */
#ifndef SUBCORE_DNN_KERNELS_REDUCTION_ARGUMENTS_H
#define SUBCORE_DNN_KERNELS_REDUCTION_ARGUMENTS_H

#include "dnn/kernels/arguments.h"

/* cudnnReduceTensorOp_t */
enum reduction_operation {
    REDUCTION_ADD,
    REDUCTION_MUL,
    REDUCTION_MIN,
    REDUCTION_MAX,
    REDUCTION_LARGEST, /* maximum of absolute values */
    REDUCTION_MEAN,
    REDUCTION_NORM1,
    REDUCTION_NORM2,
    REDUCTION_MUL_NO_ZEROS,
    REDUCTION_OPERATIONS
};

/* A block has one element of c. It reduces those elements of a that differ only along dimensions in which c has one. */
struct reduction_arguments {
    struct dnn_tensor a, c;
    unsigned sizes[DNN_DIMENSIONS]; /* of the elements that a block reduces */
    unsigned count;                 /* of these elements */
    unsigned operation, nan;        /* nan: minimum and maximum of a NaN are NaN */
    unsigned *indices;              /* where a minimum or maximum was found, or null */
    double alpha, beta;
};

#endif
