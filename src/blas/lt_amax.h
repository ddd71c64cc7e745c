/* Products whose FP8 result comes with its largest size: they are made in FP32, and then stored. */
#ifndef SUBCORE_BLAS_LT_AMAX_H
#define SUBCORE_BLAS_LT_AMAX_H

#include "blas/product.h"

/* The result as the program wants it. */
struct lt_amax {
    float *amax; /* in device memory; null if it is not wanted, and then the other fields have no meaning */
    struct product_matrix d;
    const float *scale;
};

/* Replaces the result by one of FP32 if the largest size is wanted. Returns CUBLAS_STATUS_NOT_SUPPORTED if the result
 * is not FP8. */
cublasStatus_t lt_amax_take(struct lt_amax *amax, struct product *product, void *at);

/* Makes room for the FP32 result, which lives until lt_amax_end. The latter stores the result. */
cublasStatus_t lt_amax_begin(const struct lt_amax *amax, struct product *product, CUstream stream);
cublasStatus_t lt_amax_end(const struct blas *blas, const struct lt_amax *amax, const struct product *product,
                           bool stores, CUstream stream);

#endif
