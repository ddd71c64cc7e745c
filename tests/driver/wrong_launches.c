/* Launches that are refused, each with its code. Nothing of it is sticky. */
#include "tests/driver/kernels.h"

struct wrong {
    unsigned grid[3], block[3], shared;
    CUresult answer;
};

static const struct wrong shapes[] = {
    {{1, 1, 1}, {32, 1, 1}, 0, CUDA_SUCCESS},
    {{1, 1, 1}, {1024, 1, 1}, 0, CUDA_SUCCESS},
    {{1, 1, 1}, {16, 1, 64}, 0, CUDA_SUCCESS},
    {{1, 65535, 1}, {1, 1, 1}, 0, CUDA_SUCCESS},
    {{0, 1, 1}, {32, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 0, 1}, {32, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 1, 0}, {32, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 1, 1}, {0, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 1, 1}, {32, 0, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 1, 1}, {32, 1, 0}, 0, CUDA_ERROR_INVALID_VALUE},
    {{0x80000000, 1, 1}, {1, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 65536, 1}, {1, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 1, 65536}, {1, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 1, 1}, {1025, 1, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 1, 1}, {1, 1025, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 1, 1}, {1, 1, 65}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 1, 1}, {32, 33, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 1, 1}, {65536, 65536, 1}, 0, CUDA_ERROR_INVALID_VALUE},
    {{1, 1, 1}, {32, 1, 1}, 48 << 10, CUDA_SUCCESS},
    {{1, 1, 1}, {32, 1, 1}, (48 << 10) + 1, CUDA_ERROR_INVALID_VALUE},
    {{1, 1, 1}, {32, 1, 1}, 0xffffffff, CUDA_ERROR_INVALID_VALUE},
};

static void shapes_beyond_the_gpus_limits_are_invalid(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "nothing");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct wrong *w = &shapes[i];
        CUresult answer = cuLaunchKernel(f, w->grid[0], w->grid[1], w->grid[2], w->block[0], w->block[1], w->block[2],
                                         w->shared, NULL, NULL, NULL);
        if (answer != w->answer)
            fail_msg("shape %zu: %d instead of %d", i, answer, w->answer);
    }
    SUCCEEDS(cuCtxSynchronize());
    kernels_unload(&k);
}

static void what_is_no_function_is_an_invalid_handle(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "nothing");
    int number = 0;
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, run(NULL, 1, 1, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, run((CUfunction)&number, 1, 1, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, run((CUfunction)(uintptr_t)0xdeadbeef, 1, 1, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, run((CUfunction)k.module, 1, 1, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE,
            cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, (CUstream)(uintptr_t)0xdeadbeef, NULL, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, (CUstream)k.module, NULL, NULL));
    SUCCEEDS(cuModuleUnload(k.module));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, run(f, 1, 1, NULL));
    kernels_unload(&k);
}

static void parameters_that_are_missing_are_invalid(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "vecadd");
    CUdeviceptr a = device_bytes(256);
    char buffer[64] = {0};
    size_t size = 28;
    void *three[] = {&a, &a, &a, NULL}, *extra[] = {(void *)1, buffer, (void *)2, &size, NULL};
    void *unknown[] = {(void *)3, buffer, NULL}, *without_size[] = {(void *)1, buffer, NULL};
    void *without_buffer[] = {(void *)2, &size, NULL};
    ANSWERS(CUDA_ERROR_INVALID_VALUE, run(f, 1, 1, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, run(f, 1, 1, three));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, three, extra));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, unknown));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, without_size));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, without_buffer));
    SUCCEEDS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    SUCCEEDS(cuCtxSynchronize());
    kernels_unload(&k);
}

static void more_threads_than_the_kernel_allows_are_refused(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction bounded = kernels_get(&k, "bounded"), many = kernels_get(&k, "many_registers");
    CUdeviceptr out = device_bytes(120 * 32 * 4);
    void *parameters[] = {&out};
    int most = 0, registers = 0;
    SUCCEEDS(run(bounded, 1, 128, parameters));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, run(bounded, 1, 129, parameters));
    SUCCEEDS(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, many));
    assert_in_range(registers, 100, 128);
    SUCCEEDS(cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, many));
    assert_int_equal(most, 512);
    SUCCEEDS(run(many, 1, 32, parameters));
    ANSWERS(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, run(many, 1, 513, parameters));
    SUCCEEDS(cuCtxSynchronize());
    kernels_unload(&k);
}

static void without_a_context_nothing_is_launched(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUfunction f = kernels_get(&k, "nothing");
    CUcontext popped = NULL;
    SUCCEEDS(cuCtxPopCurrent_v2(&popped));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, run(f, 1, 1, NULL));
    CUcontext other = NULL;
    SUCCEEDS(cuCtxCreate_v4(&other, NULL, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, run(f, 1, 1, NULL));
    SUCCEEDS(cuCtxDestroy_v2(other));
    SUCCEEDS(cuCtxPushCurrent_v2(popped));
    SUCCEEDS(run(f, 1, 1, NULL));
    kernels_unload(&k);
}

UNIT_TESTS(UNIT(shapes_beyond_the_gpus_limits_are_invalid), UNIT(what_is_no_function_is_an_invalid_handle),
           UNIT(parameters_that_are_missing_are_invalid), UNIT(more_threads_than_the_kernel_allows_are_refused),
           UNIT(without_a_context_nothing_is_launched))
