/* Systems whose matrix is a triangle of a sparse one (SpSM, SpSV). */
#include <stdlib.h>

#include "sparse/sparse.h"

#define GOOD CUSPARSE_STATUS_SUCCESS
#define BAD CUSPARSE_STATUS_INVALID_VALUE

/* A cusparseSpSMDescr_t or a cusparseSpSVDescr_t. There is nothing to keep between analysis and solution. */
struct sparse_system {
    int unused;
};

struct task {
    int op_a, op_b;
    const void *alpha;
    const struct sparse_matrix *a;
    const struct sparse_dense *b, *c;
    int computed;
    const struct sparse_system *system;
};

static cusparseStatus_t check(const struct sparse *sparse, const struct task *t, const char *name)
{
    if (!sparse_lives(sparse))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (t->alpha == NULL || t->a == NULL || t->b == NULL || t->c == NULL || t->system == NULL || t->op_a < SPARSE_N ||
        t->op_a > SPARSE_C || t->op_b < SPARSE_N || t->op_b > SPARSE_C)
        return BAD;
    long long n = t->a->height;
    bool over = t->op_b != SPARSE_N;
    if (t->a->width != n || (over ? t->b->width : t->b->height) != n || t->c->height != n ||
        (over ? t->b->height : t->b->width) != t->c->width)
        return BAD;
    unsigned type = t->a->type;
    bool narrow = type == SPARSE_F16 || type == SPARSE_BF16;
    if (narrow || t->b->type != type || t->c->type != type || !sparse_sums(type, t->computed, false))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (t->op_b == SPARSE_C || t->a->batch > 1 || t->c->batch > 1)
        return sparse_refuse(name, t->op_b == SPARSE_C ? "the adjoint of the dense matrix" : "batches");
    return GOOD;
}

static cusparseStatus_t solve(const struct sparse *sparse, const struct task *t, const char *name)
{
    cusparseStatus_t status = check(sparse, t, name);
    if (status != GOOD)
        return status;
    struct sparse_arguments g = {.a = t->a->operand,
                                 .x = sparse_operand_of(t->b, t->op_b != SPARSE_N),
                                 .y = sparse_operand_of(t->c, false),
                                 .rows = (unsigned)t->a->height,
                                 .columns = (unsigned)t->c->width,
                                 .conjugate = t->op_a == SPARSE_C,
                                 .transposed = t->op_a != SPARSE_N,
                                 .lower = t->a->triangle == SPARSE_LOWER,
                                 .unit = t->a->unit};
    sparse_scalars(sparse, &g, t->alpha, NULL, t->computed);
    return sparse_launch(sparse, SPARSE_DENSE, "triangular", &t->a->type, g.rows > 0 ? g.columns : 0, 1, &g);
}

/* A program reserves the reported size, so it is not zero. */
static cusparseStatus_t small(const struct sparse *sparse, const struct task *t, const char *name, size_t *bytes)
{
    cusparseStatus_t status = check(sparse, t, name);
    if (status == GOOD && bytes == NULL)
        return BAD;
    if (status == GOOD)
        *bytes = 1;
    return status;
}

#define SM_PARAMETERS                                                                                                  \
    struct sparse *handle, int op_a, int op_b, const void *alpha, const struct sparse_matrix *a,                       \
        const struct sparse_dense *b, const struct sparse_dense *c, int computed, int algorithm,                       \
        struct sparse_system *system
#define SV_PARAMETERS                                                                                                  \
    struct sparse *handle, int op_a, const void *alpha, const struct sparse_matrix *a, const struct sparse_dense *b,   \
        const struct sparse_dense *c, int computed, int algorithm, struct sparse_system *system
#define SM_TASK                                                                                                        \
    {                                                                                                                  \
        op_a, op_b, alpha, a, b, c, computed, system                                                                   \
    }
#define SV_TASK                                                                                                        \
    {                                                                                                                  \
        op_a, SPARSE_N, alpha, a, b, c, computed, system                                                               \
    }

#define SYSTEM(name, PARAMETERS, TASK)                                                                                 \
    SPARSE_API(cusparseStatus_t, cusparse##name##_createDescr, struct sparse_system **system)                          \
    {                                                                                                                  \
        if (system == NULL)                                                                                            \
            return BAD;                                                                                                \
        *system = calloc(1, sizeof **system);                                                                          \
        return *system != NULL ? GOOD : CUSPARSE_STATUS_ALLOC_FAILED;                                                  \
    }                                                                                                                  \
    SPARSE_API(cusparseStatus_t, cusparse##name##_destroyDescr, struct sparse_system *system)                          \
    {                                                                                                                  \
        free(system);                                                                                                  \
        return GOOD;                                                                                                   \
    }                                                                                                                  \
    SPARSE_API(cusparseStatus_t, cusparse##name##_bufferSize, PARAMETERS, size_t *bytes)                               \
    {                                                                                                                  \
        struct task t = TASK;                                                                                          \
        (void)algorithm;                                                                                               \
        return small(handle, &t, "cusparse" #name "_solve", bytes);                                                    \
    }                                                                                                                  \
    SPARSE_API(cusparseStatus_t, cusparse##name##_analysis, PARAMETERS, void *buffer)                                  \
    {                                                                                                                  \
        struct task t = TASK;                                                                                          \
        (void)algorithm, (void)buffer;                                                                                 \
        return check(handle, &t, "cusparse" #name "_solve");                                                           \
    }                                                                                                                  \
    SPARSE_API(cusparseStatus_t, cusparse##name##_solve, PARAMETERS)                                                   \
    {                                                                                                                  \
        struct task t = TASK;                                                                                          \
        (void)algorithm;                                                                                               \
        return solve(handle, &t, "cusparse" #name "_solve");                                                           \
    }
SYSTEM(SpSM, SM_PARAMETERS, SM_TASK)
SYSTEM(SpSV, SV_PARAMETERS, SV_TASK)
