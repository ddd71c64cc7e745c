#include "dnn/dropout.h"

#include <stdio.h>
#include <stdlib.h>

#include "dnn/tensors.h"

DNN_API(cudnnStatus_t, cudnnCreateDropoutDescriptor, struct dropout **how)
{
    return dnn_create((void **)how, sizeof **how);
}

DNN_API(cudnnStatus_t, cudnnDestroyDropoutDescriptor, struct dropout *how)
{
    free(how);
    return CUDNN_STATUS_SUCCESS;
}

/* ---- the generator ----------------------------------------------------------------------------------------------- */

DNN_API(cudnnStatus_t, cudnnDropoutGetStatesSize, cudnnHandle_t handle, size_t *bytes)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (bytes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *bytes = sizeof(struct dropout_state);
    return CUDNN_STATUS_SUCCESS;
}

/* Keeps the state in memory as it is. */
DNN_API(cudnnStatus_t, cudnnRestoreDropoutDescriptor, struct dropout *how, cudnnHandle_t handle, float probability,
        void *states, size_t bytes, unsigned long long seed)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (how == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!(probability >= 0 && probability <= 1) || (states != NULL && bytes < sizeof(struct dropout_state)))
        return CUDNN_STATUS_BAD_PARAM;
    *how = (struct dropout){probability, states, seed};
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetDropoutDescriptor, struct dropout *how, cudnnHandle_t handle, float probability,
        void *states, size_t bytes, unsigned long long seed)
{
    cudnnStatus_t status = cudnnRestoreDropoutDescriptor(how, handle, probability, states, bytes, seed);
    if (status != CUDNN_STATUS_SUCCESS || states == NULL)
        return status;
    struct dropout_seed_arguments g = {how->states, {.seed = seed}};
    return dnn_launch(handle, DNN_DROPOUT, "subcore_dropout_seed", (unsigned[]){1, 1, 1}, 1, &g);
}

DNN_API(cudnnStatus_t, cudnnGetDropoutDescriptor, const struct dropout *how, cudnnHandle_t handle, float *probability,
        void **states, unsigned long long *seed)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (how == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (probability != NULL)
        *probability = how->probability;
    if (states != NULL)
        *states = how->states;
    if (seed != NULL)
        *seed = how->seed;
    return CUDNN_STATUS_SUCCESS;
}

/* ---- both ways --------------------------------------------------------------------------------------------------- */

static cudnnStatus_t pass(const struct dnn *dnn, const struct dropout *how, const char *way, int type,
                          struct dropout_arguments *g)
{
    char kernel[64];
    unsigned blocks = tensor_blocks(&g->x);
    if (blocks == 0)
        return CUDNN_STATUS_NOT_SUPPORTED;
    g->count = 1;
    for (int d = 0; d < DNN_DIMENSIONS; d++)
        g->count *= g->x.sizes[d];
    g->state = how->states;
    g->probability = (double)how->probability;
    g->scale = how->probability < 1 ? 1 / (1 - g->probability) : 0;
    snprintf(kernel, sizeof kernel, "subcore_dropout_%s_%s", way, dnn_type_name(type));
    return dnn_launch(dnn, DNN_DROPOUT, kernel, (unsigned[]){blocks, 1, 1}, DNN_THREADS, g);
}

cudnnStatus_t dropout_forward(const struct dnn *dnn, const struct dropout *how, int type, struct dropout_arguments *g)
{
    if (how->states == NULL)
        return CUDNN_STATUS_BAD_PARAM;
    cudnnStatus_t status = pass(dnn, how, "forward", type, g);
    struct dropout_seed_arguments advance = {how->states, {.count = g->count}};
    return status == CUDNN_STATUS_SUCCESS
               ? dnn_launch(dnn, DNN_DROPOUT, "subcore_dropout_advance", (unsigned[]){1, 1, 1}, 1, &advance)
               : status;
}

cudnnStatus_t dropout_backward(const struct dnn *dnn, const struct dropout *how, int type, struct dropout_arguments *g)
{
    return pass(dnn, how, "backward", type, g);
}

/* ---- dropout by name --------------------------------------------------------------------------------------------- */

static size_t elements(const struct tensor *t)
{
    size_t count = 1;
    for (int d = 0; d < t->shape.count; d++)
        count *= (size_t)t->shape.sizes[d];
    return count;
}

DNN_API(cudnnStatus_t, cudnnDropoutGetReserveSpaceSize, const struct tensor *x, size_t *bytes)
{
    if (x == NULL || bytes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *bytes = elements(x);
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t prepare(cudnnHandle_t handle, const struct dropout *how, const struct tensor *from, const void *x,
                             const struct tensor *to, const void *y, size_t reserve_bytes, struct dropout_arguments *g)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (how == NULL || from == NULL || to == NULL || g->mask == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (dnn_type_name(from->shape.type) == NULL)
        return CUDNN_STATUS_NOT_SUPPORTED;
    if (!tensors_alike(from, to) || reserve_bytes < elements(from))
        return CUDNN_STATUS_BAD_PARAM;
    if (!tensor_place(&g->x, from, x) || !tensor_place(&g->y, to, y))
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnDropoutForward, cudnnHandle_t handle, const struct dropout *how, const struct tensor *xDesc,
        const void *x, const struct tensor *yDesc, void *y, void *reserve, size_t reserve_bytes)
{
    struct dropout_arguments g = {.mask = reserve};
    cudnnStatus_t status = prepare(handle, how, xDesc, x, yDesc, y, reserve_bytes, &g);
    return status == CUDNN_STATUS_SUCCESS ? dropout_forward(handle, how, xDesc->shape.type, &g) : status;
}

DNN_API(cudnnStatus_t, cudnnDropoutBackward, cudnnHandle_t handle, const struct dropout *how,
        const struct tensor *dyDesc, const void *dy, const struct tensor *dxDesc, void *dx, void *reserve,
        size_t reserve_bytes)
{
    struct dropout_arguments g = {.mask = reserve};
    cudnnStatus_t status = prepare(handle, how, dyDesc, dy, dxDesc, dx, reserve_bytes, &g);
    return status == CUDNN_STATUS_SUCCESS ? dropout_backward(handle, how, dyDesc->shape.type, &g) : status;
}
