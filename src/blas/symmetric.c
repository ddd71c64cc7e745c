/* Factorizations of symmetric, possibly indefinite matrices, and the solution of systems with them. */
#include <limits.h>
#include <stdio.h>

#include "blas/kernels/symmetric.h"
#include "blas/product.h"
#include "blas/solve.h"
#include "blas/solver.h"
#include "blas/vector.h"

static cusolverStatus_t launch(const struct blas *blas, const char *name, unsigned type, unsigned blocks,
                               struct symmetric_arguments *g)
{
    char kernel[48];
    struct blas_shape shape = {.grid = {blocks, 1, 1}, .threads = SYMMETRIC_THREADS};
    snprintf(kernel, sizeof kernel, "subcore_%s_%s", name, vector_type_name(type));
    return solver_status(blas_launch(blas, BLAS_SYMMETRIC, kernel, &shape, blas->stream, g));
}

static long long least(long long n) { return n > 1 ? n : 1; }

static bool triangle(int word) { return word == SOLVE_LOWER || word == SOLVE_UPPER; }

/* Reports one element of work: programs reserve the reported size, and the library needs none. */
static cusolverStatus_t tell(const struct blas *blas, int n, int lda, int *elements)
{
    if (!blas_lives(blas))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (n < 0 || lda < least(n) || elements == NULL)
        return CUSOLVER_STATUS_INVALID_VALUE;
    *elements = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t factor(const struct blas *blas, unsigned type, int word, struct symmetric_arguments *g,
                               const char *name)
{
    if (!blas_lives(blas))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!triangle(word) || g->n > INT_MAX || g->lda < least(g->n) || g->info == NULL || (g->n > 0 && g->a == NULL))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (word == SOLVE_UPPER)
        return solver_refuse(name, "upper triangles");
    return launch(blas, "sytrf", type, 1, g);
}

#define SYTRF(letter, type)                                                                                            \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##sytrf_bufferSize, struct blas *handle, int n, void *A, int lda,     \
             int *elements)                                                                                            \
    {                                                                                                                  \
        (void)A;                                                                                                       \
        return tell(handle, n, lda, elements);                                                                         \
    }                                                                                                                  \
    BLAS_API(cusolverStatus_t, cusolverDn##letter##sytrf, struct blas *handle, int uplo, int n, void *A, int lda,      \
             int *pivots, void *work, int elements, int *info)                                                         \
    {                                                                                                                  \
        struct symmetric_arguments g = {.a = A, .lda = lda, .n = (unsigned)n, .pivots = pivots, .info = info};         \
        (void)work, (void)elements;                                                                                    \
        return factor(handle, type, uplo, &g, "cusolverDn" #letter "sytrf");                                           \
    }
SYTRF(S, GEMM_F32)
SYTRF(D, GEMM_F64)
SYTRF(C, GEMM_C32)
SYTRF(Z, GEMM_C64)

BLAS_API(cusolverStatus_t, cusolverDnXsytrs_bufferSize, struct blas *handle, int uplo, int64_t n, int64_t columns,
         int type_a, const void *A, int64_t lda, const int64_t *pivots, int type_b, void *B, int64_t ldb,
         size_t *device_bytes, size_t *host_bytes)
{
    (void)uplo, (void)n, (void)columns, (void)type_a, (void)A, (void)lda, (void)pivots, (void)type_b, (void)B;
    (void)ldb;
    return solver_tell_bytes(handle, device_bytes, host_bytes);
}

BLAS_API(cusolverStatus_t, cusolverDnXsytrs, struct blas *handle, int uplo, int64_t n, int64_t columns, int type_a,
         const void *A, int64_t lda, const int64_t *pivots, int type_b, void *B, int64_t ldb, void *on_device,
         size_t device_bytes, void *on_host, size_t host_bytes, int *info)
{
    unsigned type = (unsigned)type_a;
    (void)on_device, (void)device_bytes, (void)on_host, (void)host_bytes;
    if (!blas_lives(handle))
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (!triangle(uplo) || n < 0 || n > INT_MAX || columns < 0 || columns > INT_MAX || lda < least(n) ||
        ldb < least(n) || info == NULL || (n > 0 && columns > 0 && (A == NULL || B == NULL || pivots == NULL)))
        return CUSOLVER_STATUS_INVALID_VALUE;
    if (type_a != type_b || (type != GEMM_F32 && type != GEMM_F64 && type != GEMM_C32 && type != GEMM_C64))
        return CUSOLVER_STATUS_NOT_SUPPORTED;
    if (uplo == SOLVE_UPPER)
        return solver_refuse("cusolverDnXsytrs", "upper triangles");
    struct symmetric_arguments g = {.a = (void *)(uintptr_t)A,
                                    .b = B,
                                    .lda = lda,
                                    .ldb = ldb,
                                    .n = (unsigned)n,
                                    .sides = (unsigned)columns,
                                    .wide_pivots = (const long long *)(const void *)pivots,
                                    .info = info};
    return launch(handle, "sytrs", type, (g.sides + SYMMETRIC_THREADS) / SYMMETRIC_THREADS, &g);
}
