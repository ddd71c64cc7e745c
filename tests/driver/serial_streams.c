/* SUBCORE_STREAMS=serial: kernels of different streams follow each other. */
#include "driver/abi/api_stream.h"
#include "tests/driver/kernels.h"

static void the_second_kernel_begins_when_the_first_has_ended(void **state)
{
    (void)state;
    CUstream stream[2];
    CUevent event[3];
    float one, both;
    setenv("SUBCORE_MODE", "detailed", 1);
    setenv("SUBCORE_STREAMS", "serial", 1);
    struct kernels k = kernels_load("a100");
    CUdeviceptr words = device_bytes(4096);
    int n = 64;
    void *parameters[] = {&words, &words, &words, &n};
    for (int i = 0; i < 3; i++)
        SUCCEEDS(cuEventCreate(&event[i], 0));
    for (int i = 0; i < 2; i++)
        SUCCEEDS(cuStreamCreate(&stream[i], 1));
    SUCCEEDS(cuEventRecord(event[0], stream[0]));
    for (int i = 0; i < 2; i++) {
        SUCCEEDS(cuLaunchKernel(kernels_get(&k, "vecadd"), 1, 1, 1, 64, 1, 1, 0, stream[i], parameters, NULL));
        SUCCEEDS(cuEventRecord(event[1 + i], stream[i]));
    }
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuEventElapsedTime(&one, event[0], event[1]));
    SUCCEEDS(cuEventElapsedTime(&both, event[0], event[2]));
    assert_true(one > 0 && both > one * 1.95F && both < one * 2.05F);
    kernels_unload(&k);
}

UNIT_TESTS(UNIT(the_second_kernel_begins_when_the_first_has_ended))
