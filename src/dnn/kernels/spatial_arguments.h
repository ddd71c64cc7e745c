/* Arguments of the kernels for spatial transformers, as host and device see them. A grid has two coordinates between -1
 * and 1 for each output position, first that along the width. */
#ifndef SUBCORE_DNN_KERNELS_SPATIAL_ARGUMENTS_H
#define SUBCORE_DNN_KERNELS_SPATIAL_ARGUMENTS_H

#include "dnn/kernels/arguments.h"

enum { SPATIAL_TILE = 16, SPATIAL_CHANNELS = 8 };

/* Theta has two rows with three factors for each image. Going back, both are gradients. */
struct affine_arguments {
    void *theta, *grid;
    unsigned images, height, width, spare;
};

/* Going back, y is the gradient of the output, and dx and dgrid are results. */
struct sampler_arguments {
    struct dnn_tensor x, y, dx;
    const void *grid;
    void *dgrid;
    double alpha, beta, grid_alpha, grid_beta;
};

#endif
