/* Products of two sparse matrices (SpGEMM): the sizes of the result's rows first, then the result. */
#include <stdlib.h>

#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "sparse/sparse.h"

#define GOOD CUSPARSE_STATUS_SUCCESS
#define BAD CUSPARSE_STATUS_INVALID_VALUE

/* A cusparseSpGEMMDescr_t: between `compute` and `copy`, the buffer that the program keeps. */
struct sparse_product {
    void *buffer;
};

SPARSE_API(cusparseStatus_t, cusparseSpGEMM_createDescr, struct sparse_product **description)
{
    if (description == NULL)
        return BAD;
    *description = calloc(1, sizeof **description);
    return *description != NULL ? GOOD : CUSPARSE_STATUS_ALLOC_FAILED;
}

SPARSE_API(cusparseStatus_t, cusparseSpGEMM_destroyDescr, struct sparse_product *description)
{
    free(description);
    return GOOD;
}

struct task {
    int op_a, op_b;
    const void *alpha, *beta;
    const struct sparse_matrix *a, *b;
    struct sparse_matrix *c;
    int computed;
};

static cusparseStatus_t check(const struct sparse *sparse, const struct task *t)
{
    if (!sparse_lives(sparse))
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (t->alpha == NULL || t->beta == NULL || t->a == NULL || t->b == NULL || t->c == NULL)
        return BAD;
    if (t->op_a != SPARSE_N || t->op_b != SPARSE_N)
        return sparse_refuse("cusparseSpGEMM_compute", "transposed matrices");
    if (t->a->height != t->c->height || t->b->width != t->c->width || t->a->width != t->b->height)
        return BAD;
    bool coordinates = t->a->operand.coordinates || t->b->operand.coordinates || t->c->operand.coordinates;
    bool types = t->a->type == t->b->type && t->a->type == t->c->type && sparse_sums(t->a->type, t->computed, true);
    return types && !coordinates ? GOOD : CUSPARSE_STATUS_NOT_SUPPORTED;
}

/* Bytes of a block's sums, and how many blocks have some. */
static long long room_of(const struct task *t)
{
    unsigned size = t->a->type == SPARSE_C64 ? 16 : t->a->type == SPARSE_F64 || t->a->type == SPARSE_C32 ? 8 : 4;
    return (t->c->width * (size + 1) + 15) / 16 * 16;
}

static long long blocks_of(const struct task *t)
{
    enum { MOST_BLOCKS = 256, MOST_BYTES = 256 << 20 };
    long long blocks = t->c->height < MOST_BLOCKS ? t->c->height : MOST_BLOCKS;
    while (blocks > 1 && blocks * room_of(t) > MOST_BYTES)
        blocks /= 2;
    return blocks;
}

static size_t places_bytes(const struct task *t) { return (((size_t)t->c->height + 1) * 8 + 15) / 16 * 16; }

static struct sparse_arguments arguments_of(const struct sparse *sparse, const struct task *t, void *buffer, bool fill)
{
    struct sparse_arguments g = {.a = t->a->operand,
                                 .b = t->b->operand,
                                 .c = t->c->operand,
                                 .rows = (unsigned)t->c->height,
                                 .columns = (unsigned)t->c->width,
                                 .fill = fill,
                                 .places = buffer,
                                 .room = (char *)buffer + places_bytes(t),
                                 .room_bytes = room_of(t)};
    sparse_scalars(sparse, &g, t->alpha, NULL, t->computed);
    return g;
}

/* Finds the sizes of the rows and waits for their sum. */
static cusparseStatus_t count(const struct sparse *sparse, const struct task *t, void *buffer)
{
    struct sparse_arguments g = arguments_of(sparse, t, buffer, false);
    unsigned type = t->a->type;
    long long total = 0;
    cusparseStatus_t status =
        sparse_launch(sparse, SPARSE_BUILD, "multiply", &type, (unsigned long long)blocks_of(t), 1, &g);
    if (status == GOOD)
        status = sparse_launch(sparse, SPARSE_BUILD, "sum_up", NULL, 1, 1, &g);
    if (status != GOOD)
        return status;
    if (cuMemcpyDtoHAsync_v2(&total, (CUdeviceptr)(uintptr_t)(g.places + g.rows), sizeof total, sparse->stream) !=
            CUDA_SUCCESS ||
        cuStreamSynchronize(sparse->stream) != CUDA_SUCCESS)
        return CUSPARSE_STATUS_EXECUTION_FAILED;
    t->c->count = total;
    t->c->operand.count = total;
    return GOOD;
}

#define PARAMETERS                                                                                                     \
    struct sparse *handle, int op_a, int op_b, const void *alpha, const struct sparse_matrix *a,                       \
        const struct sparse_matrix *b, const void *beta, struct sparse_matrix *c, int computed, int algorithm,         \
        struct sparse_product *description
#define TASK                                                                                                           \
    {                                                                                                                  \
        op_a, op_b, alpha, beta, a, b, c, computed                                                                     \
    }

/* Nothing has to be estimated. A program reserves the reported size, so it is not zero. */
SPARSE_API(cusparseStatus_t, cusparseSpGEMM_workEstimation, PARAMETERS, size_t *bytes, void *buffer)
{
    struct task t = TASK;
    cusparseStatus_t status = check(handle, &t);
    (void)algorithm, (void)buffer;
    if (status == GOOD && (bytes == NULL || description == NULL))
        return BAD;
    if (status == GOOD)
        *bytes = 1;
    return status;
}

SPARSE_API(cusparseStatus_t, cusparseSpGEMM_compute, PARAMETERS, size_t *bytes, void *buffer)
{
    struct task t = TASK;
    cusparseStatus_t status = check(handle, &t);
    (void)algorithm;
    if (status != GOOD)
        return status;
    if (bytes == NULL || description == NULL)
        return BAD;
    size_t needed = places_bytes(&t) + (size_t)(blocks_of(&t) * room_of(&t));
    if (buffer == NULL) {
        *bytes = needed;
        return GOOD;
    }
    if (*bytes < needed)
        return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    if (c->count > 0)
        return sparse_refuse("cusparseSpGEMM_compute", "results that have elements before");
    description->buffer = buffer;
    return count(handle, &t, buffer);
}

SPARSE_API(cusparseStatus_t, cusparseSpGEMM_copy, PARAMETERS)
{
    struct task t = TASK;
    cusparseStatus_t status = check(handle, &t);
    (void)algorithm;
    if (status != GOOD)
        return status;
    if (description == NULL || description->buffer == NULL || c->operand.rows == NULL ||
        (c->count > 0 && (c->operand.columns == NULL || c->operand.values == NULL)))
        return BAD;
    struct sparse_arguments g = arguments_of(handle, &t, description->buffer, true);
    status = sparse_launch(handle, SPARSE_BUILD, "write_rows", NULL,
                           ((unsigned long long)g.rows + SPARSE_THREADS) / SPARSE_THREADS, 1, &g);
    return status == GOOD
               ? sparse_launch(handle, SPARSE_BUILD, "multiply", &a->type, (unsigned long long)blocks_of(&t), 1, &g)
               : status;
}
