/* Arguments of the kernel for connectionist temporal classification, as host and device see them. */
#ifndef SUBCORE_DNN_KERNELS_CTC_ARGUMENTS_H
#define SUBCORE_DNN_KERNELS_CTC_ARGUMENTS_H

#include "dnn/kernels/arguments.h"

/* Sizes of the tensors are time steps, samples and, as the last one, classes. Class 0 is the blank. */
struct ctc_arguments {
    struct dnn_tensor probabilities;
    struct dnn_tensor gradients; /* without an address: none are asked for */
    const int *labels;           /* of all samples, one after the other */
    const int *label_lengths, *input_lengths;
    float *costs;
    float *scales;          /* work memory: logarithms of the sums, for each sample and step */
    float *forward;         /* work memory: logarithms of path sums, for each sample, step and state */
    float *backward;        /* work memory: two rows of these for each sample */
    unsigned longest;       /* no label is longer */
    unsigned softmax, skip; /* skip: gradients of impossible samples keep their values */
    unsigned spare;
};

#endif
