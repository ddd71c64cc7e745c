/* Batch normalization: training, inference and gradients. */
#include <stdio.h>

#include "dnn/kernels/arguments.h"
#include "dnn/tensors.h"

/* cudnnBatchNormMode_t: 0 is each element of an image; 1 and 2 are each channel. */
enum { EACH = 0, MODES = 3, NO_OPERATION = 0 };

struct call {
    const char *kernel;
    int mode;
    const void *alpha, *beta;
    const struct tensor *x, *y, *parameters; /* y: the result, or its gradient going back */
    const void *at_x, *at_y;
};

/* Checks the common part of all forms, and fills the arguments with it. */
static cudnnStatus_t begin(cudnnHandle_t handle, const struct call *c, struct normalization_arguments *g)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (c->x == NULL || c->y == NULL || c->parameters == NULL || c->alpha == NULL || c->beta == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    int type = c->x->shape.type;
    if (c->mode < 0 || c->mode >= MODES)
        return CUDNN_STATUS_BAD_PARAM;
    if (dnn_type_name(type) == NULL || c->y->shape.type != type ||
        c->parameters->shape.type != (type == DNN_F64 ? DNN_F64 : DNN_F32))
        return CUDNN_STATUS_NOT_SUPPORTED;
    for (int d = 0; d < c->x->shape.count; d++)
        if (c->x->shape.count != c->y->shape.count || c->x->shape.sizes[d] != c->y->shape.sizes[d])
            return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
    if (!tensor_place(&g->x, c->x, c->at_x) || !tensor_place(&g->y, c->y, c->at_y))
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    g->each = c->mode == EACH;
    g->alpha = dnn_scalar(c->alpha, type);
    g->beta = dnn_scalar(c->beta, type);
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t launch(cudnnHandle_t handle, const struct call *c, struct normalization_arguments *g)
{
    char kernel[64];
    unsigned blocks = g->x.sizes[1];
    for (int d = 0; d < DNN_SPACE && g->each; d++)
        blocks *= g->x.sizes[2 + d];
    snprintf(kernel, sizeof kernel, "subcore_normalization_%s_%s", c->kernel, dnn_type_name(c->x->shape.type));
    return dnn_launch(handle, DNN_NORMALIZATION, kernel, (unsigned[]){blocks, 1, 1}, DNN_THREADS, g);
}

DNN_API(cudnnStatus_t, cudnnBatchNormalizationForwardTraining, cudnnHandle_t handle, int mode, const void *alpha,
        const void *beta, const struct tensor *xDesc, const void *x, const struct tensor *yDesc, void *y,
        const struct tensor *parameters, const void *scale, const void *bias, double factor, void *running_mean,
        void *running_variance, double epsilon, void *saved_mean, void *saved_inverse)
{
    struct call c = {"forward", mode, alpha, beta, xDesc, yDesc, parameters, x, y};
    struct normalization_arguments g = {.scale = scale,
                                        .bias = bias,
                                        .factor = factor,
                                        .running_mean = running_mean,
                                        .running_variance = running_variance,
                                        .epsilon = epsilon,
                                        .mean = saved_mean,
                                        .inverse = saved_inverse};
    cudnnStatus_t status = begin(handle, &c, &g);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    if (!running_mean != !running_variance || !saved_mean != !saved_inverse || !(epsilon >= 0))
        return CUDNN_STATUS_BAD_PARAM;
    return launch(handle, &c, &g);
}

DNN_API(cudnnStatus_t, cudnnBatchNormalizationForwardTrainingEx, cudnnHandle_t handle, int mode, int operation,
        const void *alpha, const void *beta, const struct tensor *xDesc, const void *x, const struct tensor *zDesc,
        const void *z, const struct tensor *yDesc, void *y, const struct tensor *parameters, const void *scale,
        const void *bias, double factor, void *running_mean, void *running_variance, double epsilon, void *saved_mean,
        void *saved_inverse, const void *activation, void *workspace, size_t workspace_bytes, void *reserve,
        size_t reserve_bytes)
{
    (void)zDesc, (void)z, (void)activation, (void)workspace, (void)workspace_bytes, (void)reserve, (void)reserve_bytes;
    if (operation != NO_OPERATION)
        return dnn_refuse("cudnnBatchNormalizationForwardTrainingEx", "activations and sums");
    return cudnnBatchNormalizationForwardTraining(handle, mode, alpha, beta, xDesc, x, yDesc, y, parameters, scale,
                                                  bias, factor, running_mean, running_variance, epsilon, saved_mean,
                                                  saved_inverse);
}

DNN_API(cudnnStatus_t, cudnnBatchNormalizationForwardInference, cudnnHandle_t handle, int mode, const void *alpha,
        const void *beta, const struct tensor *xDesc, const void *x, const struct tensor *yDesc, void *y,
        const struct tensor *parameters, const void *scale, const void *bias, const void *mean, const void *variance,
        double epsilon)
{
    struct call c = {"inference", mode, alpha, beta, xDesc, yDesc, parameters, x, y};
    struct normalization_arguments g = {.scale = scale,
                                        .bias = bias,
                                        .running_mean = (void *)(uintptr_t)mean,
                                        .running_variance = (void *)(uintptr_t)variance,
                                        .epsilon = epsilon};
    cudnnStatus_t status = begin(handle, &c, &g);
    if (status == CUDNN_STATUS_SUCCESS && (mean == NULL || variance == NULL))
        status = CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    return status == CUDNN_STATUS_SUCCESS ? launch(handle, &c, &g) : status;
}

DNN_API(cudnnStatus_t, cudnnBatchNormalizationBackward, cudnnHandle_t handle, int mode, const void *alpha,
        const void *beta, const void *parameter_alpha, const void *parameter_beta, const struct tensor *xDesc,
        const void *x, const struct tensor *dyDesc, const void *dy, const struct tensor *dxDesc, void *dx,
        const struct tensor *parameters, const void *scale, void *scale_gradient, void *bias_gradient, double epsilon,
        const void *mean, const void *inverse)
{
    struct call c = {"backward", mode, alpha, beta, xDesc, dyDesc, parameters, x, dy};
    struct normalization_arguments g = {.scale = scale,
                                        .scale_gradient = scale_gradient,
                                        .bias_gradient = bias_gradient,
                                        .epsilon = epsilon,
                                        .mean = (void *)(uintptr_t)mean,
                                        .inverse = (void *)(uintptr_t)inverse};
    cudnnStatus_t status = begin(handle, &c, &g);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    if (dxDesc == NULL || !tensor_place(&g.dx, dxDesc, dx) || scale_gradient == NULL || bias_gradient == NULL ||
        parameter_alpha == NULL || parameter_beta == NULL || !mean != !inverse)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    g.parameter_alpha = dnn_scalar(parameter_alpha, xDesc->shape.type);
    g.parameter_beta = dnn_scalar(parameter_beta, xDesc->shape.type);
    return launch(handle, &c, &g);
}

DNN_API(cudnnStatus_t, cudnnBatchNormalizationBackwardEx, cudnnHandle_t handle, int mode, int operation,
        const void *alpha, const void *beta, const void *parameter_alpha, const void *parameter_beta,
        const struct tensor *xDesc, const void *x, const struct tensor *yDesc, const void *y,
        const struct tensor *dyDesc, const void *dy, const struct tensor *dzDesc, void *dz, const struct tensor *dxDesc,
        void *dx, const struct tensor *parameters, const void *scale, const void *bias, void *scale_gradient,
        void *bias_gradient, double epsilon, const void *mean, const void *inverse, const void *activation,
        void *workspace, size_t workspace_bytes, void *reserve, size_t reserve_bytes)
{
    (void)yDesc, (void)y, (void)dzDesc, (void)dz, (void)bias, (void)activation, (void)workspace;
    (void)workspace_bytes, (void)reserve, (void)reserve_bytes;
    if (operation != NO_OPERATION)
        return dnn_refuse("cudnnBatchNormalizationBackwardEx", "activations and sums");
    return cudnnBatchNormalizationBackward(handle, mode, alpha, beta, parameter_alpha, parameter_beta, xDesc, x, dyDesc,
                                           dy, dxDesc, dx, parameters, scale, scale_gradient, bias_gradient, epsilon,
                                           mean, inverse);
}

/* ---- memory that no form needs ----------------------------------------------------------------------------------- */

static cudnnStatus_t nothing(cudnnHandle_t handle, size_t *bytes)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (bytes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *bytes = 0;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize, cudnnHandle_t handle, int mode,
        int operation, const struct tensor *x, const struct tensor *z, const struct tensor *y,
        const struct tensor *parameters, const void *activation, size_t *bytes)
{
    (void)mode, (void)operation, (void)x, (void)z, (void)y, (void)parameters, (void)activation;
    return nothing(handle, bytes);
}

DNN_API(cudnnStatus_t, cudnnGetBatchNormalizationBackwardExWorkspaceSize, cudnnHandle_t handle, int mode, int operation,
        const struct tensor *x, const struct tensor *y, const struct tensor *dy, const struct tensor *dz,
        const struct tensor *dx, const struct tensor *parameters, const void *activation, size_t *bytes)
{
    (void)mode, (void)operation, (void)x, (void)y, (void)dy, (void)dz, (void)dx, (void)parameters, (void)activation;
    return nothing(handle, bytes);
}

DNN_API(cudnnStatus_t, cudnnGetBatchNormalizationTrainingExReserveSpaceSize, cudnnHandle_t handle, int mode,
        int operation, const void *activation, const struct tensor *x, size_t *bytes)
{
    (void)mode, (void)operation, (void)activation, (void)x;
    return nothing(handle, bytes);
}
