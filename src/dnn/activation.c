/* Activations and their gradients. */
#include <stdio.h>
#include <stdlib.h>

#include "dnn/kernels/pointwise_arguments.h"
#include "dnn/tensors.h"

DNN_API(cudnnStatus_t, cudnnCreateActivationDescriptor, struct activating **how)
{
    return dnn_create((void **)how, sizeof **how);
}

DNN_API(cudnnStatus_t, cudnnDestroyActivationDescriptor, struct activating *how)
{
    free(how);
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetActivationDescriptor, struct activating *how, int mode, int nan, double coefficient)
{
    if (how == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (mode < 0 || mode >= ACTIVATION_MODES || nan < 0 || nan > 1)
        return CUDNN_STATUS_BAD_PARAM;
    *how = (struct activating){true, mode, nan, coefficient, 1};
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetActivationDescriptor, const struct activating *how, int *mode, int *nan,
        double *coefficient)
{
    if (how == NULL || mode == NULL || nan == NULL || coefficient == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *mode = how->mode;
    *nan = how->nan;
    *coefficient = how->coefficient;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetActivationDescriptorSwishBeta, struct activating *how, double slope)
{
    if (how == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    how->slope = slope;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetActivationDescriptorSwishBeta, const struct activating *how, double *slope)
{
    if (how == NULL || slope == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *slope = how->slope;
    return CUDNN_STATUS_SUCCESS;
}

/* ---- both ways --------------------------------------------------------------------------------------------------- */

/* Checks the tensors, of which the last one is the result, and starts the kernel. */
static cudnnStatus_t run(cudnnHandle_t handle, const struct activating *how, const void *alpha, const void *beta,
                         const struct tensor *const shapes[], const void *const at[], int count)
{
    struct activation_arguments g = {0};
    struct dnn_tensor *places[] = {&g.x, &g.y, &g.dy, &g.dx};
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (how == NULL || alpha == NULL || beta == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    for (int i = 0; i < count; i++)
        if (shapes[i] == NULL || !tensor_place(places[i], shapes[i], at[i]))
            return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    for (int i = 1; i < count; i++)
        if (!tensors_alike(shapes[0], shapes[i]))
            return CUDNN_STATUS_BAD_PARAM;
    int type = shapes[0]->shape.type;
    if (!how->set)
        return CUDNN_STATUS_BAD_PARAM;
    if (dnn_type_name(type) == NULL || how->mode == ACTIVATION_IDENTITY) /* only for sums behind convolutions */
        return CUDNN_STATUS_NOT_SUPPORTED;
    g.alpha = dnn_scalar(alpha, type);
    g.beta = dnn_scalar(beta, type);
    g.mode = (unsigned)how->mode;
    g.nan = (unsigned)how->nan;
    g.coefficient = how->coefficient;
    g.slope = how->slope;
    char kernel[64];
    snprintf(kernel, sizeof kernel, "subcore_pointwise_activation%s_%s", count > 2 ? "_gradient" : "",
             dnn_type_name(type));
    unsigned blocks = tensor_blocks(&g.x);
    return blocks > 0 ? dnn_launch(handle, DNN_POINTWISE, kernel, (unsigned[]){blocks, 1, 1}, DNN_THREADS, &g)
                      : CUDNN_STATUS_NOT_SUPPORTED;
}

DNN_API(cudnnStatus_t, cudnnActivationForward, cudnnHandle_t handle, const struct activating *how, const void *alpha,
        const struct tensor *xDesc, const void *x, const void *beta, const struct tensor *yDesc, void *y)
{
    return run(handle, how, alpha, beta, (const struct tensor *[]){xDesc, yDesc}, (const void *[]){x, y}, 2);
}

DNN_API(cudnnStatus_t, cudnnActivationBackward, cudnnHandle_t handle, const struct activating *how, const void *alpha,
        const struct tensor *yDesc, const void *y, const struct tensor *dyDesc, const void *dy,
        const struct tensor *xDesc, const void *x, const void *beta, const struct tensor *dxDesc, void *dx)
{
    return run(handle, how, alpha, beta, (const struct tensor *[]){xDesc, yDesc, dyDesc, dxDesc},
               (const void *[]){x, y, dy, dx}, 4);
}
