/* Spatial transformers: grids of affine maps, and bilinear samples of images with two dimensions. */
#include <stdio.h>
#include <stdlib.h>

#include "dnn/kernels/spatial_arguments.h"
#include "dnn/tensors.h"

enum { DIMENSIONS = 4, BILINEAR = 0, MOST_BLOCKS = 65535 };

/* A cudnnSpatialTransformerDescriptor_t points to it. Sizes are those of the output. */
struct spatial {
    bool set;
    int type, sizes[DIMENSIONS];
};

DNN_API(cudnnStatus_t, cudnnCreateSpatialTransformerDescriptor, struct spatial **spatial)
{
    return dnn_create((void **)spatial, sizeof **spatial);
}

DNN_API(cudnnStatus_t, cudnnDestroySpatialTransformerDescriptor, struct spatial *spatial)
{
    free(spatial);
    return CUDNN_STATUS_SUCCESS;
}

DNN_API(cudnnStatus_t, cudnnSetSpatialTransformerNdDescriptor, struct spatial *spatial, int sampler, int type,
        int count, const int *sizes)
{
    if (spatial == NULL || sizes == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (sampler != BILINEAR || count < 1)
        return CUDNN_STATUS_BAD_PARAM;
    if (count != DIMENSIONS || dnn_type_name(type) == NULL)
        return CUDNN_STATUS_NOT_SUPPORTED;
    for (int d = 0; d < DIMENSIONS; d++)
        if (sizes[d] < 1)
            return CUDNN_STATUS_BAD_PARAM;
    if ((int64_t)sizes[2] * sizes[3] > INT32_MAX)
        return CUDNN_STATUS_NOT_SUPPORTED;
    *spatial = (struct spatial){true, type, {sizes[0], sizes[1], sizes[2], sizes[3]}};
    return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t launch(cudnnHandle_t handle, const char *name, int type, uint64_t x, unsigned y, unsigned z,
                            void *argument)
{
    char kernel[64];
    if (x > INT32_MAX || y > MOST_BLOCKS || z > MOST_BLOCKS)
        return CUDNN_STATUS_NOT_SUPPORTED;
    snprintf(kernel, sizeof kernel, "subcore_spatial_%s_%s", name, dnn_type_name(type));
    return dnn_launch(handle, DNN_SPATIAL, kernel, (unsigned[]){(unsigned)x, y, z}, DNN_THREADS, argument);
}

static uint64_t blocks(uint64_t threads) { return (threads + DNN_THREADS - 1) / DNN_THREADS; }

/* ---- grids ------------------------------------------------------------------------------------------------------- */

static cudnnStatus_t affine(cudnnHandle_t handle, const struct spatial *spatial, const void *theta, const void *grid,
                            bool forward)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (spatial == NULL || theta == NULL || grid == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!spatial->set)
        return CUDNN_STATUS_BAD_PARAM;
    struct affine_arguments g = {.theta = (void *)(uintptr_t)theta,
                                 .grid = (void *)(uintptr_t)grid,
                                 .images = (unsigned)spatial->sizes[0],
                                 .height = (unsigned)spatial->sizes[2],
                                 .width = (unsigned)spatial->sizes[3]};
    uint64_t count = forward ? blocks((uint64_t)g.images * g.height * g.width) : (uint64_t)g.images * 6;
    return launch(handle, forward ? "affine" : "affine_gradient", spatial->type, count, 1, 1, &g);
}

DNN_API(cudnnStatus_t, cudnnSpatialTfGridGeneratorForward, cudnnHandle_t handle, const struct spatial *spatial,
        const void *theta, void *grid)
{
    return affine(handle, spatial, theta, grid, true);
}

DNN_API(cudnnStatus_t, cudnnSpatialTfGridGeneratorBackward, cudnnHandle_t handle, const struct spatial *spatial,
        const void *dgrid, void *dtheta)
{
    return affine(handle, spatial, dtheta, dgrid, false);
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

static bool images_fit(const struct spatial *spatial, const struct tensor *x, const struct tensor *y)
{
    for (int d = 0; d < DIMENSIONS; d++)
        if (y->shape.sizes[d] != spatial->sizes[d])
            return false;
    return spatial->set && x->shape.count == DIMENSIONS && y->shape.count == DIMENSIONS &&
           x->shape.type == spatial->type && y->shape.type == spatial->type && x->shape.sizes[0] == y->shape.sizes[0] &&
           x->shape.sizes[1] == y->shape.sizes[1];
}

static cudnnStatus_t prepare(cudnnHandle_t handle, const struct spatial *spatial, const struct tensor *x,
                             const void *at_x, const struct tensor *y, const void *at_y, struct sampler_arguments *g)
{
    if (!dnn_lives(handle))
        return CUDNN_STATUS_NOT_INITIALIZED;
    if (spatial == NULL || x == NULL || y == NULL || g->grid == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!images_fit(spatial, x, y))
        return CUDNN_STATUS_BAD_PARAM;
    return tensor_place(&g->x, x, at_x) && tensor_place(&g->y, y, at_y) ? CUDNN_STATUS_SUCCESS
                                                                        : CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
}

DNN_API(cudnnStatus_t, cudnnSpatialTfSamplerForward, cudnnHandle_t handle, const struct spatial *spatial,
        const void *alpha, const struct tensor *xDesc, const void *x, const void *grid, const void *beta,
        const struct tensor *yDesc, void *y)
{
    struct sampler_arguments g = {.grid = grid};
    cudnnStatus_t status = prepare(handle, spatial, xDesc, x, yDesc, y, &g);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    if (alpha == NULL || beta == NULL)
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    g.alpha = dnn_scalar(alpha, spatial->type);
    g.beta = dnn_scalar(beta, spatial->type);
    uint64_t elements = (uint64_t)g.y.sizes[0] * g.y.sizes[1] * g.y.sizes[3] * g.y.sizes[4];
    return launch(handle, "sample", spatial->type, blocks(elements), 1, 1, &g);
}

static unsigned tiles(unsigned size) { return (size + SPATIAL_TILE - 1) / SPATIAL_TILE; }

DNN_API(cudnnStatus_t, cudnnSpatialTfSamplerBackward, cudnnHandle_t handle, const struct spatial *spatial,
        const void *alpha, const struct tensor *xDesc, const void *x, const void *beta, const struct tensor *dxDesc,
        void *dx, const void *grid_alpha, const struct tensor *dyDesc, const void *dy, const void *grid,
        const void *grid_beta, void *dgrid)
{
    struct sampler_arguments g = {.grid = grid, .dgrid = dgrid};
    cudnnStatus_t status = prepare(handle, spatial, xDesc, x, dyDesc, dy, &g);
    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    if (alpha == NULL || beta == NULL || grid_alpha == NULL || grid_beta == NULL || dxDesc == NULL || dgrid == NULL ||
        !tensor_place(&g.dx, dxDesc, dx))
        return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
    if (!tensors_alike(xDesc, dxDesc))
        return CUDNN_STATUS_BAD_PARAM;
    g.alpha = dnn_scalar(alpha, spatial->type);
    g.beta = dnn_scalar(beta, spatial->type);
    g.grid_alpha = dnn_scalar(grid_alpha, spatial->type);
    g.grid_beta = dnn_scalar(grid_beta, spatial->type);
    uint64_t area = (uint64_t)tiles(g.x.sizes[3]) * tiles(g.x.sizes[4]);
    status = launch(handle, "input_gradient", spatial->type, area,
                    (g.x.sizes[1] + SPATIAL_CHANNELS - 1) / SPATIAL_CHANNELS, g.x.sizes[0], &g);
    uint64_t places = (uint64_t)g.y.sizes[0] * g.y.sizes[3] * g.y.sizes[4];
    return status == CUDNN_STATUS_SUCCESS ? launch(handle, "grid_gradient", spatial->type, blocks(places), 1, 1, &g)
                                          : status;
}
