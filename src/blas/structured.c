/* Level 2 by name for structured matrices: products, systems and updates. Each function has a 32-bit and a 64-bit
 * form. */
#include "blas/structured.h"

#include <stdio.h>

#include "blas/product.h"
#include "blas/vector.h"
#include "driver/abi/api_memory.h"

enum storage { FULL, BAND, PACKED };
enum { MOST_BLOCKS_Y = 65535 };

/* A call, with the program's numbers. */
struct call {
    unsigned type;
    enum structured_kind kind;
    enum storage storage;
    int uplo, trans, diag;
    long long m, n, below, above, lda, incx, incy;
    const void *alpha, *a, *x, *beta;
    void *y;
    bool has_y, real_alpha, both;
};

bool structured_scalar(const struct blas *blas, const void *given, unsigned type, double value[2], const void **at)
{
    if (given == NULL)
        return false;
    if (blas->pointer_mode == BLAS_DEVICE)
        *at = given;
    else
        product_scalar(value, given, type);
    return true;
}

unsigned structured_real(unsigned type) { return type == GEMM_C32 ? GEMM_F32 : type == GEMM_C64 ? GEMM_F64 : type; }

cublasStatus_t structured_launch(const struct blas *blas, const char *name, unsigned type,
                                 const struct blas_shape *shape, void *arguments)
{
    char kernel[64];
    snprintf(kernel, sizeof kernel, "subcore_structured_%s_%s", name, vector_type_name(type));
    return blas_launch(blas, BLAS_STRUCTURED, kernel, shape, blas->stream, arguments);
}

static cublasStatus_t check(const struct blas *blas, const struct call *c)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    bool pitch = c->storage == PACKED || c->lda >= (c->storage == BAND ? c->below + c->above + 1 : at_least_one(c->m));
    if (!triangle_is(c->uplo) || !operation_is(c->trans) || !diagonal_is(c->diag) || c->m < 0 || c->n < 0 ||
        c->below < 0 || c->above < 0 || !pitch || c->incx == 0 || (c->has_y && c->incy == 0))
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

static struct structured_arguments arguments_of(const struct call *c)
{
    bool wide = c->trans == BLAS_N;
    struct structured_arguments g = {
        .a = {.data = (void *)(uintptr_t)c->a,
              .pitch = c->lda,
              .rows = c->m,
              .columns = c->n,
              .below = c->below,
              .above = c->above,
              .banded = c->storage == BAND,
              .packed = c->storage == PACKED,
              .kind = c->kind,
              .lower = c->uplo == LOWER,
              .unit = c->diag == UNIT,
              .operation = (unsigned)c->trans},
        .x_step = c->incx,
        .y_step = c->incy,
        .real_alpha = c->real_alpha,
        .both = c->both,
    };
    g.x = vector_of(c->x, c->type, wide ? c->n : c->m, c->incx).data;
    g.y = vector_of(c->y, c->type, wide ? c->m : c->n, c->incy).data;
    if (c->storage == BAND && c->kind != STRUCTURED_GENERAL) { /* the band of one triangle is stored */
        g.a.below = g.a.lower ? c->below : 0;
        g.a.above = g.a.lower ? 0 : c->below;
    }
    return g;
}

static bool is_zero(const struct blas *blas, const double scalar[2])
{
    return blas->pointer_mode == BLAS_HOST && scalar[0] == 0 && scalar[1] == 0;
}

static cublasStatus_t multiply(const struct blas *blas, unsigned type, struct structured_arguments *g)
{
    long long rows = g->a.operation == BLAS_N ? g->a.rows : g->a.columns;
    struct blas_shape shape = {.grid = {(unsigned)((rows + STRUCTURED_ROWS - 1) / STRUCTURED_ROWS), 1, 1},
                               .threads = STRUCTURED_THREADS};
    return structured_launch(blas, "mv", type, &shape, g);
}

/* y = alpha op(A) x + beta y */
static cublasStatus_t product(const struct blas *blas, const struct call *c)
{
    cublasStatus_t status = check(blas, c);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    struct structured_arguments g = arguments_of(c);
    if (!structured_scalar(blas, c->alpha, c->type, g.alpha, &g.alpha_at) ||
        !structured_scalar(blas, c->beta, c->type, g.beta, &g.beta_at))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (c->m == 0 || c->n == 0)
        return CUBLAS_STATUS_SUCCESS;
    if (c->y == NULL || (!is_zero(blas, g.alpha) && (c->a == NULL || c->x == NULL)))
        return CUBLAS_STATUS_INVALID_VALUE;
    return multiply(blas, c->type, &g);
}

/* x = op(A) x, with a copy of x */
static cublasStatus_t in_place(const struct blas *blas, const struct call *c)
{
    CUdeviceptr copy;
    struct structured_arguments g = arguments_of(c);
    struct vector_arguments kept = {.x = {.data = g.x, .step = g.x_step}, .count = c->n};
    if (cuMemAllocAsync(&copy, (size_t)c->n * product_size(c->type), blas->stream) != CUDA_SUCCESS)
        return CUBLAS_STATUS_ALLOC_FAILED;
    kept.y = (struct vector_of){.data = (void *)(uintptr_t)copy, .step = 1};
    g.y = g.x;
    g.y_step = g.x_step;
    g.x = kept.y.data;
    g.x_step = 1;
    g.alpha[0] = 1;
    cublasStatus_t status = vector_each(blas, "copy", c->type, &kept);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = multiply(blas, c->type, &g);
    if (cuMemFreeAsync(copy, blas->stream) != CUDA_SUCCESS && status == CUBLAS_STATUS_SUCCESS)
        status = CUBLAS_STATUS_EXECUTION_FAILED;
    return status;
}

static cublasStatus_t triangle(const struct blas *blas, const struct call *c, bool solves)
{
    cublasStatus_t status = check(blas, c);
    if (status != CUBLAS_STATUS_SUCCESS || c->n == 0)
        return status;
    if (c->a == NULL || c->x == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!solves)
        return in_place(blas, c);
    struct structured_arguments g = arguments_of(c);
    struct blas_shape shape = {.grid = {1, 1, 1}, .threads = STRUCTURED_THREADS};
    return structured_launch(blas, "sv", c->type, &shape, &g);
}

static cublasStatus_t update(const struct blas *blas, const struct call *c)
{
    cublasStatus_t status = check(blas, c);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    struct structured_arguments g = arguments_of(c);
    unsigned type = c->real_alpha ? structured_real(c->type) : c->type;
    if (!structured_scalar(blas, c->alpha, type, g.alpha, &g.alpha_at))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (c->n == 0 || is_zero(blas, g.alpha))
        return CUBLAS_STATUS_SUCCESS;
    if (c->a == NULL || c->x == NULL || (c->both && c->y == NULL))
        return CUBLAS_STATUS_INVALID_VALUE;
    struct blas_shape shape = {.grid = {(unsigned)((c->n + STRUCTURED_THREADS - 1) / STRUCTURED_THREADS),
                                        (unsigned)(c->n < MOST_BLOCKS_Y ? c->n : MOST_BLOCKS_Y), 1},
                               .threads = STRUCTURED_THREADS};
    return structured_launch(blas, "update", c->type, &shape, &g);
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

#define BOTH_SIZES(FUNCTION, name, ...)                                                                                \
    FUNCTION(name, int, __VA_ARGS__)                                                                                   \
    FUNCTION(name##_64, int64_t, __VA_ARGS__)
#define SQUARE(of, is, in, pitch)                                                                                      \
    .type = (of), .kind = (is), .storage = (in), .m = n, .n = n, .lda = (pitch), .a = A, .x = x, .incx = incx
#define RESULT .alpha = alpha, .beta = beta, .y = y, .incy = incy, .has_y = true

#define GBMV(name, number, of)                                                                                         \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int trans, number m, number n, number kl, number ku,         \
             const void *alpha, const void *A, number lda, const void *x, number incx, const void *beta, void *y,      \
             number incy)                                                                                              \
    {                                                                                                                  \
        struct call c = {.type = (of),                                                                                 \
                         .storage = BAND,                                                                              \
                         .m = m,                                                                                       \
                         .n = n,                                                                                       \
                         .below = kl,                                                                                  \
                         .above = ku,                                                                                  \
                         .lda = lda,                                                                                   \
                         .a = A,                                                                                       \
                         .x = x,                                                                                       \
                         .incx = incx,                                                                                 \
                         .trans = trans,                                                                               \
                         RESULT};                                                                                      \
        return product(handle, &c);                                                                                    \
    }
#define SYMV(name, number, of, kind)                                                                                   \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, number n, const void *alpha, const void *A,        \
             number lda, const void *x, number incx, const void *beta, void *y, number incy)                           \
    {                                                                                                                  \
        struct call c = {SQUARE(of, kind, FULL, lda), RESULT, .uplo = uplo};                                           \
        return product(handle, &c);                                                                                    \
    }
#define SBMV(name, number, of, kind)                                                                                   \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, number n, number k, const void *alpha,             \
             const void *A, number lda, const void *x, number incx, const void *beta, void *y, number incy)            \
    {                                                                                                                  \
        struct call c = {SQUARE(of, kind, BAND, lda), RESULT, .uplo = uplo, .below = k};                               \
        return product(handle, &c);                                                                                    \
    }
#define SPMV(name, number, of, kind)                                                                                   \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, number n, const void *alpha, const void *A,        \
             const void *x, number incx, const void *beta, void *y, number incy)                                       \
    {                                                                                                                  \
        struct call c = {SQUARE(of, kind, PACKED, 0), RESULT, .uplo = uplo};                                           \
        return product(handle, &c);                                                                                    \
    }

#define TRIANGLE(of, in, pitch, k)                                                                                     \
    {                                                                                                                  \
        SQUARE(of, STRUCTURED_TRIANGLE, in, pitch), .uplo = uplo, .trans = trans, .diag = diag, .below = (k)           \
    }
#define TRMV(name, number, of, solves)                                                                                 \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, int trans, int diag, number n, const void *A,      \
             number lda, void *x, number incx)                                                                         \
    {                                                                                                                  \
        struct call c = TRIANGLE(of, FULL, lda, 0);                                                                    \
        return triangle(handle, &c, solves);                                                                           \
    }
#define TBMV(name, number, of, solves)                                                                                 \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, int trans, int diag, number n, number k,           \
             const void *A, number lda, void *x, number incx)                                                          \
    {                                                                                                                  \
        struct call c = TRIANGLE(of, BAND, lda, k);                                                                    \
        return triangle(handle, &c, solves);                                                                           \
    }
#define TPMV(name, number, of, solves)                                                                                 \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, int trans, int diag, number n, const void *A,      \
             void *x, number incx)                                                                                     \
    {                                                                                                                  \
        struct call c = TRIANGLE(of, PACKED, 0, 0);                                                                    \
        return triangle(handle, &c, solves);                                                                           \
    }

#define SYR(name, number, of, kind, is_real)                                                                           \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, number n, const void *alpha, const void *x,        \
             number incx, void *A, number lda)                                                                         \
    {                                                                                                                  \
        struct call c = {SQUARE(of, kind, FULL, lda), .uplo = uplo, .alpha = alpha, .real_alpha = (is_real)};          \
        return update(handle, &c);                                                                                     \
    }
#define SPR(name, number, of, kind, is_real)                                                                           \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, number n, const void *alpha, const void *x,        \
             number incx, void *A)                                                                                     \
    {                                                                                                                  \
        struct call c = {SQUARE(of, kind, PACKED, 0), .uplo = uplo, .alpha = alpha, .real_alpha = (is_real)};          \
        return update(handle, &c);                                                                                     \
    }
#define SECOND .y = (void *)(uintptr_t)y, .incy = incy, .has_y = true, .both = true
#define SYR2(name, number, of, kind)                                                                                   \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, number n, const void *alpha, const void *x,        \
             number incx, const void *y, number incy, void *A, number lda)                                             \
    {                                                                                                                  \
        struct call c = {SQUARE(of, kind, FULL, lda), .uplo = uplo, .alpha = alpha, SECOND};                           \
        return update(handle, &c);                                                                                     \
    }
#define SPR2(name, number, of, kind)                                                                                   \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int uplo, number n, const void *alpha, const void *x,        \
             number incx, const void *y, number incy, void *A)                                                         \
    {                                                                                                                  \
        struct call c = {SQUARE(of, kind, PACKED, 0), .uplo = uplo, .alpha = alpha, SECOND};                           \
        return update(handle, &c);                                                                                     \
    }

#define OF_EVERY_TYPE(letter, of)                                                                                      \
    BOTH_SIZES(GBMV, cublas##letter##gbmv_v2, of)                                                                      \
    BOTH_SIZES(SYMV, cublas##letter##symv_v2, of, STRUCTURED_SYMMETRIC)                                                \
    BOTH_SIZES(TRMV, cublas##letter##trmv_v2, of, false)                                                               \
    BOTH_SIZES(TRMV, cublas##letter##trsv_v2, of, true)                                                                \
    BOTH_SIZES(TBMV, cublas##letter##tbmv_v2, of, false)                                                               \
    BOTH_SIZES(TBMV, cublas##letter##tbsv_v2, of, true)                                                                \
    BOTH_SIZES(TPMV, cublas##letter##tpmv_v2, of, false)                                                               \
    BOTH_SIZES(TPMV, cublas##letter##tpsv_v2, of, true)                                                                \
    BOTH_SIZES(SYR, cublas##letter##syr_v2, of, STRUCTURED_SYMMETRIC, false)                                           \
    BOTH_SIZES(SYR2, cublas##letter##syr2_v2, of, STRUCTURED_SYMMETRIC)
#define OF_REAL_TYPES(letter, of)                                                                                      \
    BOTH_SIZES(SBMV, cublas##letter##sbmv_v2, of, STRUCTURED_SYMMETRIC)                                                \
    BOTH_SIZES(SPMV, cublas##letter##spmv_v2, of, STRUCTURED_SYMMETRIC)                                                \
    BOTH_SIZES(SPR, cublas##letter##spr_v2, of, STRUCTURED_SYMMETRIC, false)                                           \
    BOTH_SIZES(SPR2, cublas##letter##spr2_v2, of, STRUCTURED_SYMMETRIC)
#define OF_COMPLEX_TYPES(letter, of)                                                                                   \
    BOTH_SIZES(SYMV, cublas##letter##hemv_v2, of, STRUCTURED_HERMITIAN)                                                \
    BOTH_SIZES(SBMV, cublas##letter##hbmv_v2, of, STRUCTURED_HERMITIAN)                                                \
    BOTH_SIZES(SPMV, cublas##letter##hpmv_v2, of, STRUCTURED_HERMITIAN)                                                \
    BOTH_SIZES(SYR, cublas##letter##her_v2, of, STRUCTURED_HERMITIAN, true)                                            \
    BOTH_SIZES(SPR, cublas##letter##hpr_v2, of, STRUCTURED_HERMITIAN, true)                                            \
    BOTH_SIZES(SYR2, cublas##letter##her2_v2, of, STRUCTURED_HERMITIAN)                                                \
    BOTH_SIZES(SPR2, cublas##letter##hpr2_v2, of, STRUCTURED_HERMITIAN)

OF_EVERY_TYPE(S, GEMM_F32)
OF_EVERY_TYPE(D, GEMM_F64)
OF_EVERY_TYPE(C, GEMM_C32)
OF_EVERY_TYPE(Z, GEMM_C64)
OF_REAL_TYPES(S, GEMM_F32)
OF_REAL_TYPES(D, GEMM_F64)
OF_COMPLEX_TYPES(C, GEMM_C32)
OF_COMPLEX_TYPES(Z, GEMM_C64)
