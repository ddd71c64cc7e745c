/* The kernels of clusters.cu on an H200, and their launches. */
#ifndef SUBCORE_TESTS_DRIVER_CLUSTERS_H
#define SUBCORE_TESTS_DRIVER_CLUSTERS_H

#include "driver/abi/api_graph.h"
#include "driver/abi/api_memory.h"
#include "driver/abi/api_module.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

enum { CTAS_MOST = 64 };

struct rig {
    CUcontext context;
    CUmodule module;
    CUdeviceptr out;
};

/* The reports of clusters.cu's kernels, one for each CTA. */
struct told {
    uint32_t rank, ctas, cluster, threads;
};

static inline struct rig rig_open(void)
{
    char path[4096];
    struct rig rig = {.context = rig_context("h200")};
    SUCCEEDS(cuModuleLoad(&rig.module, unit_path(path, "tests/driver/cubin/clusters.sm_90.cubin")));
    SUCCEEDS(cuMemAlloc_v2(&rig.out, CTAS_MOST * sizeof(struct told)));
    return rig;
}

static inline void rig_close(struct rig *rig) { SUCCEEDS(cuCtxDestroy_v2(rig->context)); }

static inline CUfunction function_of(const struct rig *rig, const char *name)
{
    CUfunction function = NULL;
    SUCCEEDS(cuModuleGetFunction(&function, rig->module, name));
    return function;
}

static inline CUlaunchAttribute cluster_of(unsigned x, unsigned y, unsigned z)
{
    return (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value = {.clusterDim = {x, y, z}}};
}

/* Launches `grid` CTAs of 64 threads with so many attributes. */
static inline CUresult launch(const struct rig *rig, CUfunction f, unsigned grid, CUlaunchAttribute *attributes,
                              unsigned count)
{
    void *parameters[] = {(void *)&rig->out};
    CUlaunchConfig config = {.gridDimX = grid,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 64,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = attributes,
                             .numAttrs = count};
    return cuLaunchKernelEx(&config, f, parameters, NULL);
}

static inline CUresult launch_cluster(const struct rig *rig, CUfunction f, unsigned grid, unsigned size)
{
    CUlaunchAttribute attribute = cluster_of(size, 1, 1);
    return launch(rig, f, grid, &attribute, 1);
}

#endif
