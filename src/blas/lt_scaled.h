/* Products of FP8 and FP4 matrices with scales by block: both are widened to FP32 and then multiplied. */
#ifndef SUBCORE_BLAS_LT_SCALED_H
#define SUBCORE_BLAS_LT_SCALED_H

#include "blas/kernels/scaled.h"
#include "blas/product.h"

/* The operands as the program gave them. */
struct lt_scaled {
    bool used; /* else the other fields have no meaning */
    struct product_matrix a, b;
    const void *scale_a, *scale_b;
    int mode_a, mode_b; /* enum scaled_mode */
};

/* Replaces the operands of a product by widened ones if their modes need it. Returns CUBLAS_STATUS_NOT_SUPPORTED if
 * there is no kernel for the types, the modes or the transposes. */
cublasStatus_t lt_scaled_take(const struct blas *blas, struct lt_scaled *scaled, struct product *product, int mode_a,
                              int mode_b);

/* Widens the operands, in memory that lives until lt_scaled_end. */
cublasStatus_t lt_scaled_begin(const struct blas *blas, const struct lt_scaled *scaled, struct product *product,
                               CUstream stream);
cublasStatus_t lt_scaled_end(const struct lt_scaled *scaled, const struct product *product, CUstream stream);

#endif
