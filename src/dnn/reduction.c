/* Reductions of tensors. */
#include <stdio.h>
#include <stdlib.h>

#include "dnn/kernels/reduction_arguments.h"
#include "dnn/tensors.h"

/* cudnnReduceTensorIndices_t and cudnnIndicesType_t */
enum { NO_INDICES, FLAT_INDICES, INDEX_KINDS, INDEX_32 = 0, INDEX_TYPES = 4 };

/* A cudnnReduceTensorDescriptor_t points to it. */
struct reducing {
    bool set;
    int operation, type, nan, indices, index_type;
};

DNN_API(cudnnStatus_t, cudnnCreateReduceTensorDescriptor, struct reducing **how)
{
    return dnn_create((void **)how, sizeof **how);
}

DNN_API(cudnnStatus_t, cudnnDestroyReduceTensorDescriptor, struct reducing *how)
{
    free(how);
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetReduceTensorDescriptor, struct reducing *how, int operation, int type, int nan,
        int indices, int index_type)
{
    if (how == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (operation < 0 || operation >= REDUCTION_OPERATIONS || (type != DNN_F32 && type != DNN_F64) || nan < 0 ||
        nan > 1 || indices < 0 || indices >= INDEX_KINDS || index_type < 0 || index_type >= INDEX_TYPES)
        return CUDNN_STATUS_BAD_PARAM;
    *how = (struct reducing){true, operation, type, nan, indices, index_type};
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetReduceTensorDescriptor, const struct reducing *how, int *operation, int *type, int *nan,
        int *indices, int *index_type)
{
    if (how == NULL || operation == NULL || type == NULL || nan == NULL || indices == NULL || index_type == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *operation = how->operation;
    *type = how->type;
    *nan = how->nan;
    *indices = how->indices;
    *index_type = how->index_type;
    return CUDNN_STATUS_SUCCESS;
}

static bool has_indices(const struct reducing *how)
{
    return how->indices == FLAT_INDICES &&
           (how->operation == REDUCTION_MIN || how->operation == REDUCTION_MAX || how->operation == REDUCTION_LARGEST);
}

static uint64_t elements(const struct tensor *t)
{
    uint64_t count = 1;
    for (int d = 0; d < t->shape.count; d++)
        count *= (uint64_t)t->shape.sizes[d];
    return count;
}

DNN_API(cudnnStatus_t, cudnnGetReductionIndicesSize, cudnnHandle_t handle, const struct reducing *how,
        const struct tensor *a, const struct tensor *c, size_t *bytes)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (how == NULL || a == NULL || c == NULL || bytes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *bytes = has_indices(how) ? elements(c) * sizeof(unsigned) : 0;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetReductionWorkspaceSize, cudnnHandle_t handle, const struct reducing *how,
        const struct tensor *a, const struct tensor *c, size_t *bytes)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (how == NULL || a == NULL || c == NULL || bytes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *bytes = 0;
    return CUDNN_STATUS_SUCCESS;
}

/* Finds which part of a belongs to each element of c. */
static bool place_part(const struct tensor *a, const struct tensor *c, struct reduction_arguments *g)
{
    if (a->shape.count == 0 || a->shape.count != c->shape.count)
        return false;
    for (int d = 0; d < a->shape.count; d++)
        if (c->shape.sizes[d] != a->shape.sizes[d] && c->shape.sizes[d] != 1)
            return false;
    for (int d = 0; d < DNN_DIMENSIONS; d++)
        g->sizes[d] = g->c.sizes[d] == 1 ? g->a.sizes[d] : 1;
    return true;
}

DNN_API(cudnnStatus_t, cudnnReduceTensor, cudnnHandle_t handle, const struct reducing *how, void *indices,
        size_t index_bytes, void *workspace, size_t bytes, const void *alpha, const struct tensor *aDesc, const void *a,
        const void *beta, const struct tensor *cDesc, void *c)
{
    struct reduction_arguments g = {0};
    (void)workspace, (void)bytes;
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (how == NULL || alpha == NULL || beta == NULL || aDesc == NULL || cDesc == NULL ||
        !tensor_place(&g.a, aDesc, a) || !tensor_place(&g.c, cDesc, c))
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!how->set || !place_part(aDesc, cDesc, &g))
        return CUDNN_STATUS_BAD_PARAM;
    int type = aDesc->shape.type;
    uint64_t results = elements(cDesc), each = elements(aDesc) / results;
    if (dnn_type_name(type) == NULL || cDesc->shape.type != type ||
        how->type != (type == DNN_F64 ? DNN_F64 : DNN_F32) || results > INT32_MAX || each > INT32_MAX ||
        (has_indices(how) && how->index_type != INDEX_32))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (has_indices(how) && (indices == NULL || index_bytes < results * sizeof(unsigned)))
        return CUDNN_STATUS_BAD_PARAM;
    g.count = (unsigned)each;
    g.operation = (unsigned)how->operation;
    g.nan = (unsigned)how->nan;
    g.indices = has_indices(how) ? indices : NULL;
    g.alpha = dnn_scalar(alpha, type);
    g.beta = dnn_scalar(beta, type);
    char kernel[64];
    snprintf(kernel, sizeof kernel, "subcore_reduction_reduce_%s", dnn_type_name(type));
    return dnn_launch(handle, DNN_REDUCTION, kernel, (unsigned[]){(unsigned)results, 1, 1}, DNN_THREADS, &g);
}

/* ---- the gradient of a convolution's bias ------------------------------------------------------------------------ */

DNN_API(cudnnStatus_t, cudnnConvolutionBackwardBias, cudnnHandle_t handle, const void *alpha,
        const struct tensor *dyDesc, const void *dy, const void *beta, const struct tensor *dbDesc, void *db)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (dyDesc == NULL || dbDesc == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    for (int d = 0; d < dbDesc->shape.count; d++)
        if (dbDesc->shape.sizes[d] != (d == 1 ? dyDesc->shape.sizes[1] : 1))
            return CUDNN_STATUS_BAD_PARAM;
    struct reducing sum = {true, REDUCTION_ADD, dyDesc->shape.type == DNN_F64 ? DNN_F64 : DNN_F32, 1, NO_INDICES, 0};
    return cudnnReduceTensor(handle, &sum, NULL, 0, NULL, 0, alpha, dyDesc, dy, beta, dbDesc, db);
}
