/* The requests of an operation graph. */
#ifndef SUBCORE_DNN_GRAPH_H
#define SUBCORE_DNN_GRAPH_H

#include "dnn/descriptor.h"

/* Writes the convolution of a graph, and the numbers of its tensors. Returns CUDNN_STATUS_NOT_SUPPORTED for a graph
 * that is something else than a gradient, or a convolution with up to two sums and a ReLU behind it. */
cudnnStatus_t backend_convolution(const struct backend *graph, struct convolution *out,
                                  int64_t ids[CONVOLUTION_TENSORS]);

#endif
