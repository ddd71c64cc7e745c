/* Level 2 by name: a matrix and vectors. Each function has a 32-bit and a 64-bit form. */
#include <stdio.h>

#include "blas/product.h"
#include "blas/vector.h"

enum { THREADS = 256, ROWS_OF_BLOCK = 32, COLUMNS_OF_BLOCK = 8, MOST_BLOCKS_Y = 65535 };

static unsigned blocks(long long count, int each) { return (unsigned)((count + each - 1) / each); }

static cublasStatus_t launch(cublasHandle_t handle, const char *name, unsigned type, const struct blas_shape *shape,
                             struct vector_arguments *g)
{
    char kernel[64];
    snprintf(kernel, sizeof kernel, "subcore_%s_%s", name, vector_type_name(type));
    return blas_launch(handle, BLAS_VECTOR, kernel, shape, handle->stream, g);
}

/* ---- y = alpha op(A) x + beta y ---------------------------------------------------------------------------------- */

struct gemv {
    int operation;
    long long m, n, lda, incx, incy;
    const void *alpha, *a, *x, *beta;
    void *y;
};

static bool is_zero(const struct blas *blas, const double scalar[2])
{
    return blas->pointer_mode == BLAS_HOST && scalar[0] == 0 && scalar[1] == 0;
}

static cublasStatus_t check_gemv(const struct blas *blas, const struct gemv *p)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (p->operation != BLAS_N && p->operation != BLAS_T && p->operation != BLAS_C)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (p->m < 0 || p->n < 0 || p->lda < (p->m > 1 ? p->m : 1) || p->incx == 0 || p->incy == 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    return p->alpha == NULL || p->beta == NULL ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t gemv(cublasHandle_t handle, unsigned type, const struct gemv *p)
{
    cublasStatus_t status = check_gemv(handle, p);
    if (status != CUBLAS_STATUS_SUCCESS || p->m == 0 || p->n == 0)
        return status;
    bool by_rows = p->operation == BLAS_N;
    struct vector_arguments g = {
        .x = vector_of(p->x, type, by_rows ? p->n : p->m, p->incx),
        .y = vector_of(p->y, type, by_rows ? p->m : p->n, p->incy),
        .matrix = (void *)(uintptr_t)p->a,
        .rows = p->m,
        .columns = p->n,
        .pitch = p->lda,
        .conjugate = p->operation == BLAS_C,
    };
    vector_alpha(handle, &g, p->alpha, type);
    vector_beta(handle, &g, p->beta, type);
    if (p->y == NULL || (!is_zero(handle, g.alpha) && (p->a == NULL || p->x == NULL)))
        return CUBLAS_STATUS_INVALID_VALUE;
    struct blas_shape shape = {.grid = {by_rows ? blocks(p->m, ROWS_OF_BLOCK) : blocks(p->n, COLUMNS_OF_BLOCK), 1, 1},
                               .threads = THREADS};
    return launch(handle, by_rows ? "gemv_rows" : "gemv_columns", type, &shape, &g);
}

#define GEMV(name, type)                                                                                               \
    GEMV_OF(name, int, type)                                                                                           \
    GEMV_OF(name##_64, int64_t, type)
#define GEMV_OF(name, number, type)                                                                                    \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int trans, number m, number n, const void *alpha,            \
             const void *A, number lda, const void *x, number incx, const void *beta, void *y, number incy)            \
    {                                                                                                                  \
        struct gemv p = {trans, m, n, lda, incx, incy, alpha, A, x, beta, y};                                          \
        return gemv(handle, type, &p);                                                                                 \
    }

GEMV(cublasSgemv_v2, GEMM_F32)
GEMV(cublasDgemv_v2, GEMM_F64)
GEMV(cublasCgemv_v2, GEMM_C32)
GEMV(cublasZgemv_v2, GEMM_C64)

/* ---- A = alpha x y' + A ------------------------------------------------------------------------------------------ */

struct ger {
    long long m, n, incx, incy, lda;
    const void *alpha, *x, *y;
    void *a;
};

static cublasStatus_t ger(cublasHandle_t handle, unsigned type, bool conjugate, const struct ger *p)
{
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (p->m < 0 || p->n < 0 || p->incx == 0 || p->incy == 0 || p->lda < (p->m > 1 ? p->m : 1) || p->alpha == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (p->m == 0 || p->n == 0)
        return CUBLAS_STATUS_SUCCESS;
    struct vector_arguments g = {
        .x = vector_of(p->x, type, p->m, p->incx),
        .y = vector_of(p->y, type, p->n, p->incy),
        .matrix = p->a,
        .rows = p->m,
        .columns = p->n,
        .pitch = p->lda,
        .conjugate = conjugate,
    };
    vector_alpha(handle, &g, p->alpha, type);
    if (is_zero(handle, g.alpha))
        return CUBLAS_STATUS_SUCCESS;
    if (p->a == NULL || p->x == NULL || p->y == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct blas_shape shape = {
        .grid = {blocks(p->m, THREADS), (unsigned)(p->n < MOST_BLOCKS_Y ? p->n : MOST_BLOCKS_Y), 1},
        .threads = THREADS};
    return launch(handle, "ger", type, &shape, &g);
}

#define GER(name, type, conjugate)                                                                                     \
    GER_OF(name, int, type, conjugate)                                                                                 \
    GER_OF(name##_64, int64_t, type, conjugate)
#define GER_OF(name, number, type, conjugate)                                                                          \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, number m, number n, const void *alpha, const void *x,        \
             number incx, const void *y, number incy, void *A, number lda)                                             \
    {                                                                                                                  \
        struct ger p = {m, n, incx, incy, lda, alpha, x, y, A};                                                        \
        return ger(handle, type, conjugate, &p);                                                                       \
    }

GER(cublasSger_v2, GEMM_F32, false)
GER(cublasDger_v2, GEMM_F64, false)
GER(cublasCgeru_v2, GEMM_C32, false)
GER(cublasCgerc_v2, GEMM_C32, true)
GER(cublasZgeru_v2, GEMM_C64, false)
GER(cublasZgerc_v2, GEMM_C64, true)
