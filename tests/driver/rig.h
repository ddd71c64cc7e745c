/* The part that tests of the driver have in common. A test program links the library of src/driver whole and is its own
 * driver: the environment is set before the first call. */
#ifndef SUBCORE_TESTS_DRIVER_RIG_H
#define SUBCORE_TESTS_DRIVER_RIG_H

#include "driver/abi/api_device.h"
#include "tests/unit.h"

#define SUCCEEDS(call) assert_int_equal((call), CUDA_SUCCESS)
#define ANSWERS(code, call) assert_int_equal((call), (code))

/* cuInit with this GPU, functional, and without lines for launches. Variables that are set already stay. */
static inline void rig_init(const char *gpu)
{
    setenv("SUBCORE_GPU", gpu, 0);
    setenv("SUBCORE_MODE", "functional", 0);
    setenv("SUBCORE_QUIET", "1", 0);
    SUCCEEDS(cuInit(0));
}

/* The same with a context, which is current. */
static inline CUcontext rig_context(const char *gpu)
{
    CUcontext context = NULL;
    rig_init(gpu);
    SUCCEEDS(cuCtxCreate_v4(&context, NULL, 0, 0));
    assert_non_null(context);
    return context;
}

#endif
