/* Pooling: maxima and means of windows, and their gradients. */
#include <stdio.h>
#include <stdlib.h>

#include "dnn/kernels/pooling_arguments.h"
#include "dnn/tensors.h"

/* A cudnnPoolingDescriptor_t points to it. */
struct pooling {
    int space; /* 0 until it is set */
    int mode, nan;
    int window[DNN_SPACE], padding[DNN_SPACE], stride[DNN_SPACE];
};

DNN_API(cudnnStatus_t, cudnnCreatePoolingDescriptor, struct pooling **pooling)
{
    return dnn_create((void **)pooling, sizeof **pooling);
}

DNN_API(cudnnStatus_t, cudnnDestroyPoolingDescriptor, struct pooling *pooling)
{
    free(pooling);
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetPoolingNdDescriptor, struct pooling *pooling, int mode, int nan, int space,
        const int *window, const int *padding, const int *stride)
{
    if (pooling == NULL || window == NULL || padding == NULL || stride == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (mode < 0 || mode >= POOLING_MODES || nan < 0 || nan > 1 || space < 1)
        return CUDNN_STATUS_BAD_PARAM;
    if (space > DNN_SPACE)
        return CUDNN_STATUS_NOT_SUPPORTED;
    struct pooling made = {.space = space, .mode = mode, .nan = nan};
    for (int d = 0; d < space; d++) {
        if (window[d] < 1 || padding[d] < 0 || stride[d] < 1)
            return CUDNN_STATUS_BAD_PARAM;
        made.window[d] = window[d];
        made.padding[d] = padding[d];
        made.stride[d] = stride[d];
    }
    *pooling = made;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetPooling2dDescriptor, struct pooling *pooling, int mode, int nan, int height, int width,
        int pad_h, int pad_w, int stride_h, int stride_w)
{
    return cudnnSetPoolingNdDescriptor(pooling, mode, nan, 2, (int[]){height, width}, (int[]){pad_h, pad_w},
                                       (int[]){stride_h, stride_w});
}

DNN_API(cudnnStatus_t, cudnnGetPoolingNdDescriptor, const struct pooling *pooling, int wanted, int *mode, int *nan,
        int *space, int *window, int *padding, int *stride)
{
    if (pooling == NULL || mode == NULL || nan == NULL || space == NULL || window == NULL || padding == NULL ||
        stride == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *mode = pooling->mode;
    *nan = pooling->nan;
    *space = pooling->space;
    for (int d = 0; d < wanted && d < pooling->space; d++) {
        window[d] = pooling->window[d];
        padding[d] = pooling->padding[d];
        stride[d] = pooling->stride[d];
    }
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetPooling2dDescriptor, const struct pooling *pooling, int *mode, int *nan, int *height,
        int *width, int *pad_h, int *pad_w, int *stride_h, int *stride_w)
{
    int space, window[2], padding[2], stride[2];
    if (height == NULL || width == NULL || pad_h == NULL || pad_w == NULL || stride_h == NULL || stride_w == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (pooling != NULL && pooling->space != 2)
        return CUDNN_STATUS_NOT_SUPPORTED;
    cudnnStatus_t status = cudnnGetPoolingNdDescriptor(pooling, 2, mode, nan, &space, window, padding, stride);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    *height = window[0];
    *width = window[1];
    *pad_h = padding[0];
    *pad_w = padding[1];
    *stride_h = stride[0];
    *stride_w = stride[1];
    return CUDNN_STATUS_SUCCESS;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* Returns the size of the output along a dimension of space, or 0 if the window does not fit. */
static int64_t output_size(const struct pooling *p, const struct tensor *x, int d)
{
    int64_t room = x->shape.sizes[2 + d] + 2 * (int64_t)p->padding[d] - p->window[d];
    return room >= 0 ? room / p->stride[d] + 1 : 0;
}

DNN_API(cudnnStatus_t, cudnnGetPoolingNdForwardOutputDim, const struct pooling *pooling, const struct tensor *x,
        int count, int *sizes)
{
    if (pooling == NULL || x == NULL || sizes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (pooling->space == 0 || count != pooling->space + 2 || x->shape.count != count)
        return CUDNN_STATUS_BAD_PARAM;
    for (int d = 0; d < count; d++)
        sizes[d] = (int)(d < 2 ? x->shape.sizes[d] : output_size(pooling, x, d - 2));
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetPooling2dForwardOutputDim, const struct pooling *pooling, const struct tensor *x, int *n,
        int *c, int *h, int *w)
{
    int sizes[4], *out[] = {n, c, h, w};
    cudnnStatus_t status = cudnnGetPoolingNdForwardOutputDim(pooling, x, 4, sizes);
    for (int d = 0; d < 4 && status == CUDNN_STATUS_SUCCESS; d++) {
        if (out[d] == NULL)
            return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
        *out[d] = sizes[d];
    }
    return status;
}

/* ---- both ways --------------------------------------------------------------------------------------------------- */

static bool sizes_agree(const struct pooling *p, const struct tensor *x, const struct tensor *y)
{
    if (p->space == 0 || x->shape.count != p->space + 2 || y->shape.count != x->shape.count ||
        x->shape.type != y->shape.type)
        return false;
    for (int d = 0; d < x->shape.count; d++)
        if (y->shape.sizes[d] != (d < 2 ? x->shape.sizes[d] : output_size(p, x, d - 2)))
            return false;
    return true;
}

/* Checks x and y, and fills the arguments. */
static cudnnStatus_t prepare(cudnnHandle_t handle, const struct pooling *p, const void *alpha, const void *beta,
                             const struct tensor *x, const void *at_x, const struct tensor *y, const void *at_y,
                             struct pooling_arguments *g)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (p == NULL || alpha == NULL || beta == NULL || x == NULL || y == NULL || !tensor_place(&g->x, x, at_x) ||
        !tensor_place(&g->y, y, at_y))
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!sizes_agree(p, x, y))
        return CUDNN_STATUS_BAD_PARAM;
    if (dnn_type_name(x->shape.type) == NULL || tensor_blocks(&g->x) == 0)
        return CUDNN_STATUS_NOT_SUPPORTED;
    for (int d = 0; d < DNN_SPACE; d++) {
        int from = d - (DNN_SPACE - p->space);
        g->window[d] = from >= 0 ? p->window[from] : 1;
        g->padding[d] = from >= 0 ? p->padding[from] : 0;
        g->stride[d] = from >= 0 ? p->stride[from] : 1;
    }
    g->mode = (unsigned)p->mode;
    g->nan = (unsigned)p->nan;
    g->alpha = dnn_scalar(alpha, x->shape.type);
    g->beta = dnn_scalar(beta, x->shape.type);
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t launch(cudnnHandle_t handle, const char *way, const struct tensor *t,
                            const struct dnn_tensor *threads, struct pooling_arguments *g)
{
    char kernel[64];
    snprintf(kernel, sizeof kernel, "subcore_pooling_%s_%s", way, dnn_type_name(t->shape.type));
    return dnn_launch(handle, DNN_POOLING, kernel, (unsigned[]){tensor_blocks(threads), 1, 1}, DNN_THREADS, g);
}

DNN_API(cudnnStatus_t, cudnnPoolingForward, cudnnHandle_t handle, const struct pooling *pooling, const void *alpha,
        const struct tensor *xDesc, const void *x, const void *beta, const struct tensor *yDesc, void *y)
{
    struct pooling_arguments g = {0};
    cudnnStatus_t status = prepare(handle, pooling, alpha, beta, xDesc, x, yDesc, y, &g);
    return status == CUDNN_STATUS_SUCCESS ? launch(handle, "forward", xDesc, &g.y, &g) : status;
}

DNN_API(cudnnStatus_t, cudnnPoolingBackward, cudnnHandle_t handle, const struct pooling *pooling, const void *alpha,
        const struct tensor *yDesc, const void *y, const struct tensor *dyDesc, const void *dy,
        const struct tensor *xDesc, const void *x, const void *beta, const struct tensor *dxDesc, void *dx)
{
    struct pooling_arguments g = {0};
    cudnnStatus_t status = prepare(handle, pooling, alpha, beta, xDesc, x, yDesc, y, &g);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    if (dyDesc == NULL || dxDesc == NULL || !tensor_place(&g.dy, dyDesc, dy) || !tensor_place(&g.dx, dxDesc, dx))
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!tensors_alike(yDesc, dyDesc) || !tensors_alike(xDesc, dxDesc))
        return CUDNN_STATUS_BAD_PARAM;
    return launch(handle, "backward", xDesc, &g.x, &g);
}
