/* Clusters of CTAs, from the program's request to the launch. */
#ifndef SUBCORE_DRIVER_CLUSTER_H
#define SUBCORE_DRIVER_CLUSTER_H

#include "driver/launch/kernel_make.h"

/* Returns whether the GPU forms clusters. */
bool cluster_supported(const struct driver *driver);
/* Returns how many CTAs a cluster of the function can have: the portable size, or that of the GPU if the program has
 * allowed it (CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED), and no more than .maxclusterrank says. */
uint32_t cluster_most(const struct driver *driver, struct CUfunc_st *function);
/* Fills *out with the shape that the function's code or its attributes fix; x is 0 where none does. */
void cluster_required(struct CUfunc_st *function, struct exec_dim *out);
/* Fills *out with the cluster of a launch: the required one, or the launch's own; x is 0 without either.
 * CUDA_ERROR_INVALID_CLUSTER_SIZE when the two differ, when neither is there although the code wants one, when the
 * cluster has too many CTAs, or when it does not divide the grid. Also for a preferred size that is not a multiple
 * of the cluster. CUDA_ERROR_NOT_SUPPORTED on a GPU without clusters. `grid` false: the grid is not looked at. */
CUresult cluster_choose(const struct driver *driver, struct CUfunc_st *function, const struct launch_shape *shape,
                        bool grid, struct exec_dim *out);
/* Changes the shape of a launch whose grid counts clusters into one that counts CTAs. */
CUresult cluster_unfold(const struct CUfunc_st *function, struct launch_shape *shape);

static inline uint64_t cluster_ctas(struct exec_dim d) { return (uint64_t)d.x * d.y * d.z; }

#endif
