/* Softmax and its gradient. */
#include <stdio.h>

#include "dnn/kernels/softmax_arguments.h"
#include "dnn/tensors.h"

/* cudnnSoftmaxMode_t */
enum { OF_IMAGES, OF_CHANNELS, MODES };

/* Checks the arguments and starts the kernel. The last shape is the result's. */
static cudnnStatus_t run(cudnnHandle_t handle, int algorithm, int mode, const void *alpha, const void *beta,
                         const struct tensor *const shapes[], const void *const at[], int count)
{
    struct softmax_arguments g = {.algorithm = (unsigned)algorithm};
    struct dnn_tensor *forward[] = {&g.x, &g.y}, *backward[] = {&g.y, &g.dy, &g.x};
    struct dnn_tensor **places = count > 2 ? backward : forward;
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (alpha == NULL || beta == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    for (int i = 0; i < count; i++)
        if (shapes[i] == NULL || !tensor_place(places[i], shapes[i], at[i]))
            return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (algorithm < 0 || algorithm >= SOFTMAX_ALGORITHMS || mode < 0 || mode >= MODES)
        return CUDNN_STATUS_BAD_PARAM;
    for (int i = 1; i < count; i++)
        if (!tensors_alike(shapes[0], shapes[i]))
            return CUDNN_STATUS_BAD_PARAM;
    int type = shapes[0]->shape.type;
    if (dnn_type_name(type) == NULL || tensor_blocks(&g.x) == 0)
        return CUDNN_STATUS_NOT_SUPPORTED;
    uint64_t space = (uint64_t)g.x.sizes[2] * g.x.sizes[3] * g.x.sizes[4];
    uint64_t each = mode == OF_CHANNELS ? g.x.sizes[1] : g.x.sizes[1] * space;
    uint64_t sets = mode == OF_CHANNELS ? g.x.sizes[0] * space : g.x.sizes[0];
    if (each > INT32_MAX || sets > INT32_MAX)
        return CUDNN_STATUS_NOT_SUPPORTED;
    g.each = (unsigned)each;
    g.sets = (unsigned)sets;
    g.inner = mode == OF_CHANNELS ? (unsigned)space : 1;
    g.alpha = dnn_scalar(alpha, type);
    g.beta = dnn_scalar(beta, type);
    enum { WARPS = DNN_THREADS / 32 };
    char kernel[64];
    snprintf(kernel, sizeof kernel, "subcore_softmax_%s_%s", count > 2 ? "backward" : "forward", dnn_type_name(type));
    return dnn_launch(handle, DNN_SOFTMAX, kernel, (unsigned[]){(g.sets + WARPS - 1) / WARPS, 1, 1}, DNN_THREADS, &g);
}

DNN_API(cudnnStatus_t, cudnnSoftmaxForward, cudnnHandle_t handle, int algorithm, int mode, const void *alpha,
        const struct tensor *xDesc, const void *x, const void *beta, const struct tensor *yDesc, void *y)
{
    return run(handle, algorithm, mode, alpha, beta, (const struct tensor *[]){xDesc, yDesc}, (const void *[]){x, y},
               2);
}

DNN_API(cudnnStatus_t, cudnnSoftmaxBackward, cudnnHandle_t handle, int algorithm, int mode, const void *alpha,
        const struct tensor *yDesc, const void *y, const struct tensor *dyDesc, const void *dy, const void *beta,
        const struct tensor *dxDesc, void *dx)
{
    return run(handle, algorithm, mode, alpha, beta, (const struct tensor *[]){yDesc, dyDesc, dxDesc},
               (const void *[]){y, dy, dx}, 3);
}
