/* Conversions between a triangle in a matrix and a packed one, and inverses of small matrices. */
#include <stdio.h>

#include "blas/kernels/gemm.h"
#include "blas/kernels/inverse.h"
#include "blas/kernels/transform.h"
#include "blas/structured.h"
#include "blas/vector.h"

enum { MOST_BLOCKS = 65535 };

/* ---- packed triangles -------------------------------------------------------------------------------------------- */

static cublasStatus_t convert(cublasHandle_t handle, unsigned type, int uplo, const struct packed_arguments *given)
{
    struct packed_arguments g = *given;
    char kernel[48];
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!triangle_is(uplo) || g.size < 0 || g.pitch < at_least_one(g.size))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (g.size == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (g.packed == NULL || g.matrix == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    g.upper = uplo == UPPER;
    struct blas_shape shape = {.grid = {(unsigned)((g.size + TRANSFORM_THREADS - 1) / TRANSFORM_THREADS),
                                        (unsigned)(g.size < MOST_BLOCKS ? g.size : MOST_BLOCKS), 1},
                               .threads = TRANSFORM_THREADS};
    snprintf(kernel, sizeof kernel, "subcore_packed_%s", vector_type_name(type));
    return blas_launch(handle, BLAS_TRANSFORM, kernel, &shape, handle->stream, &g);
}

#define PACKED(letter, type)                                                                                           \
    BLAS_API(cublasStatus_t, cublas##letter##tpttr, cublasHandle_t handle, int uplo, int n, const void *AP, void *A,   \
             int lda)                                                                                                  \
    {                                                                                                                  \
        struct packed_arguments g = {                                                                                  \
            .packed = (void *)(uintptr_t)AP, .matrix = A, .pitch = lda, .size = n, .unpack = 1};                       \
        return convert(handle, type, uplo, &g);                                                                        \
    }                                                                                                                  \
    BLAS_API(cublasStatus_t, cublas##letter##trttp, cublasHandle_t handle, int uplo, int n, const void *A, int lda,    \
             void *AP)                                                                                                 \
    {                                                                                                                  \
        struct packed_arguments g = {.packed = AP, .matrix = (void *)(uintptr_t)A, .pitch = lda, .size = n};           \
        return convert(handle, type, uplo, &g);                                                                        \
    }

PACKED(S, GEMM_F32)
PACKED(D, GEMM_F64)
PACKED(C, GEMM_C32)
PACKED(Z, GEMM_C64)

/* ---- inverses ---------------------------------------------------------------------------------------------------- */

static cublasStatus_t invert(cublasHandle_t handle, unsigned type, int n, long long batch, struct inverse_arguments *g)
{
    char kernel[48];
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (n < 0 || n > INVERSE_SIZE || batch < 0 || g->given_pitch < at_least_one(n) || g->result_pitch < at_least_one(n))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (n == 0 || batch == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (g->given == NULL || g->result == NULL || g->info == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    g->size = (unsigned)n;
    struct blas_shape shape = {.grid = {(unsigned)batch, 1, 1}, .threads = INVERSE_SIZE};
    snprintf(kernel, sizeof kernel, "subcore_inverse_%s", vector_type_name(type));
    return blas_launch(handle, BLAS_INVERSE, kernel, &shape, handle->stream, g);
}

#define MATINV(name, type)                                                                                             \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int n, const void *const A[], int lda, void *const Ainv[],   \
             int lda_inv, int *info, int batch)                                                                        \
    {                                                                                                                  \
        struct inverse_arguments g = {                                                                                 \
            .given = A, .result = Ainv, .info = info, .given_pitch = lda, .result_pitch = lda_inv};                    \
        return invert(handle, type, n, batch, &g);                                                                     \
    }

MATINV(cublasSmatinvBatched, GEMM_F32)
MATINV(cublasDmatinvBatched, GEMM_F64)
MATINV(cublasCmatinvBatched, GEMM_C32)
MATINV(cublasZmatinvBatched, GEMM_C64)
