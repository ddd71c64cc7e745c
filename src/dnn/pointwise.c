/* Operations of single elements with tensors: sums, products, copies and scaling. */
#include <stdio.h>
#include <stdlib.h>

#include "dnn/kernels/pointwise_arguments.h"
#include "dnn/tensors.h"

/* A cudnnOpTensorDescriptor_t points to it. */
struct operating {
    bool set;
    int operation, type, nan;
};

DNN_API(cudnnStatus_t, cudnnCreateOpTensorDescriptor, struct operating **how)
{
    return dnn_create((void **)how, sizeof **how);
}

DNN_API(cudnnStatus_t, cudnnDestroyOpTensorDescriptor, struct operating *how)
{
    free(how);
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetOpTensorDescriptor, struct operating *how, int operation, int type, int nan)
{
    if (how == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (operation < 0 || operation >= POINTWISE_OPERATIONS || (type != DNN_F32 && type != DNN_F64) || nan < 0 ||
        nan > 1)
        return CUDNN_STATUS_BAD_PARAM;
    *how = (struct operating){true, operation, type, nan};
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetOpTensorDescriptor, const struct operating *how, int *operation, int *type, int *nan)
{
    if (how == NULL || operation == NULL || type == NULL || nan == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *operation = how->operation;
    *type = how->type;
    *nan = how->nan;
    return CUDNN_STATUS_SUCCESS;
}

/* ---- checks and starts ------------------------------------------------------------------------------------------- */

/* Places an operand whose sizes are those of the result, or 1. */
static bool place_operand(struct dnn_tensor *out, const struct tensor *t, const void *data, const struct tensor *result)
{
    if (t->shape.count != result->shape.count)
        return false;
    tensor_place(out, t, data);
    for (int d = 0; d < t->shape.count; d++)
        if (t->shape.sizes[d] != result->shape.sizes[d] && t->shape.sizes[d] != 1)
            return false;
    for (int d = 0; d < DNN_DIMENSIONS; d++)
        out->steps[d] = out->sizes[d] == 1 ? 0 : out->steps[d];
    return true;
}

struct operand {
    const struct tensor *shape; /* or null: there is none */
    const void *at, *scale;
};

static cudnnStatus_t start(cudnnHandle_t handle, struct operand a, struct operand b, struct operand c,
                           struct pointwise_arguments *g)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (c.shape == NULL || c.at == NULL || a.scale == NULL || (a.shape != NULL && a.at == NULL) ||
        (b.shape != NULL && (b.at == NULL || b.scale == NULL)))
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    int type = c.shape->shape.type;
    if (c.shape->shape.count == 0)
        return CUDNN_STATUS_BAD_PARAM;
    if (dnn_type_name(type) == NULL || (a.shape != NULL && a.shape->shape.type != type) ||
        (b.shape != NULL && b.shape->shape.type != type))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if ((a.shape != NULL && !place_operand(&g->a, a.shape, a.at, c.shape)) ||
        (b.shape != NULL && !place_operand(&g->b, b.shape, b.at, c.shape)))
        return CUDNN_STATUS_BAD_PARAM;
    tensor_place(&g->c, c.shape, c.at);
    g->alpha = dnn_scalar(a.scale, type);
    g->other = b.shape != NULL ? dnn_scalar(b.scale, type) : 0;
    g->beta = c.scale != NULL ? dnn_scalar(c.scale, type) : 0;
    char kernel[64];
    snprintf(kernel, sizeof kernel, "subcore_pointwise_operation_%s", dnn_type_name(type));
    unsigned blocks = tensor_blocks(&g->c);
    return blocks > 0 ? dnn_launch(handle, DNN_POINTWISE, kernel, (unsigned[]){blocks, 1, 1}, DNN_THREADS, g)
                      : CUDNN_STATUS_NOT_SUPPORTED;
}

/* ---- functions by name ------------------------------------------------------------------------------------------- */

DNN_API(cudnnStatus_t, cudnnOpTensor, cudnnHandle_t handle, const struct operating *how, const void *alpha,
        const struct tensor *aDesc, const void *a, const void *other, const struct tensor *bDesc, const void *b,
        const void *beta, const struct tensor *cDesc, void *c)
{
    if (how == NULL || aDesc == NULL || cDesc == NULL || beta == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    bool single = how->operation == POINTWISE_SQRT || how->operation == POINTWISE_NOT;
    if (!how->set || (!single && bDesc == NULL) || aDesc->shape.count != cDesc->shape.count)
        return CUDNN_STATUS_BAD_PARAM;
    if (how->type != (cDesc->shape.type == DNN_F64 ? DNN_F64 : DNN_F32))
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (!tensors_alike(aDesc, cDesc)) /* only b may be broadcast */
        return CUDNN_STATUS_BAD_PARAM;
    struct pointwise_arguments g = {.operation = (unsigned)how->operation, .nan = (unsigned)how->nan};
    return start(handle, (struct operand){aDesc, a, alpha}, (struct operand){single ? NULL : bDesc, b, other},
                 (struct operand){cDesc, c, beta}, &g);
}

DNN_API(cudnnStatus_t, cudnnAddTensor, cudnnHandle_t handle, const void *alpha, const struct tensor *aDesc,
        const void *a, const void *beta, const struct tensor *cDesc, void *c)
{
    if (aDesc == NULL || beta == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    struct pointwise_arguments g = {.operation = POINTWISE_COPY};
    return start(handle, (struct operand){aDesc, a, alpha}, (struct operand){0}, (struct operand){cDesc, c, beta}, &g);
}

DNN_API(cudnnStatus_t, cudnnTransformTensor, cudnnHandle_t handle, const void *alpha, const struct tensor *xDesc,
        const void *x, const void *beta, const struct tensor *yDesc, void *y)
{
    if (xDesc == NULL || yDesc == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!tensors_alike(xDesc, yDesc))
        return CUDNN_STATUS_NOT_SUPPORTED;
    return cudnnAddTensor(handle, alpha, xDesc, x, beta, yDesc, y);
}

DNN_API(cudnnStatus_t, cudnnScaleTensor, cudnnHandle_t handle, const struct tensor *yDesc, void *y, const void *alpha)
{
    if (yDesc == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    struct pointwise_arguments g = {.operation = POINTWISE_COPY};
    return start(handle, (struct operand){yDesc, y, alpha}, (struct operand){0}, (struct operand){yDesc, y, NULL}, &g);
}

/* The value has the type of the tensor, unlike other scalars. */
DNN_API(cudnnStatus_t, cudnnSetTensor, cudnnHandle_t handle, const struct tensor *yDesc, void *y, const void *value)
{
    if (yDesc == NULL || value == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    double number = dnn_type_name(yDesc->shape.type) != NULL ? dnn_value(value, yDesc->shape.type) : 0;
    float narrow = (float)number;
    const void *scale = yDesc->shape.type == DNN_F64 ? (const void *)&number : &narrow;
    struct pointwise_arguments g = {.operation = POINTWISE_SET};
    return start(handle, (struct operand){NULL, NULL, scale}, (struct operand){0}, (struct operand){yDesc, y, NULL},
                 &g);
}
