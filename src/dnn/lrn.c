/* Local response normalization across channels. */
#include <stdio.h>
#include <stdlib.h>

#include "dnn/kernels/lrn_arguments.h"
#include "dnn/tensors.h"

/* Limits in the public header: CUDNN_LRN_MAX_N, CUDNN_LRN_MIN_K and CUDNN_LRN_MIN_BETA. */
enum { MOST_CHANNELS = 16, ACROSS_CHANNELS = 0 };
static const double least_k = 1e-5, least_power = 0.01;

/* A cudnnLRNDescriptor_t points to it. */
struct lrn {
    unsigned n; /* 0 until it is set */
    double a, b, k;
};

DNN_API(cudnnStatus_t, cudnnCreateLRNDescriptor, struct lrn **lrn) { return dnn_create((void **)lrn, sizeof **lrn); }

DNN_API(cudnnStatus_t, cudnnDestroyLRNDescriptor, struct lrn *lrn)
{
    free(lrn);
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetLRNDescriptor, struct lrn *lrn, unsigned n, double a, double b, double k)
{
    if (lrn == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (n < 1 || n > MOST_CHANNELS || !(b >= least_power) || !(k >= least_k))
        return CUDNN_STATUS_BAD_PARAM;
    *lrn = (struct lrn){n, a, b, k};
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnGetLRNDescriptor, const struct lrn *lrn, unsigned *n, double *a, double *b, double *k)
{
    if (lrn == NULL || n == NULL || a == NULL || b == NULL || k == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *n = lrn->n;
    *a = lrn->a;
    *b = lrn->b;
    *k = lrn->k;
    return CUDNN_STATUS_SUCCESS;
}

/* Checks the tensors (x and y, then dy and dx) and starts the kernel. */
static cudnnStatus_t run(cudnnHandle_t handle, const struct lrn *lrn, int mode, const void *alpha, const void *beta,
                         const struct tensor *const shapes[], const void *const at[], int count)
{
    struct lrn_arguments g = {0};
    struct dnn_tensor *places[] = {&g.x, &g.y, &g.dy, &g.dx};
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (lrn == NULL || alpha == NULL || beta == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    for (int i = 0; i < count; i++)
        if (shapes[i] == NULL || !tensor_place(places[i], shapes[i], at[i]))
            return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (lrn->n == 0 || mode != ACROSS_CHANNELS)
        return CUDNN_STATUS_BAD_PARAM;
    for (int i = 1; i < count; i++)
        if (!tensors_alike(shapes[0], shapes[i]))
            return CUDNN_STATUS_BAD_PARAM;
    int type = shapes[0]->shape.type;
    unsigned blocks = tensor_blocks(&g.x);
    if (dnn_type_name(type) == NULL || blocks == 0)
        return CUDNN_STATUS_NOT_SUPPORTED;
    g.n = lrn->n;
    g.a = lrn->a;
    g.b = lrn->b;
    g.k = lrn->k;
    g.alpha = dnn_scalar(alpha, type);
    g.beta = dnn_scalar(beta, type);
    char kernel[64];
    snprintf(kernel, sizeof kernel, "subcore_lrn_%s_%s", count > 2 ? "backward" : "forward", dnn_type_name(type));
    return dnn_launch(handle, DNN_LRN, kernel, (unsigned[]){blocks, 1, 1}, DNN_THREADS, &g);
}

DNN_API(cudnnStatus_t, cudnnLRNCrossChannelForward, cudnnHandle_t handle, const struct lrn *lrn, int mode,
        const void *alpha, const struct tensor *xDesc, const void *x, const void *beta, const struct tensor *yDesc,
        void *y)
{
    return run(handle, lrn, mode, alpha, beta, (const struct tensor *[]){xDesc, yDesc}, (const void *[]){x, y}, 2);
}

DNN_API(cudnnStatus_t, cudnnLRNCrossChannelBackward, cudnnHandle_t handle, const struct lrn *lrn, int mode,
        const void *alpha, const struct tensor *yDesc, const void *y, const struct tensor *dyDesc, const void *dy,
        const struct tensor *xDesc, const void *x, const void *beta, const struct tensor *dxDesc, void *dx)
{
    return run(handle, lrn, mode, alpha, beta, (const struct tensor *[]){xDesc, yDesc, dyDesc, dxDesc},
               (const void *[]){x, y, dy, dx}, 4);
}
