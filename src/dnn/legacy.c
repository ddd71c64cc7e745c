/* Convolutions by name, as they were before the graph interface. There is one algorithm, which needs no workspace. */
#include "dnn/kernels/pointwise_arguments.h"
#include "dnn/tensors.h"

/* The numbers of IMPLICIT_GEMM, and the gradients' ALGO_1. */
static const int algorithms[] = {[CONVOLUTION_FORWARD] = 0, [CONVOLUTION_DATA] = 1, [CONVOLUTION_FILTER] = 1};

struct call {
    enum convolution_kind kind;
    const struct tensor *x, *w, *y;
    const struct convolving *how;
    const void *alpha, *beta; /* or null: 1 and 0 */
};

static cudnnStatus_t describe(cudnnHandle_t handle, const struct call *c, struct convolution_shape *s)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (c->x == NULL || c->w == NULL || c->y == NULL || c->how == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *s = (struct convolution_shape){.kind = c->kind,
                                    .x = c->x->shape,
                                    .w = c->w->shape,
                                    .y = c->y->shape,
                                    .space = c->how->space,
                                    .flipped = c->how->mode == 0,
                                    .alpha = c->alpha ? dnn_scalar(c->alpha, c->x->shape.type) : 1,
                                    .beta = c->beta ? dnn_scalar(c->beta, c->x->shape.type) : 0};
    for (int d = 0; d < c->how->space; d++) {
        s->before[d] = s->after[d] = c->how->padding[d];
        s->stride[d] = c->how->stride[d];
        s->dilation[d] = c->how->dilation[d];
    }
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t make(cudnnHandle_t handle, const struct call *c, struct convolution *out)
{
    struct convolution_shape s;
    cudnnStatus_t described = describe(handle, c, &s);
    if (described != CUDNN_STATUS_SUCCESS)
        return described;
    cudnnStatus_t status = convolution_make(&s, out);
    if (status == CUDNN_STATUS_SUCCESS && out->arguments.groups != (unsigned)c->how->groups)
        return CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH;
    return status;
}

static cudnnStatus_t run(cudnnHandle_t handle, const struct call *c, const void *x, const void *w, const void *y)
{
    struct convolution convolution;
    if (c->alpha == NULL || c->beta == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    cudnnStatus_t status = make(handle, c, &convolution);
    return status == CUDNN_STATUS_SUCCESS
               ? convolution_run(handle, &convolution, (const void *[CONVOLUTION_TENSORS]){x, w, y})
               : status;
}

DNN_API(cudnnStatus_t, cudnnConvolutionForward, cudnnHandle_t handle, const void *alpha, const struct tensor *xDesc,
        const void *x, const struct tensor *wDesc, const void *w, const struct convolving *convDesc, int algorithm,
        void *workspace, size_t bytes, const void *beta, const struct tensor *yDesc, void *y)
{
    struct call c = {CONVOLUTION_FORWARD, xDesc, wDesc, yDesc, convDesc, alpha, beta};
    (void)algorithm, (void)workspace, (void)bytes;
    return run(handle, &c, x, w, y);
}

DNN_API(cudnnStatus_t, cudnnConvolutionBackwardData, cudnnHandle_t handle, const void *alpha,
        const struct tensor *wDesc, const void *w, const struct tensor *dyDesc, const void *dy,
        const struct convolving *convDesc, int algorithm, void *workspace, size_t bytes, const void *beta,
        const struct tensor *dxDesc, void *dx)
{
    struct call c = {CONVOLUTION_DATA, dxDesc, wDesc, dyDesc, convDesc, alpha, beta};
    (void)algorithm, (void)workspace, (void)bytes;
    return run(handle, &c, dx, w, dy);
}

DNN_API(cudnnStatus_t, cudnnConvolutionBackwardFilter, cudnnHandle_t handle, const void *alpha,
        const struct tensor *xDesc, const void *x, const struct tensor *dyDesc, const void *dy,
        const struct convolving *convDesc, int algorithm, void *workspace, size_t bytes, const void *beta,
        const struct tensor *dwDesc, void *dw)
{
    struct call c = {CONVOLUTION_FILTER, xDesc, dwDesc, dyDesc, convDesc, alpha, beta};
    (void)algorithm, (void)workspace, (void)bytes;
    return run(handle, &c, x, dw, dy);
}

/* y = activation(alpha times the convolution, plus other times z, plus the bias). One kernel does all of it. */
DNN_API(cudnnStatus_t, cudnnConvolutionBiasActivationForward, cudnnHandle_t handle, const void *alpha,
        const struct tensor *xDesc, const void *x, const struct tensor *wDesc, const void *w,
        const struct convolving *convDesc, int algorithm, void *workspace, size_t bytes, const void *other,
        const struct tensor *zDesc, const void *z, const struct tensor *biasDesc, const void *bias,
        const struct activating *activation, const struct tensor *yDesc, void *y)
{
    struct call c = {CONVOLUTION_FORWARD, xDesc, wDesc, yDesc, convDesc, alpha, NULL};
    struct convolution_shape s;
    struct convolution convolution;
    (void)algorithm, (void)workspace, (void)bytes;
    if (alpha == NULL || other == NULL || zDesc == NULL || z == NULL || biasDesc == NULL || bias == NULL ||
        activation == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    cudnnStatus_t status = describe(handle, &c, &s);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    if (activation->mode != ACTIVATION_RELU && activation->mode != ACTIVATION_IDENTITY)
        return CUDNN_STATUS_NOT_SUPPORTED;
    s.addend_count = 2;
    s.addends[0] = zDesc->shape;
    s.addends[1] = biasDesc->shape;
    s.scales[0] = dnn_scalar(other, s.x.type);
    s.scales[1] = 1;
    s.positive = activation->mode == ACTIVATION_RELU;
    status = convolution_make(&s, &convolution);
    return status == CUDNN_STATUS_SUCCESS
               ? convolution_run(handle, &convolution, (const void *[CONVOLUTION_TENSORS]){x, w, y, z, bias})
               : status;
}

/* ---- the algorithm ----------------------------------------------------------------------------------------------- */

/* cudnnConvolutionFwdAlgoPerf_t, which the gradients have in the same form. */
struct performance {
    int algorithm;
    cudnnStatus_t status;
    float milliseconds; /* -1: not measured */
    size_t workspace;
    int deterministic, math, reserved[3];
};

static cudnnStatus_t choose(cudnnHandle_t handle, const struct call *c, int wanted, int *returned,
                            struct performance *results)
{
    struct convolution convolution;
    if (returned == NULL || results == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (wanted < 1)
        return CUDNN_STATUS_BAD_PARAM;
    *returned = 0;
    cudnnStatus_t status = make(handle, c, &convolution);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    results[0] = (struct performance){.algorithm = algorithms[c->kind], .milliseconds = -1, .deterministic = 1};
    *returned = 1;
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t no_workspace(cudnnHandle_t handle, const struct call *c, size_t *bytes)
{
    struct convolution convolution;
    if (bytes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    *bytes = 0;
    return make(handle, c, &convolution);
}

/* The questions of a kind, whose descriptors come in the order a, b, how, c; x, w and y are among these. */
#define QUESTIONS(name, kind, x, w, y)                                                                                 \
    DNN_API(cudnnStatus_t, cudnnGetConvolution##name##Algorithm_v7, cudnnHandle_t handle, const struct tensor *a,      \
            const struct tensor *b, const struct convolving *how, const struct tensor *c, int wanted, int *returned,   \
            struct performance *results)                                                                               \
    {                                                                                                                  \
        struct call call = {kind, x, w, y, how, NULL, NULL};                                                           \
        return choose(handle, &call, wanted, returned, results);                                                       \
    }                                                                                                                  \
    DNN_API(cudnnStatus_t, cudnnGetConvolution##name##AlgorithmMaxCount, cudnnHandle_t handle, int *count)             \
    {                                                                                                                  \
        if (!dnn_lives(handle))                                                                                        \
            return CUDNN_STATUS_NOT_INITIALIZED;                                                                       \
        if (count == NULL)                                                                                             \
            return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;                                                                \
        *count = 1;                                                                                                    \
        return CUDNN_STATUS_SUCCESS;                                                                                   \
    }                                                                                                                  \
    DNN_API(cudnnStatus_t, cudnnFindConvolution##name##Algorithm, cudnnHandle_t handle, const struct tensor *a,        \
            const struct tensor *b, const struct convolving *how, const struct tensor *c, int wanted, int *returned,   \
            struct performance *results)                                                                               \
    {                                                                                                                  \
        struct call call = {kind, x, w, y, how, NULL, NULL};                                                           \
        return choose(handle, &call, wanted, returned, results);                                                       \
    }                                                                                                                  \
    DNN_API(cudnnStatus_t, cudnnFindConvolution##name##AlgorithmEx, cudnnHandle_t handle, const struct tensor *a,      \
            const void *at_a, const struct tensor *b, const void *at_b, const struct convolving *how,                  \
            const struct tensor *c, void *at_c, int wanted, int *returned, struct performance *results,                \
            void *workspace, size_t bytes)                                                                             \
    {                                                                                                                  \
        struct call call = {kind, x, w, y, how, NULL, NULL};                                                           \
        (void)at_a, (void)at_b, (void)at_c, (void)workspace, (void)bytes;                                              \
        return choose(handle, &call, wanted, returned, results);                                                       \
    }                                                                                                                  \
    DNN_API(cudnnStatus_t, cudnnGetConvolution##name##WorkspaceSize, cudnnHandle_t handle, const struct tensor *a,     \
            const struct tensor *b, const struct convolving *how, const struct tensor *c, int algorithm,               \
            size_t *bytes)                                                                                             \
    {                                                                                                                  \
        struct call call = {kind, x, w, y, how, NULL, NULL};                                                           \
        (void)algorithm;                                                                                               \
        return no_workspace(handle, &call, bytes);                                                                     \
    }

QUESTIONS(Forward, CONVOLUTION_FORWARD, a, b, c)
QUESTIONS(BackwardData, CONVOLUTION_DATA, c, a, b)
QUESTIONS(BackwardFilter, CONVOLUTION_FILTER, a, c, b)
