/* The common parts of levels 2 and 3 for structured matrices. */
#ifndef SUBCORE_BLAS_STRUCTURED_H
#define SUBCORE_BLAS_STRUCTURED_H

#include "blas/blas.h"
#include "blas/kernels/structured.h"

enum { LOWER = 0, UPPER = 1, NON_UNIT = 0, UNIT = 1, LEFT = 0, RIGHT = 1 };

static inline bool triangle_is(int uplo) { return uplo == LOWER || uplo == UPPER; }
static inline bool diagonal_is(int diag) { return diag == NON_UNIT || diag == UNIT; }
static inline bool operation_is(int operation)
{
    return operation == BLAS_N || operation == BLAS_T || operation == BLAS_C;
}
static inline long long at_least_one(long long n) { return n > 1 ? n : 1; }

/* Writes a scalar into `value`, or its address into `at` if the pointer mode says so. Returns false if it is null. */
bool structured_scalar(const struct blas *blas, const void *given, unsigned type, double value[2], const void **at);

/* Starts the kernel subcore_structured_NAME_TYPE. */
cublasStatus_t structured_launch(const struct blas *blas, const char *name, unsigned type,
                                 const struct blas_shape *shape, void *arguments);

/* Returns the type of the real part: GEMM_F32 for GEMM_C32. */
unsigned structured_real(unsigned type);

#endif
