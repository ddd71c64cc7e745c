/* CUDA_LAUNCH_BLOCKING: a launch returns when the kernel has ended, with the kernel's error. */
#include "tests/driver/kernels.h"

static void a_launch_waits_for_the_kernel_and_tells_its_error(void **state)
{
    (void)state;
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    struct kernels k = kernels_load("rtx-a6000");
    CUdeviceptr address = device_bytes(256), wrong = address + 4096 * 1024;
    CUfunction write = kernels_get(&k, "write_at");
    SUCCEEDS(run(write, 1, 32, (void *[]){&address}));
    SUCCEEDS(cuStreamQuery(NULL));
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, run(write, 1, 32, (void *[]){&wrong}));
    kernels_unload(&k);
}

UNIT_TESTS(UNIT(a_launch_waits_for_the_kernel_and_tells_its_error))
