/* cublasLt's descriptors: their creation, and reads and writes of their attributes by documented number. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "blas/kernels/gemm.h"
#include "blas/lt.h"

static_assert(sizeof(struct lt_layout) <= 64 && sizeof(struct lt_preference) <= 64, "as in CUDA 12");
static_assert(sizeof(struct lt_transform) <= 64 && sizeof(struct lt_operation) <= 184, "as in CUDA 12");

cublasStatus_t lt_set(void *field, size_t size, const void *value, size_t given)
{
    if (value == NULL || given != size)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(field, value, size);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t lt_get(const void *field, size_t size, void *value, size_t room, size_t *written)
{
    if (written != NULL)
        *written = size;
    if (room == 0 && written != NULL)
        return CUBLAS_STATUS_SUCCESS;
    if (value == NULL || room < size)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(value, field, size);
    return CUBLAS_STATUS_SUCCESS;
}

/* A field of a descriptor. */
struct field {
    uint8_t attribute, size;
    uint16_t offset;
};

#define FIELD(number, type, name)                                                                                      \
    {                                                                                                                  \
        number, sizeof(((struct type *)0)->name), offsetof(struct type, name)                                          \
    }

static const struct field *find(const struct field *fields, size_t count, int attribute)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].attribute == attribute)
            return &fields[i];
    return NULL;
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- layouts ----------------------------------------------------------------------------------------------------- */

static const struct field layout_fields[] = {
    FIELD(0, lt_layout, type),    FIELD(1, lt_layout, order), FIELD(2, lt_layout, rows),
    FIELD(3, lt_layout, columns), FIELD(4, lt_layout, ld),    FIELD(5, lt_layout, batch),
    FIELD(6, lt_layout, stride),  FIELD(7, lt_layout, plane), FIELD(8, lt_layout, mode),
};

static void layout_init(struct lt_layout *layout, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    *layout = (struct lt_layout){.type = type, .rows = rows, .columns = columns, .ld = ld, .batch = 1};
}

BLAS_API(cublasStatus_t, cublasLtMatrixLayoutCreate, struct lt_layout **layout, int type, uint64_t rows,
         uint64_t columns, int64_t ld)
{
    if (layout == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *layout = malloc(sizeof **layout);
    if (*layout == NULL)
        return CUBLAS_STATUS_ALLOC_FAILED;
    layout_init(*layout, type, rows, columns, ld);
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatrixLayoutInit_internal, struct lt_layout *layout, size_t size, int type,
         uint64_t rows, uint64_t columns, int64_t ld)
{
    if (layout == NULL || size < sizeof *layout)
        return CUBLAS_STATUS_INVALID_VALUE;
    memset(layout, 0, size);
    layout_init(layout, type, rows, columns, ld);
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatrixLayoutDestroy, struct lt_layout *layout)
{
    free(layout);
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatrixLayoutSetAttribute, struct lt_layout *layout, int attribute, const void *value,
         size_t size)
{
    const struct field *f = find(layout_fields, COUNT(layout_fields), attribute);
    if (layout == NULL || f == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return lt_set((char *)layout + f->offset, f->size, value, size);
}

BLAS_API(cublasStatus_t, cublasLtMatrixLayoutGetAttribute, const struct lt_layout *layout, int attribute, void *value,
         size_t size, size_t *written)
{
    const struct field *f = find(layout_fields, COUNT(layout_fields), attribute);
    if (layout == NULL || f == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return lt_get((const char *)layout + f->offset, f->size, value, size, written);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* FAST_ACCUM and the scale modes are stored in one byte. A caller passes one byte or four. */
enum { FAST_ACCUM = 25, FIRST_MODE = 31, LAST_MODE = 34 };

static const struct field operation_fields[] = {
    FIELD(0, lt_operation, compute),      FIELD(1, lt_operation, scale_type),   FIELD(2, lt_operation, pointer_mode),
    FIELD(3, lt_operation, operation[0]), FIELD(4, lt_operation, operation[1]), FIELD(5, lt_operation, operation[2]),
    FIELD(6, lt_operation, fill),         FIELD(7, lt_operation, epilogue),     FIELD(8, lt_operation, bias),
    FIELD(10, lt_operation, bias_stride), FIELD(11, lt_operation, aux),         FIELD(12, lt_operation, aux_ld),
    FIELD(13, lt_operation, aux_stride),  FIELD(15, lt_operation, processors),  FIELD(17, lt_operation, scale[0]),
    FIELD(18, lt_operation, scale[1]),    FIELD(19, lt_operation, scale[2]),    FIELD(20, lt_operation, scale[3]),
    FIELD(21, lt_operation, amax),        FIELD(22, lt_operation, aux_type),    FIELD(FAST_ACCUM, lt_operation, fast),
    FIELD(26, lt_operation, bias_type),
};

static void operation_init(struct lt_operation *operation, int compute, int scale_type)
{
    *operation = (struct lt_operation){
        .compute = compute, .scale_type = scale_type, .epilogue = GEMM_NO_STEP, .bias_type = -1, .aux_type = -1};
}

BLAS_API(cublasStatus_t, cublasLtMatmulDescCreate, struct lt_operation **operation, int compute, int scale_type)
{
    if (operation == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *operation = malloc(sizeof **operation);
    if (*operation == NULL)
        return CUBLAS_STATUS_ALLOC_FAILED;
    operation_init(*operation, compute, scale_type);
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatmulDescInit_internal, struct lt_operation *operation, size_t size, int compute,
         int scale_type)
{
    if (operation == NULL || size < sizeof *operation)
        return CUBLAS_STATUS_INVALID_VALUE;
    memset(operation, 0, size);
    operation_init(operation, compute, scale_type);
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatmulDescDestroy, struct lt_operation *operation)
{
    free(operation);
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatmulDescSetAttribute, struct lt_operation *operation, int attribute,
         const void *value, size_t size)
{
    if (operation == NULL || value == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (attribute >= FIRST_MODE && attribute <= LAST_MODE) {
        int32_t mode;
        if (size != sizeof mode)
            return CUBLAS_STATUS_INVALID_VALUE;
        memcpy(&mode, value, sizeof mode);
        operation->scale_mode[attribute - FIRST_MODE] = (int8_t)mode;
        return CUBLAS_STATUS_SUCCESS;
    }
    const struct field *f = find(operation_fields, COUNT(operation_fields), attribute);
    if (f != NULL)
        return lt_set((char *)operation + f->offset, f->size, value, size);
    if (attribute < 0 || attribute > 40)
        return CUBLAS_STATUS_INVALID_VALUE;
    operation->other = 1;
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatmulDescGetAttribute, const struct lt_operation *operation, int attribute,
         void *value, size_t size, size_t *written)
{
    if (operation == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (attribute >= FIRST_MODE && attribute <= LAST_MODE) {
        int32_t mode = operation->scale_mode[attribute - FIRST_MODE];
        return lt_get(&mode, sizeof mode, value, size, written);
    }
    const struct field *f = find(operation_fields, COUNT(operation_fields), attribute);
    return f == NULL ? CUBLAS_STATUS_INVALID_VALUE
                     : lt_get((const char *)operation + f->offset, f->size, value, size, written);
}

/* ---- transforms -------------------------------------------------------------------------------------------------- */

static const struct field transform_fields[] = {
    FIELD(0, lt_transform, scale_type),
    FIELD(1, lt_transform, pointer_mode),
    FIELD(2, lt_transform, operation[0]),
    FIELD(3, lt_transform, operation[1]),
};

BLAS_API(cublasStatus_t, cublasLtMatrixTransformDescCreate, struct lt_transform **transform, int scale_type)
{
    if (transform == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *transform = malloc(sizeof **transform);
    if (*transform == NULL)
        return CUBLAS_STATUS_ALLOC_FAILED;
    **transform = (struct lt_transform){.scale_type = scale_type};
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatrixTransformDescInit_internal, struct lt_transform *transform, size_t size,
         int scale_type)
{
    if (transform == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (size < sizeof *transform)
        return CUBLAS_STATUS_ALLOC_FAILED;
    memset(transform, 0, size);
    *transform = (struct lt_transform){.scale_type = scale_type};
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatrixTransformDescDestroy, struct lt_transform *transform)
{
    free(transform);
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatrixTransformDescSetAttribute, struct lt_transform *transform, int attribute,
         const void *value, size_t size)
{
    const struct field *f = find(transform_fields, COUNT(transform_fields), attribute);
    if (transform == NULL || f == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return lt_set((char *)transform + f->offset, f->size, value, size);
}

BLAS_API(cublasStatus_t, cublasLtMatrixTransformDescGetAttribute, const struct lt_transform *transform, int attribute,
         void *value, size_t size, size_t *written)
{
    const struct field *f = find(transform_fields, COUNT(transform_fields), attribute);
    if (transform == NULL || f == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return lt_get((const char *)transform + f->offset, f->size, value, size, written);
}

/* ---- preferences ------------------------------------------------------------------------------------------------- */

static const struct field preference_fields[] = {
    FIELD(0, lt_preference, search),           FIELD(1, lt_preference, workspace),
    FIELD(3, lt_preference, reductions),       FIELD(5, lt_preference, alignment[0]),
    FIELD(6, lt_preference, alignment[1]),     FIELD(7, lt_preference, alignment[2]),
    FIELD(8, lt_preference, alignment[3]),     FIELD(9, lt_preference, waves),
    FIELD(12, lt_preference, implementations),
};

static void preference_init(struct lt_preference *preference)
{
    *preference = (struct lt_preference){
        .reductions = UINT32_MAX, .alignment = {256, 256, 256, 256}, .implementations = UINT64_MAX};
}

BLAS_API(cublasStatus_t, cublasLtMatmulPreferenceCreate, struct lt_preference **preference)
{
    if (preference == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    *preference = malloc(sizeof **preference);
    if (*preference == NULL)
        return CUBLAS_STATUS_ALLOC_FAILED;
    preference_init(*preference);
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatmulPreferenceInit_internal, struct lt_preference *preference, size_t size)
{
    if (preference == NULL || size < sizeof *preference)
        return CUBLAS_STATUS_INVALID_VALUE;
    memset(preference, 0, size);
    preference_init(preference);
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatmulPreferenceDestroy, struct lt_preference *preference)
{
    free(preference);
    return CUBLAS_STATUS_SUCCESS;
}

BLAS_API(cublasStatus_t, cublasLtMatmulPreferenceSetAttribute, struct lt_preference *preference, int attribute,
         const void *value, size_t size)
{
    const struct field *f = find(preference_fields, COUNT(preference_fields), attribute);
    if (preference == NULL || f == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return lt_set((char *)preference + f->offset, f->size, value, size);
}

BLAS_API(cublasStatus_t, cublasLtMatmulPreferenceGetAttribute, const struct lt_preference *preference, int attribute,
         void *value, size_t size, size_t *written)
{
    const struct field *f = find(preference_fields, COUNT(preference_fields), attribute);
    if (preference == NULL || f == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    return lt_get((const char *)preference + f->offset, f->size, value, size, written);
}
