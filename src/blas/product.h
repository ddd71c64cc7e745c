/* A matrix product in the form of the interfaces, column by column: D = finish(alpha op(A) op(B) + beta C). */
#ifndef SUBCORE_BLAS_PRODUCT_H
#define SUBCORE_BLAS_PRODUCT_H

#include "blas/blas.h"
#include "blas/kernels/gemm.h"

/* cublasComputeType_t, as documented. */
enum blas_compute {
    BLAS_COMPUTE_16F = 64,
    BLAS_COMPUTE_16F_PEDANTIC = 65,
    BLAS_COMPUTE_32F = 68,
    BLAS_COMPUTE_32F_PEDANTIC = 69,
    BLAS_COMPUTE_64F = 70,
    BLAS_COMPUTE_64F_PEDANTIC = 71,
    BLAS_COMPUTE_32I = 72,
    BLAS_COMPUTE_32I_PEDANTIC = 73,
    BLAS_COMPUTE_32F_FAST_16F = 74,
    BLAS_COMPUTE_32F_FAST_16BF = 75,
    BLAS_COMPUTE_32F_FAST_TF32 = 77,
    BLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
    BLAS_COMPUTE_64F_EMULATED = 79
};

struct product_matrix {
    const void *data; /* or an array of matrices, in device memory */
    bool list;
    unsigned type; /* enum gemm_type */
    int operation; /* of A and B */
    long long ld, stride;
};

struct product {
    long long m, n, k, batch;
    struct product_matrix a, b, c, d;
    unsigned compute;
    const void *alpha, *beta;
    bool device_scalars;
    bool wide_result; /* D is FP32 also if C is narrow */
    bool broadcasts;  /* C may have a leading dimension of 0: all columns are the first one */
    bool widened;     /* A and B are FP32 copies of narrow matrices, so that D may be narrow too */
    /* Further settings, of cublasLt only. */
    unsigned steps; /* enum gemm_step */
    const void *bias;
    unsigned bias_type;
    long long bias_stride;
    const void *aux;
    unsigned aux_type;
    long long aux_ld, aux_stride;
    const float *scale_a, *scale_b, *scale_c, *scale_d;
};

/* Returns true if there is a kernel for these types, and false also if the architecture lacks them. */
bool product_possible(const struct blas *blas, const struct product *product);

/* Returns the documented status of wrong arguments, CUBLAS_STATUS_NOT_SUPPORTED if there is no kernel, else
 * CUBLAS_STATUS_SUCCESS. */
cublasStatus_t product_check(const struct blas *blas, const struct product *product);

/* Checks a product and starts it. */
cublasStatus_t product_run(const struct blas *blas, const struct product *product, CUstream stream);

/* Reads a scalar from host memory: [0] its real part, [1] its imaginary part. */
void product_scalar(double value[2], const void *at, unsigned type);

/* Returns the bytes of an element, 0 for an unknown type. */
unsigned product_size(unsigned type);

#endif
