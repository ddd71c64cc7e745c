#include "driver/launch/cluster.h"

/* CUDA Driver API reference, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, and Hopper Tuning Guide. */
enum { FIRST = 90 /* architecture */, PORTABLE = 8, LARGE = 16 };

bool cluster_supported(const struct driver *driver) { return driver->device.config.gpu.architecture >= FIRST; }

/* Data-centre GPUs form clusters of 16. */
static uint32_t most_of_gpu(const struct driver *driver)
{
    unsigned architecture = driver->device.config.gpu.architecture;
    if (architecture < FIRST)
        return 1;
    return architecture / 10 == FIRST / 10 || architecture / 10 == 10 ? LARGE : PORTABLE;
}

uint32_t cluster_most(const struct driver *driver, struct CUfunc_st *function)
{
    uint32_t most = most_of_gpu(driver), of_code = function->cubin->cluster_most;
    if (most > PORTABLE && !function_settings(function)->large_cluster)
        most = PORTABLE;
    return of_code && of_code < most ? of_code : most;
}

void cluster_required(struct CUfunc_st *function, struct exec_dim *out)
{
    const uint32_t *code = function->cubin->cluster;
    const int *set = function_settings(function)->cluster;
    if (code[0])
        *out = (struct exec_dim){code[0], code[1], code[2]};
    else
        *out = (struct exec_dim){(uint32_t)set[0], (uint32_t)set[1], (uint32_t)set[2]};
}

static bool same(struct exec_dim a, struct exec_dim b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool divides(struct exec_dim part, struct exec_dim whole)
{
    return whole.x % part.x == 0 && whole.y % part.y == 0 && whole.z % part.z == 0;
}

/* The preferred cluster counts only beside a required one. */
static bool preference_fits(const struct driver *driver, struct CUfunc_st *function, const struct launch_shape *s,
                            struct exec_dim cluster, bool grid)
{
    struct exec_dim p = s->preferred_cluster;
    if (p.x == 0)
        return true;
    uint32_t of_code = function->cubin->cluster_most, most = of_code ? of_code : most_of_gpu(driver);
    return divides(cluster, p) && (!grid || divides(p, s->grid)) && cluster_ctas(p) <= most;
}

CUresult cluster_choose(const struct driver *driver, struct CUfunc_st *function, const struct launch_shape *shape,
                        bool grid, struct exec_dim *out)
{
    struct exec_dim required, cluster;
    cluster_required(function, &required);
    cluster = required.x ? required : shape->cluster;
    *out = (struct exec_dim){0, 0, 0};
    if (required.x && shape->cluster.x && !same(required, shape->cluster))
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    if (cluster.x == 0)
        return function->cubin->cluster_explicit ? CUDA_ERROR_INVALID_CLUSTER_SIZE : CUDA_SUCCESS;
    if (cluster.y == 0 || cluster.z == 0) /* only a part of the attributes has been set */
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    if (grid && !divides(cluster, shape->grid))
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    if (cluster_ctas(cluster) > 1 && !cluster_supported(driver))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (cluster_ctas(cluster) > cluster_most(driver, function) ||
        !preference_fits(driver, function, shape, cluster, grid))
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    *out = cluster;
    return CUDA_SUCCESS;
}

/* A launch of such a kernel passes 1 for the threads of a CTA: the code has them. */
CUresult cluster_unfold(const struct CUfunc_st *function, struct launch_shape *shape)
{
    const uint32_t *cluster = function->cubin->cluster, *threads = function->cubin->required_threads;
    const uint64_t grid[3] = {(uint64_t)shape->grid.x * cluster[0], (uint64_t)shape->grid.y * cluster[1],
                              (uint64_t)shape->grid.z * cluster[2]};
    if (!function->cubin->grid_of_clusters || !cluster[0] || !threads[0])
        return CUDA_SUCCESS;
    if (grid[0] > UINT32_MAX || grid[1] > UINT32_MAX || grid[2] > UINT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    shape->grid = (struct exec_dim){(uint32_t)grid[0], (uint32_t)grid[1], (uint32_t)grid[2]};
    shape->block = (struct exec_dim){threads[0], threads[1] ? threads[1] : 1, threads[2] ? threads[2] : 1};
    return CUDA_SUCCESS;
}
