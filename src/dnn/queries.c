/* Questions about descriptors: sizes, bytes, and a convolution's parameters. */
#include "dnn/tensors.h"

/* ---- tensors and filters ----------------------------------------------------------------------------------------- */

DNN_API(cudnnStatus_t, cudnnGetTensor4dDescriptor, const struct tensor *t, int *type, int *n, int *c, int *h, int *w,
        int *n_step, int *c_step, int *h_step, int *w_step)
{
    int *sizes[] = {n, c, h, w}, *steps[] = {n_step, c_step, h_step, w_step};
    if (t == NULL || type == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (t->shape.count != 4)
        return CUDNN_STATUS_BAD_PARAM;
    *type = t->shape.type;
    for (int d = 0; d < 4; d++) {
        if (sizes[d] == NULL || steps[d] == NULL)
            return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
        *sizes[d] = (int)t->shape.sizes[d];
        *steps[d] = (int)t->shape.steps[d];
    }
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetFilter4dDescriptor, const struct tensor *t, int *type, int *format, int *k, int *c,
        int *h, int *w)
{
    int *sizes[] = {k, c, h, w};
    if (t == NULL || type == NULL || format == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (t->shape.count != 4)
        return CUDNN_STATUS_BAD_PARAM;
    *type = t->shape.type;
    *format = t->format;
    for (int d = 0; d < 4; d++) {
        if (sizes[d] == NULL)
            return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
        *sizes[d] = (int)t->shape.sizes[d];
    }
    return CUDNN_STATUS_SUCCESS;
}

/* The bytes from the first element to the last one. */
DNN_API(cudnnStatus_t, cudnnGetTensorSizeInBytes, const struct tensor *t, size_t *bytes)
{
    if (t == NULL || bytes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    size_t last = 0, each = t->shape.type == DNN_F64 ? 8 : t->shape.type == DNN_F32 ? 4 : 2;
    for (int d = 0; d < t->shape.count; d++)
        last += (size_t)(t->shape.sizes[d] - 1) * (size_t)t->shape.steps[d];
    *bytes = t->shape.count > 0 ? (last + 1) * each : 0;
    return dnn_type_name(t->shape.type) != NULL ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

DNN_API(cudnnStatus_t, cudnnGetFilterSizeInBytes, const struct tensor *t, size_t *bytes)
{
    return cudnnGetTensorSizeInBytes(t, bytes);
}

/* The parameters of batch normalization have one element for each channel, or for each element of an image. */
DNN_API(cudnnStatus_t, cudnnDeriveBNTensorDescriptor, struct tensor *out, const struct tensor *x, int mode)
{
    enum { EACH = 0, MODES = 3 };
    if (out == NULL || x == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (x->shape.count == 0 || mode < 0 || mode >= MODES)
        return CUDNN_STATUS_BAD_PARAM;
    struct tensor made = {.shape = {.type = x->shape.type == DNN_F64 ? DNN_F64 : DNN_F32, .count = x->shape.count}};
    int64_t step = 1;
    for (int d = x->shape.count - 1; d >= 0; d--) {
        made.shape.sizes[d] = d == 1 || (d > 1 && mode == EACH) ? x->shape.sizes[d] : 1;
        made.shape.steps[d] = step;
        step *= made.shape.sizes[d];
    }
    *out = made;
    return CUDNN_STATUS_SUCCESS;
}

/* ---- convolutions ------------------------------------------------------------------------------------------------ */

DNN_API(cudnnStatus_t, cudnnGetConvolutionNdDescriptor, const struct convolving *c, int wanted, int *space,
        int *padding, int *stride, int *dilation, int *mode, int *type)
{
    if (c == NULL || space == NULL || padding == NULL || stride == NULL || dilation == NULL || mode == NULL ||
        type == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *space = c->space;
    *mode = c->mode;
    *type = c->type;
    for (int d = 0; d < wanted && d < c->space; d++) {
        padding[d] = (int)c->padding[d];
        stride[d] = (int)c->stride[d];
        dilation[d] = (int)c->dilation[d];
    }
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetConvolution2dDescriptor, const struct convolving *c, int *pad_h, int *pad_w,
        int *stride_h, int *stride_w, int *dilation_h, int *dilation_w, int *mode, int *type)
{
    int space, padding[2], stride[2], dilation[2];
    if (pad_h == NULL || pad_w == NULL || stride_h == NULL || stride_w == NULL || dilation_h == NULL ||
        dilation_w == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (c != NULL && c->space != 2)
        return CUDNN_STATUS_BAD_PARAM;
    cudnnStatus_t status = cudnnGetConvolutionNdDescriptor(c, 2, &space, padding, stride, dilation, mode, type);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    *pad_h = padding[0];
    *pad_w = padding[1];
    *stride_h = stride[0];
    *stride_w = stride[1];
    *dilation_h = dilation[0];
    *dilation_w = dilation[1];
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetConvolutionGroupCount, const struct convolving *c, int *groups)
{
    if (c == NULL || groups == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *groups = c->groups;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetConvolutionMathType, const struct convolving *c, int *math)
{
    if (c == NULL || math == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *math = c->math;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetConvolutionNdForwardOutputDim, const struct convolving *c, const struct tensor *x,
        const struct tensor *w, int count, int *sizes)
{
    if (c == NULL || x == NULL || w == NULL || sizes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (c->space == 0 || count != c->space + 2 || x->shape.count != count || w->shape.count != count ||
        x->shape.sizes[1] != w->shape.sizes[1] * c->groups)
        return CUDNN_STATUS_BAD_PARAM;
    sizes[0] = (int)x->shape.sizes[0];
    sizes[1] = (int)w->shape.sizes[0];
    for (int d = 0; d < c->space; d++) {
        int64_t covered = c->dilation[d] * (w->shape.sizes[2 + d] - 1) + 1;
        int64_t room = x->shape.sizes[2 + d] + 2 * c->padding[d] - covered;
        if (room < 0 || c->stride[d] < 1)
            return CUDNN_STATUS_BAD_PARAM;
        sizes[2 + d] = (int)(room / c->stride[d]) + 1;
    }
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetConvolution2dForwardOutputDim, const struct convolving *c, const struct tensor *x,
        const struct tensor *w, int *n, int *k, int *height, int *width)
{
    int sizes[4], *out[] = {n, k, height, width};
    cudnnStatus_t status = cudnnGetConvolutionNdForwardOutputDim(c, x, w, 4, sizes);
    for (int d = 0; d < 4 && status == CUDNN_STATUS_SUCCESS; d++) {
        if (out[d] == NULL)
            return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
        *out[d] = sizes[d];
    }
    return status;
}

/* ---- versions ---------------------------------------------------------------------------------------------------- */

/* All parts of this library have one version. */
DNN_API(cudnnStatus_t, cudnnAdvVersionCheck, void) { return CUDNN_STATUS_SUCCESS; }
DNN_API(cudnnStatus_t, cudnnCnnVersionCheck, void) { return CUDNN_STATUS_SUCCESS; }
DNN_API(cudnnStatus_t, cudnnGraphVersionCheck, void) { return CUDNN_STATUS_SUCCESS; }
DNN_API(cudnnStatus_t, cudnnOpsVersionCheck, void) { return CUDNN_STATUS_SUCCESS; }
