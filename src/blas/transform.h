/* Sums of scaled matrices, for cuBLAS's geam and for the transforms of cublasLt. */
#ifndef SUBCORE_BLAS_TRANSFORM_H
#define SUBCORE_BLAS_TRANSFORM_H

#include "blas/blas.h"
#include "blas/kernels/transform.h"

/* Writes alpha or beta, whose type is the type of the sum, into the arguments. */
void transform_scalars(struct transform_arguments *g, unsigned type, const void *alpha, const void *beta,
                       bool on_device);

/* Returns true if a scalar is known to be zero, so that its term is not read. */
bool transform_skips(const void *at, const double value[2]);

/* Starts the kernel whose sums have this type. Without elements it starts nothing. */
cublasStatus_t transform_run(const struct blas *blas, unsigned type, struct transform_arguments *g, CUstream stream);

#endif
