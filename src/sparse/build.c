/* Sparse matrices that are built anew: rows compressed from coordinates, and sums of two matrices. */
#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "sparse/sparse.h"

#define GOOD CUSPARSE_STATUS_SUCCESS
#define BAD CUSPARSE_STATUS_INVALID_VALUE

static unsigned long long blocks_of(long long threads)
{
    return ((unsigned long long)threads + SPARSE_THREADS - 1) / SPARSE_THREADS;
}

SPARSE_API(cusparseStatus_t, cusparseXcoo2csr, struct sparse *handle, const int *rows, int nnz, int m, int *offsets,
           int base)
{
    if (!sparse_lives(handle))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (nnz < 0 || m < 0 || (nnz > 0 && rows == NULL) || offsets == NULL || (base != 0 && base != 1))
        return BAD;
    struct sparse_arguments g = {.a = {.rows = (void *)(uintptr_t)rows,
                                       .count = nnz,
                                       .height = (unsigned)m,
                                       .coordinates = 1,
                                       .base = (unsigned)base},
                                 .c = {.rows = offsets, .base = (unsigned)base}};
    return sparse_launch(handle, SPARSE_BUILD, "compress", NULL, blocks_of(m + 1ll), 1, &g);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* One of the matrices. */
struct operand {
    const struct sparse_description *description;
    int count;
    const void *values;
    const int *offsets, *columns;
};

static bool good(const struct operand *o, int rows)
{
    return o->description != NULL && o->count >= 0 && (rows == 0 || o->offsets != NULL) &&
           (o->count == 0 || o->columns != NULL);
}

static struct sparse_operand operand_of(const struct operand *o, int m, int n)
{
    return (struct sparse_operand){.rows = (void *)(uintptr_t)o->offsets,
                                   .columns = (void *)(uintptr_t)o->columns,
                                   .values = (void *)(uintptr_t)o->values,
                                   .count = o->count,
                                   .height = (unsigned)m,
                                   .width = (unsigned)n,
                                   .base = (unsigned)o->description->base};
}

static cusparseStatus_t check(const struct sparse *sparse, int m, int n, const struct operand *a,
                              const struct operand *b, const struct sparse_description *c)
{
    if (!sparse_lives(sparse))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || !good(a, m) || !good(b, m) || c == NULL)
        return BAD;
    return a->description->type == 0 && b->description->type == 0 && c->type == 0
               ? GOOD
               : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

/* Sizes of the rows, which the workspace holds, become places. */
static cusparseStatus_t place_rows(const struct sparse *sparse, struct sparse_arguments *g, unsigned type)
{
    cusparseStatus_t status = sparse_launch(sparse, SPARSE_BUILD, "add", &type, blocks_of(g->rows), 1, g);
    if (status == GOOD)
        status = sparse_launch(sparse, SPARSE_BUILD, "sum_up", NULL, 1, 1, g);
    return status == GOOD ? sparse_launch(sparse, SPARSE_BUILD, "write_rows", NULL, blocks_of(g->rows + 1ll), 1, g)
                          : status;
}

/* The number of elements, which the last place is, goes to host or device memory. */
static cusparseStatus_t tell(const struct sparse *sparse, const struct sparse_arguments *g, int *total)
{
    CUdeviceptr last = (CUdeviceptr)(uintptr_t)(g->places + g->rows);
    CUresult result = sparse->device_scalars
                          ? cuMemcpyDtoDAsync_v2((CUdeviceptr)(uintptr_t)total, last, sizeof *total, sparse->stream)
                          : cuMemcpyDtoHAsync_v2(total, last, sizeof *total, sparse->stream);
    if (result == CUDA_SUCCESS && !sparse->device_scalars)
        result = cuStreamSynchronize(sparse->stream);
    return result == CUDA_SUCCESS ? GOOD : CUSPARSE_STATUS_EXECUTION_FAILED;
}

SPARSE_API(cusparseStatus_t, cusparseXcsrgeam2Nnz, struct sparse *handle, int m, int n,
           const struct sparse_description *describe_a, int count_a, const int *offsets_a, const int *columns_a,
           const struct sparse_description *describe_b, int count_b, const int *offsets_b, const int *columns_b,
           const struct sparse_description *describe_c, int *offsets_c, int *total, void *workspace)
{
    struct operand a = {describe_a, count_a, NULL, offsets_a, columns_a};
    struct operand b = {describe_b, count_b, NULL, offsets_b, columns_b};
    cusparseStatus_t status = check(handle, m, n, &a, &b, describe_c);
    if (status != GOOD)
        return status;
    if (offsets_c == NULL || total == NULL || workspace == NULL)
        return BAD;
    struct sparse_arguments g = {.a = operand_of(&a, m, n),
                                 .b = operand_of(&b, m, n),
                                 .c = {.rows = offsets_c, .base = (unsigned)describe_c->base},
                                 .rows = (unsigned)m,
                                 .places = workspace};
    status = place_rows(handle, &g, SPARSE_F32);
    return status == GOOD ? tell(handle, &g, total) : status;
}

struct sum {
    unsigned type;
    int m, n;
    const void *alpha, *beta;
    struct operand a, b;
    const struct sparse_description *description;
    void *values;
    const int *offsets;
    int *columns;
};

static cusparseStatus_t add(const struct sparse *sparse, const struct sum *s)
{
    cusparseStatus_t status = check(sparse, s->m, s->n, &s->a, &s->b, s->description);
    if (status != GOOD)
        return status;
    bool any = s->a.count > 0 || s->b.count > 0;
    if (s->alpha == NULL || s->beta == NULL || (any && (s->values == NULL || s->columns == NULL)) ||
        s->offsets == NULL || (s->a.count > 0 && s->a.values == NULL) || (s->b.count > 0 && s->b.values == NULL))
        return BAD;
    struct sparse_arguments g = {.a = operand_of(&s->a, s->m, s->n),
                                 .b = operand_of(&s->b, s->m, s->n),
                                 .c = {.rows = (void *)(uintptr_t)s->offsets,
                                       .columns = s->columns,
                                       .values = s->values,
                                       .base = (unsigned)s->description->base},
                                 .rows = (unsigned)s->m,
                                 .fill = 1};
    sparse_scalars(sparse, &g, s->alpha, s->beta, (int)s->type);
    return sparse_launch(sparse, SPARSE_BUILD, "add", &s->type, blocks_of(s->m), 1, &g);
}

static cusparseStatus_t room(const struct sparse *sparse, int m, size_t *bytes)
{
    if (!sparse_lives(sparse))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || bytes == NULL)
        return BAD;
    *bytes = ((size_t)m + 1) * sizeof(long long);
    return GOOD;
}

#define SUM_PARAMETERS                                                                                                 \
    struct sparse *handle, int m, int n, const void *alpha, const struct sparse_description *describe_a, int count_a,  \
        const void *values_a, const int *offsets_a, const int *columns_a, const void *beta,                            \
        const struct sparse_description *describe_b, int count_b, const void *values_b, const int *offsets_b,          \
        const int *columns_b, const struct sparse_description *describe_c
#define SUM(letter, element)                                                                                           \
    SPARSE_API(cusparseStatus_t, cusparse##letter##csrgeam2_bufferSizeExt, SUM_PARAMETERS, const void *values_c,       \
               const int *offsets_c, const int *columns_c, size_t *bytes)                                              \
    {                                                                                                                  \
        (void)n, (void)alpha, (void)describe_a, (void)count_a, (void)values_a, (void)offsets_a, (void)columns_a;       \
        (void)beta, (void)describe_b, (void)count_b, (void)values_b, (void)offsets_b, (void)columns_b;                 \
        (void)describe_c, (void)values_c, (void)offsets_c, (void)columns_c;                                            \
        return room(handle, m, bytes);                                                                                 \
    }                                                                                                                  \
    SPARSE_API(cusparseStatus_t, cusparse##letter##csrgeam2, SUM_PARAMETERS, void *values_c, const int *offsets_c,     \
               int *columns_c, void *buffer)                                                                           \
    {                                                                                                                  \
        struct sum s = {element,                                                                                       \
                        m,                                                                                             \
                        n,                                                                                             \
                        alpha,                                                                                         \
                        beta,                                                                                          \
                        {describe_a, count_a, values_a, offsets_a, columns_a},                                         \
                        {describe_b, count_b, values_b, offsets_b, columns_b},                                         \
                        describe_c,                                                                                    \
                        values_c,                                                                                      \
                        offsets_c,                                                                                     \
                        columns_c};                                                                                    \
        (void)buffer;                                                                                                  \
        return add(handle, &s);                                                                                        \
    }
SUM(S, SPARSE_F32)
SUM(D, SPARSE_F64)
SUM(C, SPARSE_C32)
SUM(Z, SPARSE_C64)
