/* cublasLtMatrixTransform: sums of scaled matrices, between orders in memory and between types. */
#include "blas/lt.h"
#include "blas/product.h"
#include "blas/structured.h"
#include "blas/transform.h"

/* A matrix of a call: A, B or C. */
struct operand {
    const void *data;
    const struct lt_layout *layout;
    int operation;
};

struct call {
    const struct lt_transform *transform;
    const void *alpha, *beta;
    struct operand a, b, c;
};

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Returns true if sums of this type have operands and results of the other. */
static bool type_fits(int scale_type, int type)
{
    bool integer = type == GEMM_S8 || type == GEMM_S32;
    switch (scale_type) {
    case GEMM_F32: return integer || type == GEMM_F32 || type == GEMM_F16 || type == GEMM_BF16;
    case GEMM_S32: return integer;
    case GEMM_F16:
    case GEMM_F64:
    case GEMM_C32:
    case GEMM_C64: return type == scale_type;
    default: return false;
    }
}

/* Returns the least distance between columns, rows or groups of 32 columns. */
static uint64_t least_pitch(const struct lt_layout *l)
{
    enum { GROUP = 32 };
    switch (l->order) {
    case TRANSFORM_COLUMNS: return l->rows;
    case TRANSFORM_ROWS: return l->columns;
    case TRANSFORM_COLUMNS_32: return GROUP * l->rows;
    default: return (l->rows + GROUP - 1) / GROUP * GROUP * GROUP;
    }
}

static cublasStatus_t check_layout(const struct operand *o, const struct lt_transform *t)
{
    const struct lt_layout *l = o->layout;
    if (l->order < TRANSFORM_COLUMNS || l->order > TRANSFORM_TILES_32 || l->batch < 0 || l->rows > INT64_MAX / 2048 ||
        l->columns > INT64_MAX / 2048)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (l->order == TRANSFORM_INTERLEAVED || l->mode != 0 || l->plane != 0 || !type_fits(t->scale_type, l->type))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return l->ld >= at_least_one((long long)least_pitch(l)) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

/* Checks A or B, which may be absent. */
static cublasStatus_t check_operand(const struct call *c, const struct operand *o)
{
    const struct lt_layout *l = o->layout, *result = c->c.layout;
    bool turned = o->operation != BLAS_N;
    if (!operation_is(o->operation))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (l == NULL)
        return o->data == NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
    if ((turned ? l->columns : l->rows) != result->rows || (turned ? l->rows : l->columns) != result->columns ||
        l->batch != result->batch)
        return CUBLAS_STATUS_INVALID_VALUE;
    return check_layout(o, c->transform);
}

static cublasStatus_t check(const struct call *c)
{
    if (c->transform == NULL || c->c.layout == NULL || c->alpha == NULL || c->beta == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    cublasStatus_t status = check_layout(&c->c, c->transform);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = check_operand(c, &c->a);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = check_operand(c, &c->b);
    int mode = c->transform->pointer_mode;
    if (status == CUBLAS_STATUS_SUCCESS && mode != BLAS_HOST && mode != BLAS_DEVICE)
        status = CUBLAS_STATUS_NOT_SUPPORTED;
    return status;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static struct transform_matrix matrix_of(const struct operand *o)
{
    const struct lt_layout *l = o->layout;
    if (l == NULL)
        return (struct transform_matrix){.data = NULL};
    return (struct transform_matrix){
        .data = (void *)(uintptr_t)o->data,
        .pitch = l->ld,
        .stride = l->stride,
        .type = (unsigned)l->type,
        .order = (unsigned)l->order,
        .turned = o->operation != BLAS_N,
        .conjugate = o->operation == BLAS_C,
    };
}

static bool is_empty(const struct lt_layout *l) { return l->rows == 0 || l->columns == 0 || l->batch == 0; }

static cublasStatus_t run(const struct blas *blas, const struct call *c, CUstream stream)
{
    const struct lt_layout *result = c->c.layout;
    struct transform_arguments g = {
        .a = matrix_of(&c->a),
        .b = matrix_of(&c->b),
        .c = matrix_of(&c->c),
        .rows = (long long)result->rows,
        .columns = (long long)result->columns,
        .batch = result->batch,
    };
    unsigned type = (unsigned)c->transform->scale_type;
    transform_scalars(&g, type, c->alpha, c->beta, c->transform->pointer_mode == BLAS_DEVICE);
    if (is_empty(result))
        return CUBLAS_STATUS_SUCCESS;
    bool reads_nothing = (g.a.data == NULL && g.alpha_at == NULL && !transform_skips(NULL, g.alpha)) ||
                         (g.b.data == NULL && g.beta_at == NULL && !transform_skips(NULL, g.beta));
    if (g.c.data == NULL || reads_nothing)
        return CUBLAS_STATUS_INVALID_VALUE;
    return transform_run(blas, type, &g, stream);
}

BLAS_API(cublasStatus_t, cublasLtMatrixTransform, cublasLtHandle_t handle, const struct lt_transform *transform,
         const void *alpha, const void *A, const struct lt_layout *Adesc, const void *beta, const void *B,
         const struct lt_layout *Bdesc, void *C, const struct lt_layout *Cdesc, CUstream stream)
{
    if (!blas_lives(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (transform == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct call c = {
        .transform = transform,
        .alpha = alpha,
        .beta = beta,
        .a = {A, Adesc, transform->operation[0]},
        .b = {B, Bdesc, transform->operation[1]},
        .c = {C, Cdesc, BLAS_N},
    };
    cublasStatus_t status = check(&c);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = run(handle, &c, stream);
    return status == CUBLAS_STATUS_NOT_SUPPORTED ? blas_refuse("cublasLtMatrixTransform", "these types or orders")
                                                 : status;
}
