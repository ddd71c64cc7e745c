/* A small kernel for tests: y = alpha * x + y over vectors on the device. */
#ifndef SUBCORE_TESTS_DRIVER_SAXPY_H
#define SUBCORE_TESTS_DRIVER_SAXPY_H

#include "driver/abi/api_memory.h"
#include "driver/abi/api_module.h"
#include "tests/driver/rig.h"

enum { SAXPY_COUNT = 1000 };

struct saxpy {
    CUfunction function;
    CUdeviceptr x, y;
    float alpha;
    unsigned count;
    void *parameters[4];
};

static inline void saxpy_open(struct saxpy *saxpy)
{
    char path[4096];
    CUmodule module = NULL;
    *saxpy = (struct saxpy){.alpha = 2, .count = SAXPY_COUNT};
    SUCCEEDS(cuModuleLoad(&module, unit_path(path, "examples/cubin/saxpy.sm_86.cubin")));
    SUCCEEDS(cuModuleGetFunction(&saxpy->function, module, "saxpy"));
    SUCCEEDS(cuMemAlloc_v2(&saxpy->x, SAXPY_COUNT * sizeof(float)));
    SUCCEEDS(cuMemAlloc_v2(&saxpy->y, SAXPY_COUNT * sizeof(float)));
    saxpy->parameters[0] = &saxpy->alpha;
    saxpy->parameters[1] = &saxpy->x;
    saxpy->parameters[2] = &saxpy->y;
    saxpy->parameters[3] = &saxpy->count;
}

static inline CUdeviceptr saxpy_vector(void)
{
    CUdeviceptr vector = 0;
    SUCCEEDS(cuMemAlloc_v2(&vector, SAXPY_COUNT * sizeof(float)));
    return vector;
}

static inline void saxpy_fill(CUdeviceptr vector, float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    SUCCEEDS(cuMemsetD32_v2(vector, bits, SAXPY_COUNT));
}

static inline void saxpy_launch(struct saxpy *saxpy, CUstream stream)
{
    SUCCEEDS(cuLaunchKernel(saxpy->function, 4, 1, 1, 64, 1, 1, 0, stream, saxpy->parameters, NULL));
}

/* All elements have this value. */
static inline void saxpy_is(CUdeviceptr vector, float value)
{
    float found[SAXPY_COUNT];
    SUCCEEDS(cuMemcpyDtoH_v2(found, vector, sizeof found));
    for (int i = 0; i < SAXPY_COUNT; i++)
        assert_true(found[i] == value);
}

#endif
