/* Descriptors of matrices and vectors, sparse and dense. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/sparse.h"

#define GOOD CUSPARSE_STATUS_SUCCESS
#define BAD CUSPARSE_STATUS_INVALID_VALUE

unsigned sparse_size(unsigned type)
{
    switch (type) {
    case SPARSE_F16:
    case SPARSE_BF16: return 2;
    case SPARSE_F32: return 4;
    case SPARSE_F64:
    case SPARSE_C32: return 8;
    case SPARSE_C64: return 16;
    default: return 0;
    }
}

bool sparse_sums(unsigned type, int computed, bool narrow)
{
    bool half = type == SPARSE_F16 || type == SPARSE_BF16;
    return half ? computed == SPARSE_F32 || (narrow && (unsigned)computed == type) : (unsigned)computed == type;
}

/* ---- sparse matrices --------------------------------------------------------------------------------------------- */

static cusparseStatus_t create(struct sparse_matrix **out, const struct sparse_matrix *m, int row_index,
                               int column_index, int base)
{
    bool indices = (row_index == SPARSE_INDEX_32 || row_index == SPARSE_INDEX_64) &&
                   (column_index == SPARSE_INDEX_32 || column_index == SPARSE_INDEX_64);
    if (out == NULL || m->height < 0 || m->width < 0 || m->count < 0 || !indices || (base != 0 && base != 1))
        return BAD;
    if (m->height >= INT_MAX || m->width >= INT_MAX || sparse_size(m->type) == 0)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    struct sparse_matrix *made = malloc(sizeof *made);
    if (made == NULL)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    *made = *m;
    made->batch = 1;
    made->operand.count = m->count;
    made->operand.height = (unsigned)m->height;
    made->operand.width = (unsigned)m->width;
    made->operand.wide_rows = row_index == SPARSE_INDEX_64;
    made->operand.wide_columns = column_index == SPARSE_INDEX_64;
    made->operand.base = (unsigned)base;
    *out = made;
    return GOOD;
}

#define CREATE_CSR(name)                                                                                               \
    SPARSE_API(cusparseStatus_t, name, struct sparse_matrix **matrix, int64_t rows, int64_t cols, int64_t nnz,         \
               void *offsets, void *columns, void *values, int offset_type, int column_type, int base, int type)       \
    {                                                                                                                  \
        struct sparse_matrix m = {.type = (unsigned)type,                                                              \
                                  .height = rows,                                                                      \
                                  .width = cols,                                                                       \
                                  .count = nnz,                                                                        \
                                  .operand = {.rows = offsets, .columns = columns, .values = values}};                 \
        return create(matrix, &m, offset_type, column_type, base);                                                     \
    }
#define CREATE_COO(name)                                                                                               \
    SPARSE_API(cusparseStatus_t, name, struct sparse_matrix **matrix, int64_t rows, int64_t cols, int64_t nnz,         \
               void *row_of, void *columns, void *values, int index_type, int base, int type)                          \
    {                                                                                                                  \
        struct sparse_matrix m = {                                                                                     \
            .type = (unsigned)type,                                                                                    \
            .height = rows,                                                                                            \
            .width = cols,                                                                                             \
            .count = nnz,                                                                                              \
            .operand = {.rows = row_of, .columns = columns, .values = values, .coordinates = true}};                   \
        return create(matrix, &m, index_type, index_type, base);                                                       \
    }
CREATE_CSR(cusparseCreateCsr)
CREATE_CSR(cusparseCreateConstCsr)
CREATE_COO(cusparseCreateCoo)
CREATE_COO(cusparseCreateConstCoo)

SPARSE_API(cusparseStatus_t, cusparseDestroySpMat, struct sparse_matrix *matrix)
{
    free(matrix);
    return GOOD;
}

SPARSE_API(cusparseStatus_t, cusparseSpMatGetSize, const struct sparse_matrix *matrix, int64_t *rows, int64_t *cols,
           int64_t *nnz)
{
    if (matrix == NULL || rows == NULL || cols == NULL || nnz == NULL)
        return BAD;
    *rows = matrix->height;
    *cols = matrix->width;
    *nnz = matrix->count;
    return GOOD;
}

static cusparseStatus_t point(struct sparse_matrix *m, void *rows, void *columns, void *values, bool coordinates)
{
    if (m == NULL || (m->operand.coordinates != 0) != coordinates)
        return BAD;
    m->operand.rows = rows;
    m->operand.columns = columns;
    m->operand.values = values;
    return GOOD;
}

SPARSE_API(cusparseStatus_t, cusparseCsrSetPointers, struct sparse_matrix *matrix, void *offsets, void *columns,
           void *values)
{
    return point(matrix, offsets, columns, values, false);
}

SPARSE_API(cusparseStatus_t, cusparseCooSetPointers, struct sparse_matrix *matrix, void *rows, void *columns,
           void *values)
{
    return point(matrix, rows, columns, values, true);
}

SPARSE_API(cusparseStatus_t, cusparseSpMatSetValues, struct sparse_matrix *matrix, void *values)
{
    if (matrix == NULL || values == NULL)
        return BAD;
    matrix->operand.values = values;
    return GOOD;
}

static cusparseStatus_t repeat(struct sparse_matrix *m, int batch, long long rows, long long values, bool coordinates)
{
    if (m == NULL || batch <= 0 || rows < 0 || values < 0 || (m->operand.coordinates != 0) != coordinates)
        return BAD;
    m->batch = batch;
    m->operand.rows_batch = rows;
    m->operand.values_batch = values;
    return GOOD;
}

SPARSE_API(cusparseStatus_t, cusparseCsrSetStridedBatch, struct sparse_matrix *matrix, int batch, int64_t offsets,
           int64_t values)
{
    return repeat(matrix, batch, offsets, values, false);
}

SPARSE_API(cusparseStatus_t, cusparseCooSetStridedBatch, struct sparse_matrix *matrix, int batch, int64_t stride)
{
    return repeat(matrix, batch, stride, stride, true);
}

SPARSE_API(cusparseStatus_t, cusparseSpMatSetAttribute, struct sparse_matrix *matrix, int attribute, const void *data,
           size_t bytes)
{
    unsigned value = 2;
    if (matrix == NULL || data == NULL || bytes != sizeof value)
        return BAD;
    memcpy(&value, data, sizeof value);
    if (value > 1 || (attribute != SPARSE_ATTRIBUTE_TRIANGLE && attribute != SPARSE_ATTRIBUTE_DIAGONAL))
        return BAD;
    *(attribute == SPARSE_ATTRIBUTE_TRIANGLE ? &matrix->triangle : &matrix->unit) = value;
    return GOOD;
}

/* ---- dense matrices and vectors ---------------------------------------------------------------------------------- */

static cusparseStatus_t create_dense(struct sparse_dense **out, const struct sparse_dense *d)
{
    long long least = d->order == SPARSE_BY_COLUMNS ? d->height : d->width;
    if (out == NULL || d->height < 0 || d->width < 0 || d->pitch < least ||
        (d->order != SPARSE_BY_COLUMNS && d->order != SPARSE_BY_ROWS))
        return BAD;
    if (d->height >= INT_MAX || d->width >= INT_MAX || sparse_size(d->type) == 0)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    struct sparse_dense *made = malloc(sizeof *made);
    if (made == NULL)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    *made = *d;
    *out = made;
    return GOOD;
}

#define CREATE_DENSE(matrix_name, vector_name)                                                                         \
    SPARSE_API(cusparseStatus_t, matrix_name, struct sparse_dense **matrix, int64_t rows, int64_t cols, int64_t ld,    \
               void *values, int type, int order)                                                                      \
    {                                                                                                                  \
        struct sparse_dense d = {(unsigned)type, rows, cols, ld, 1, 0, (unsigned)order, values};                       \
        return create_dense(matrix, &d);                                                                               \
    }                                                                                                                  \
    SPARSE_API(cusparseStatus_t, vector_name, struct sparse_dense **vector, int64_t size, void *values, int type)      \
    {                                                                                                                  \
        struct sparse_dense d = {(unsigned)type, size, 1, size, 1, 0, SPARSE_BY_COLUMNS, values};                      \
        return create_dense(vector, &d);                                                                               \
    }
CREATE_DENSE(cusparseCreateDnMat, cusparseCreateDnVec)
CREATE_DENSE(cusparseCreateConstDnMat, cusparseCreateConstDnVec)

SPARSE_API(cusparseStatus_t, cusparseDestroyDnMat, struct sparse_dense *matrix)
{
    free(matrix);
    return GOOD;
}

SPARSE_API(cusparseStatus_t, cusparseDestroyDnVec, struct sparse_dense *vector)
{
    free(vector);
    return GOOD;
}

static cusparseStatus_t set_values(struct sparse_dense *dense, void *values)
{
    if (dense == NULL || values == NULL)
        return BAD;
    dense->data = values;
    return GOOD;
}

SPARSE_API(cusparseStatus_t, cusparseDnMatSetValues, struct sparse_dense *matrix, void *values)
{
    return set_values(matrix, values);
}

SPARSE_API(cusparseStatus_t, cusparseDnVecSetValues, struct sparse_dense *vector, void *values)
{
    return set_values(vector, values);
}

SPARSE_API(cusparseStatus_t, cusparseDnMatSetStridedBatch, struct sparse_dense *matrix, int batch, int64_t stride)
{
    if (matrix == NULL || batch <= 0 || stride < 0)
        return BAD;
    matrix->batch = batch;
    matrix->step = stride;
    return GOOD;
}

struct dense_operand sparse_operand_of(const struct sparse_dense *d, bool transposed)
{
    bool along = (d->order == SPARSE_BY_COLUMNS) != transposed; /* an element's neighbour is in the next row */
    return (struct dense_operand){d->data, along ? 1 : d->pitch, along ? d->pitch : 1, d->step};
}

/* ---- descriptions of the older interface ------------------------------------------------------------------------- */

SPARSE_API(cusparseStatus_t, cusparseCreateMatDescr, struct sparse_description **description)
{
    if (description == NULL)
        return BAD;
    *description = calloc(1, sizeof **description);
    return *description != NULL ? GOOD : CUSPARSE_STATUS_ALLOC_FAILED;
}

SPARSE_API(cusparseStatus_t, cusparseDestroyMatDescr, struct sparse_description *description)
{
    free(description);
    return GOOD;
}

#define PROPERTY(name, field, most)                                                                                    \
    SPARSE_API(cusparseStatus_t, cusparseSetMat##name, struct sparse_description *description, int value)              \
    {                                                                                                                  \
        if (description == NULL || value < 0 || value > (most))                                                        \
            return BAD;                                                                                                \
        description->field = value;                                                                                    \
        return GOOD;                                                                                                   \
    }                                                                                                                  \
    SPARSE_API(int, cusparseGetMat##name, const struct sparse_description *description)                                \
    {                                                                                                                  \
        return description != NULL ? description->field : 0;                                                           \
    }
PROPERTY(Type, type, 3)
PROPERTY(IndexBase, base, 1)
PROPERTY(FillMode, triangle, 1)
PROPERTY(DiagType, unit, 1)
