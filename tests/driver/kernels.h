/* The kernels of kernels.cu, loaded. */
#ifndef SUBCORE_TESTS_DRIVER_KERNELS_H
#define SUBCORE_TESTS_DRIVER_KERNELS_H

#include "driver/abi/api_memory.h"
#include "driver/abi/api_module.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

struct kernels {
    CUcontext context;
    CUmodule module;
};

/* The GPU is one of those that run code for sm_80. */
static inline struct kernels kernels_load(const char *gpu)
{
    char path[4096];
    struct kernels k = {rig_context(gpu), NULL};
    SUCCEEDS(cuModuleLoad(&k.module, unit_path(path, "tests/driver/cubin/kernels.sm_80.cubin")));
    return k;
}

static inline void kernels_unload(struct kernels *k) { SUCCEEDS(cuCtxDestroy_v2(k->context)); }

static inline CUfunction kernels_get(const struct kernels *k, const char *name)
{
    CUfunction function = NULL;
    SUCCEEDS(cuModuleGetFunction(&function, k->module, name));
    return function;
}

static inline CUdeviceptr device_bytes(size_t bytes)
{
    CUdeviceptr address = 0;
    SUCCEEDS(cuMemAlloc_v2(&address, bytes));
    SUCCEEDS(cuMemsetD8_v2(address, 0, bytes));
    return address;
}

/* One CTA of so many threads, without shared memory, on the NULL stream. */
static inline CUresult run(CUfunction f, unsigned ctas, unsigned threads, void **parameters)
{
    return cuLaunchKernel(f, ctas, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL);
}

#endif
