/* Products of a sparse matrix with dense ones, and of dense matrices where a sparse one has elements. */
#include <stdlib.h>
#include <string.h>

#include "sparse/sparse.h"

#define GOOD CUSPARSE_STATUS_SUCCESS
#define BAD CUSPARSE_STATUS_INVALID_VALUE

static float of_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, word;
    float size = (float)fraction * 0x1p-24f; /* without an exponent */
    if (exponent == 31)
        word = 0x7f800000u | (uint32_t)fraction << 13;
    else if (exponent > 0)
        word = (uint32_t)(exponent + 112) << 23 | (uint32_t)fraction << 13;
    else
        memcpy(&word, &size, sizeof word);
    word |= sign;
    memcpy(&size, &word, sizeof size);
    return size;
}

static void read_scalar(double value[2], const void *at, int type)
{
    float single[2] = {0};
    uint16_t half;
    uint32_t word;
    switch (type) {
    case SPARSE_F64: memcpy(value, at, sizeof(double)); return;
    case SPARSE_C64: memcpy(value, at, 2 * sizeof(double)); return;
    case SPARSE_C32: memcpy(single, at, sizeof single); break;
    case SPARSE_F16: memcpy(&half, at, sizeof half), single[0] = of_half(half); break;
    case SPARSE_BF16:
        memcpy(&half, at, sizeof half);
        word = (uint32_t)half << 16;
        memcpy(single, &word, sizeof word);
        break;
    default: memcpy(single, at, sizeof single[0]); break;
    }
    value[0] = (double)single[0];
    value[1] = (double)single[1];
}

void sparse_scalars(const struct sparse *sparse, struct sparse_arguments *g, const void *alpha, const void *beta,
                    int computed)
{
    if (sparse->device_scalars) {
        g->alpha_at = alpha;
        g->beta_at = beta;
        return;
    }
    if (alpha != NULL)
        read_scalar(g->alpha, alpha, computed);
    if (beta != NULL)
        read_scalar(g->beta, beta, computed);
}

/* A product of any kind: op(A) op(X), added to Y or to the sparse C. */
struct task {
    int op_a, op_b;
    const void *alpha, *beta;
    const struct sparse_matrix *sparse;
    const struct sparse_dense *x, *y;
    int computed;
};

static bool operation(int op) { return op >= SPARSE_N && op <= SPARSE_C; }

static cusparseStatus_t check(const struct sparse *sparse, const struct task *t)
{
    if (!sparse_lives(sparse))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (t->alpha == NULL || t->beta == NULL || t->sparse == NULL || t->x == NULL || t->y == NULL ||
        !operation(t->op_a) || !operation(t->op_b))
        return BAD;
    unsigned type = t->sparse->type;
    if (t->x->type != type || t->y->type != type || !sparse_sums(type, t->computed, false))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    return GOOD;
}

static bool shares(long long batch, long long whole) { return batch == 1 || batch == whole; }

/* ---- sparse times dense ------------------------------------------------------------------------------------------ */

/* Starts the kernel, of which A and X with one matrix count for the whole batch. */
static cusparseStatus_t multiply(const struct sparse *sparse, const struct task *t, struct sparse_arguments *g)
{
    enum { WARP = 32, WARPS = SPARSE_THREADS / WARP };
    unsigned type = t->sparse->type;
    unsigned long long elements = (unsigned long long)g->rows * g->columns;
    unsigned long long blocks = (elements + SPARSE_THREADS - 1) / SPARSE_THREADS;
    if (t->op_a == SPARSE_N)
        return g->columns == 1
                   ? sparse_launch(sparse, SPARSE_DENSE, "vector", &type, (g->rows + WARPS - 1) / WARPS, t->y->batch, g)
                   : sparse_launch(sparse, SPARSE_DENSE, "product", &type, blocks, t->y->batch, g);
    cusparseStatus_t status = sparse_launch(sparse, SPARSE_DENSE, "scale", &type, blocks, t->y->batch, g);
    return status != GOOD ? status
                          : sparse_launch(sparse, SPARSE_DENSE, "scatter", &type, (g->a.height + WARPS - 1) / WARPS,
                                          t->y->batch, g);
}

static cusparseStatus_t product(const struct sparse *sparse, const struct task *t, const char *name)
{
    cusparseStatus_t status = check(sparse, t);
    if (status != GOOD)
        return status;
    const struct sparse_matrix *a = t->sparse;
    bool across = t->op_a != SPARSE_N, over = t->op_b != SPARSE_N;
    long long rows = across ? a->width : a->height, inner = across ? a->height : a->width;
    if (t->y->height != rows || (over ? t->x->width : t->x->height) != inner ||
        (over ? t->x->height : t->x->width) != t->y->width || !shares(a->batch, t->y->batch) ||
        !shares(t->x->batch, t->y->batch))
        return BAD;
    if (across && (a->type == SPARSE_F16 || a->type == SPARSE_BF16))
        return sparse_refuse(name, "transposed matrices of 16-bit numbers");
    if (t->op_b == SPARSE_C && (a->type == SPARSE_C32 || a->type == SPARSE_C64))
        return sparse_refuse(name, "the adjoint of the dense matrix");
    struct sparse_arguments g = {.a = a->operand,
                                 .x = sparse_operand_of(t->x, over),
                                 .y = sparse_operand_of(t->y, false),
                                 .rows = (unsigned)rows,
                                 .columns = (unsigned)t->y->width,
                                 .conjugate = t->op_a == SPARSE_C};
    g.x.batch = t->x->batch == 1 ? 0 : g.x.batch;
    sparse_scalars(sparse, &g, t->alpha, t->beta, t->computed);
    return multiply(sparse, t, &g);
}

/* No function needs a buffer. Programs reserve the size that they are told, so it is not zero. */
static cusparseStatus_t small(const struct sparse *sparse, const struct task *t, size_t *bytes)
{
    cusparseStatus_t status = check(sparse, t);
    if (status == GOOD && bytes == NULL)
        return BAD;
    if (status == GOOD)
        *bytes = 1;
    return status;
}

#define SPMM_PARAMETERS                                                                                                \
    struct sparse *handle, int op_a, int op_b, const void *alpha, const struct sparse_matrix *a,                       \
        const struct sparse_dense *b, const void *beta, const struct sparse_dense *c, int computed, int algorithm
#define SPMM_TASK                                                                                                      \
    {                                                                                                                  \
        op_a, op_b, alpha, beta, a, b, c, computed                                                                     \
    }

SPARSE_API(cusparseStatus_t, cusparseSpMM_bufferSize, SPMM_PARAMETERS, size_t *bytes)
{
    struct task t = SPMM_TASK;
    (void)algorithm;
    return small(handle, &t, bytes);
}

SPARSE_API(cusparseStatus_t, cusparseSpMM_preprocess, SPMM_PARAMETERS, void *buffer)
{
    struct task t = SPMM_TASK;
    (void)algorithm, (void)buffer;
    return check(handle, &t);
}

SPARSE_API(cusparseStatus_t, cusparseSpMM, SPMM_PARAMETERS, void *buffer)
{
    struct task t = SPMM_TASK;
    (void)algorithm, (void)buffer;
    return product(handle, &t, "cusparseSpMM");
}

#define SPMV_PARAMETERS                                                                                                \
    struct sparse *handle, int op_a, const void *alpha, const struct sparse_matrix *a, const struct sparse_dense *x,   \
        const void *beta, const struct sparse_dense *y, int computed, int algorithm
#define SPMV_TASK                                                                                                      \
    {                                                                                                                  \
        op_a, SPARSE_N, alpha, beta, a, x, y, computed                                                                 \
    }

SPARSE_API(cusparseStatus_t, cusparseSpMV_bufferSize, SPMV_PARAMETERS, size_t *bytes)
{
    struct task t = SPMV_TASK;
    (void)algorithm;
    return small(handle, &t, bytes);
}

SPARSE_API(cusparseStatus_t, cusparseSpMV_preprocess, SPMV_PARAMETERS, void *buffer)
{
    struct task t = SPMV_TASK;
    (void)algorithm, (void)buffer;
    return check(handle, &t);
}

SPARSE_API(cusparseStatus_t, cusparseSpMV, SPMV_PARAMETERS, void *buffer)
{
    struct task t = SPMV_TASK;
    (void)algorithm, (void)buffer;
    return product(handle, &t, "cusparseSpMV");
}

/* ---- dense times dense, sampled ---------------------------------------------------------------------------------- */

static cusparseStatus_t sampled(const struct sparse *sparse, const struct task *t)
{
    cusparseStatus_t status = check(sparse, t);
    if (status != GOOD)
        return status;
    const struct sparse_matrix *c = t->sparse;
    bool first = t->op_a != SPARSE_N, second = t->op_b != SPARSE_N;
    long long rows = first ? t->x->width : t->x->height, inner = first ? t->x->height : t->x->width;
    long long depth = second ? t->y->width : t->y->height, columns = second ? t->y->height : t->y->width;
    if (rows != c->height || columns != c->width || inner != depth || !shares(t->x->batch, c->batch) ||
        !shares(t->y->batch, c->batch))
        return BAD;
    if (t->op_a == SPARSE_C || t->op_b == SPARSE_C)
        return sparse_refuse("cusparseSDDMM", "adjoint matrices");
    struct sparse_arguments g = {.c = c->operand,
                                 .x = sparse_operand_of(t->x, first),
                                 .y = sparse_operand_of(t->y, second),
                                 .inner = (unsigned)inner};
    g.x.batch = t->x->batch == 1 ? 0 : g.x.batch;
    g.y.batch = t->y->batch == 1 ? 0 : g.y.batch;
    sparse_scalars(sparse, &g, t->alpha, t->beta, t->computed);
    return sparse_launch(sparse, SPARSE_DENSE, "sampled", &c->type,
                         ((unsigned long long)c->count + SPARSE_THREADS - 1) / SPARSE_THREADS, c->batch, &g);
}

#define SDDMM_PARAMETERS                                                                                               \
    struct sparse *handle, int op_a, int op_b, const void *alpha, const struct sparse_dense *a,                        \
        const struct sparse_dense *b, const void *beta, const struct sparse_matrix *c, int computed, int algorithm
#define SDDMM_TASK                                                                                                     \
    {                                                                                                                  \
        op_a, op_b, alpha, beta, c, a, b, computed                                                                     \
    }

SPARSE_API(cusparseStatus_t, cusparseSDDMM_bufferSize, SDDMM_PARAMETERS, size_t *bytes)
{
    struct task t = SDDMM_TASK;
    (void)algorithm;
    return small(handle, &t, bytes);
}

SPARSE_API(cusparseStatus_t, cusparseSDDMM_preprocess, SDDMM_PARAMETERS, void *buffer)
{
    struct task t = SDDMM_TASK;
    (void)algorithm, (void)buffer;
    return check(handle, &t);
}

SPARSE_API(cusparseStatus_t, cusparseSDDMM, SDDMM_PARAMETERS, void *buffer)
{
    struct task t = SDDMM_TASK;
    (void)algorithm, (void)buffer;
    return sampled(handle, &t);
}
