/* Extensions of level 3 by name: geam adds matrices, and dgmm multiplies by a diagonal one. Each function has a 32-bit
 * and a 64-bit form. */
#include "blas/transform.h"

#include <stdio.h>

#include "blas/product.h"
#include "blas/structured.h"
#include "blas/vector.h"

enum { MOST_BLOCKS = 65535 };

/* Returns the blocks along the grid's first dimension, or 0 if there are too many. */
static unsigned blocks_across(long long count, long long each)
{
    long long n = (count - 1) / each + 1;
    return n <= INT32_MAX ? (unsigned)n : 0;
}

static unsigned blocks(long long count, long long each)
{
    long long n = (count + each - 1) / each;
    return (unsigned)(n < MOST_BLOCKS ? n : MOST_BLOCKS);
}

void transform_scalars(struct transform_arguments *g, unsigned type, const void *alpha, const void *beta,
                       bool on_device)
{
    if (on_device) {
        g->alpha_at = alpha;
        g->beta_at = beta;
        return;
    }
    product_scalar(g->alpha, alpha, type);
    product_scalar(g->beta, beta, type);
}

bool transform_skips(const void *at, const double value[2]) { return at == NULL && value[0] == 0 && value[1] == 0; }

static const char *name_of(unsigned type) { return type == GEMM_S32 ? "s32" : vector_type_name(type); }

cublasStatus_t transform_run(const struct blas *blas, unsigned type, struct transform_arguments *g, CUstream stream)
{
    char kernel[48];
    if (g->rows == 0 || g->columns == 0 || g->batch == 0)
        return CUBLAS_STATUS_SUCCESS;
    unsigned across = blocks_across(g->rows, TRANSFORM_TILE);
    if (across == 0)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    struct blas_shape shape = {.grid = {across, blocks(g->columns, TRANSFORM_TILE), blocks(g->batch, 1)},
                               .threads = TRANSFORM_THREADS};
    snprintf(kernel, sizeof kernel, "subcore_transform_%s", name_of(type));
    return blas_launch(blas, BLAS_TRANSFORM, kernel, &shape, stream, g);
}

/* ---- C = alpha op(A) + beta op(B) -------------------------------------------------------------------------------- */

struct geam {
    int op_a, op_b;
    long long m, n, lda, ldb, ldc;
    const void *alpha, *a, *beta, *b;
    void *c;
};

static bool pitch_fits(long long pitch, int operation, const struct geam *p)
{
    return pitch >= at_least_one(operation == BLAS_N ? p->m : p->n);
}

/* Returns true if C may take the place of an operand, or does not. */
static bool place_fits(const void *operand, long long pitch, int operation, const struct geam *p)
{
    return operand != p->c || operand == NULL || (pitch == p->ldc && operation == BLAS_N);
}

static cublasStatus_t check_geam(const struct blas *blas, const struct geam *p)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!operation_is(p->op_a) || !operation_is(p->op_b) || p->m < 0 || p->n < 0 || p->alpha == NULL || p->beta == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    bool fits = pitch_fits(p->lda, p->op_a, p) && pitch_fits(p->ldb, p->op_b, p) && pitch_fits(p->ldc, BLAS_N, p) &&
                place_fits(p->a, p->lda, p->op_a, p) && place_fits(p->b, p->ldb, p->op_b, p);
    return fits ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

static struct transform_matrix matrix_of(const void *data, long long pitch, int operation, unsigned type)
{
    return (struct transform_matrix){.data = (void *)(uintptr_t)data,
                                     .pitch = pitch,
                                     .type = type,
                                     .turned = operation != BLAS_N,
                                     .conjugate = operation == BLAS_C};
}

static cublasStatus_t geam(cublasHandle_t handle, unsigned type, const struct geam *p)
{
    cublasStatus_t status = check_geam(handle, p);
    if (status != CUBLAS_STATUS_SUCCESS || p->m == 0 || p->n == 0)
        return status;
    struct transform_arguments g = {
        .a = matrix_of(p->a, p->lda, p->op_a, type),
        .b = matrix_of(p->b, p->ldb, p->op_b, type),
        .c = matrix_of(p->c, p->ldc, BLAS_N, type),
        .rows = p->m,
        .columns = p->n,
        .batch = 1,
    };
    transform_scalars(&g, type, p->alpha, p->beta, handle->pointer_mode == BLAS_DEVICE);
    if (p->c == NULL || (p->a == NULL && !transform_skips(g.alpha_at, g.alpha)) ||
        (p->b == NULL && !transform_skips(g.beta_at, g.beta)))
        return CUBLAS_STATUS_INVALID_VALUE;
    return transform_run(handle, type, &g, handle->stream);
}

#define GEAM(name, type)                                                                                               \
    GEAM_OF(name, int, type)                                                                                           \
    GEAM_OF(name##_64, int64_t, type)
#define GEAM_OF(name, number, type)                                                                                    \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int transa, int transb, number m, number n,                  \
             const void *alpha, const void *A, number lda, const void *beta, const void *B, number ldb, void *C,       \
             number ldc)                                                                                               \
    {                                                                                                                  \
        struct geam p = {transa, transb, m, n, lda, ldb, ldc, alpha, A, beta, B, C};                                   \
        return geam(handle, type, &p);                                                                                 \
    }

GEAM(cublasSgeam, GEMM_F32)
GEAM(cublasDgeam, GEMM_F64)
GEAM(cublasCgeam, GEMM_C32)
GEAM(cublasZgeam, GEMM_C64)

/* ---- C = diag(x) A, or A diag(x) --------------------------------------------------------------------------------- */

struct dgmm {
    int side;
    long long m, n, lda, incx, ldc;
    const void *a, *x;
    void *c;
};

static cublasStatus_t check_dgmm(const struct blas *blas, const struct dgmm *p)
{
    if (!blas_lives(blas))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if ((p->side != LEFT && p->side != RIGHT) || p->m < 0 || p->n < 0 || p->lda < at_least_one(p->m) ||
        p->ldc < at_least_one(p->m))
        return CUBLAS_STATUS_INVALID_VALUE;
    return p->m > 0 && p->n > 0 && (p->a == NULL || p->x == NULL || p->c == NULL) ? CUBLAS_STATUS_INVALID_VALUE
                                                                                  : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t dgmm(cublasHandle_t handle, unsigned type, const struct dgmm *p)
{
    char kernel[48];
    cublasStatus_t status = check_dgmm(handle, p);
    if (status != CUBLAS_STATUS_SUCCESS || p->m == 0 || p->n == 0)
        return status;
    struct vector_of x = vector_of(p->x, type, p->side == LEFT ? p->m : p->n, p->incx);
    struct diagonal_arguments g = {.a = p->a,
                                   .x = x.data,
                                   .c = p->c,
                                   .a_pitch = p->lda,
                                   .c_pitch = p->ldc,
                                   .step = x.step,
                                   .rows = p->m,
                                   .columns = p->n,
                                   .right = p->side == RIGHT};
    unsigned across = blocks_across(p->m, TRANSFORM_THREADS);
    if (across == 0)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    struct blas_shape shape = {.grid = {across, blocks(p->n, 1), 1}, .threads = TRANSFORM_THREADS};
    snprintf(kernel, sizeof kernel, "subcore_diagonal_%s", vector_type_name(type));
    return blas_launch(handle, BLAS_TRANSFORM, kernel, &shape, handle->stream, &g);
}

#define DGMM(name, type)                                                                                               \
    DGMM_OF(name, int, type)                                                                                           \
    DGMM_OF(name##_64, int64_t, type)
#define DGMM_OF(name, number, type)                                                                                    \
    BLAS_API(cublasStatus_t, name, cublasHandle_t handle, int side, number m, number n, const void *A, number lda,     \
             const void *x, number incx, void *C, number ldc)                                                          \
    {                                                                                                                  \
        struct dgmm p = {side, m, n, lda, incx, ldc, A, x, C};                                                         \
        return dgmm(handle, type, &p);                                                                                 \
    }

DGMM(cublasSdgmm, GEMM_F32)
DGMM(cublasDdgmm, GEMM_F64)
DGMM(cublasCdgmm, GEMM_C32)
DGMM(cublasZdgmm, GEMM_C64)
