/* The common part of cuBLAS level 3 and cuSOLVER: factorizations, and the solution of systems with them. */
#ifndef SUBCORE_BLAS_SOLVE_H
#define SUBCORE_BLAS_SOLVE_H

#include "blas/blas.h"
#include "blas/kernels/solve.h"

enum solve_triangle { SOLVE_LOWER = 0, SOLVE_UPPER = 1 };

/* Matrices of one size: one, or a list of addresses in device memory. */
struct solve_task {
    unsigned type; /* enum gemm_type */
    long long rows, columns, lda, ldb, batch;
    bool list;
    const void *a, *b;  /* factors, and right-hand sides of `columns` columns or the matrix for a result */
    int *pivots, *info; /* in device memory */
};

/* Starts P A = L U, or without pivots A = L U. */
cublasStatus_t solve_lu(const struct blas *blas, const struct solve_task *task);

/* Starts A = L L' or U' U. */
cublasStatus_t solve_cholesky(const struct blas *blas, const struct solve_task *task, int triangle);

/* Solves op(A) X = B with the factors of solve_lu. It replaces B. */
cublasStatus_t solve_with_lu(const struct blas *blas, const struct solve_task *task, int operation);

/* Solves A X = B with the factor of solve_cholesky. It replaces B. */
cublasStatus_t solve_with_cholesky(const struct blas *blas, const struct solve_task *task, int triangle);

#endif
