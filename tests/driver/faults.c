/* The errors of a kernel, by its code. The context is of no use afterwards, and the process goes on. */
#include <unistd.h>

#include "tests/driver/kernels.h"

static void expect(const char *name, CUresult answer, void **parameters, struct kernels *k)
{
    CUdeviceptr address = 0;
    SUCCEEDS(run(kernels_get(k, name), 1, 32, parameters));
    ANSWERS(answer, cuCtxSynchronize());
    ANSWERS(answer, cuCtxSynchronize());
    ANSWERS(answer, cuMemAlloc_v2(&address, 16));
    ANSWERS(answer, cuModuleGetGlobal_v2(&address, NULL, k->module, "counter"));
    CUresult destroyed = cuCtxDestroy_v2(k->context);
    assert_true(destroyed == CUDA_SUCCESS || destroyed == answer);
}

static void an_access_where_nothing_is_allocated_is_illegal(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUdeviceptr address = device_bytes(256) + 4096 * 1024;
    expect("write_at", CUDA_ERROR_ILLEGAL_ADDRESS, (void *[]){&address}, &k);
}

static void an_access_to_null_and_to_memory_of_the_host_is_illegal(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUdeviceptr address = 0;
    expect("write_at", CUDA_ERROR_ILLEGAL_ADDRESS, (void *[]){&address}, &k);
    int here = 5;
    k = kernels_load("rtx-a6000");
    address = (CUdeviceptr)(uintptr_t)&here;
    expect("write_at", CUDA_ERROR_ILLEGAL_ADDRESS, (void *[]){&address}, &k);
    assert_int_equal(here, 5);
}

static void a_misaligned_access_has_its_own_code(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUdeviceptr address = device_bytes(256);
    expect("read_misaligned", CUDA_ERROR_MISALIGNED_ADDRESS, (void *[]){&address, &address}, &k);
}

static void a_trap_is_a_failed_launch(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    expect("stop", CUDA_ERROR_LAUNCH_FAILED, NULL, &k);
}

static void a_failed_assertion_has_its_own_code(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    int value = 0;
    SUCCEEDS(run(kernels_get(&k, "insist"), 1, 32, (void *[]){&value}));
    SUCCEEDS(cuCtxSynchronize());
    value = 1;
    expect("insist", CUDA_ERROR_ASSERT, (void *[]){&value}, &k);
}

static void too_deep_a_recursion_overflows_the_stack(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUdeviceptr address = device_bytes(256);
    int depth = 2;
    SUCCEEDS(run(kernels_get(&k, "recurse"), 1, 1, (void *[]){&address, &depth}));
    SUCCEEDS(cuCtxSynchronize());
    depth = 1000;
    expect("recurse", CUDA_ERROR_HARDWARE_STACK_ERROR, (void *[]){&address, &depth}, &k);
}

static void a_larger_stack_holds_a_deeper_recursion(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUdeviceptr address = device_bytes(256);
    int depth = 100;
    SUCCEEDS(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 64 << 10));
    SUCCEEDS(run(kernels_get(&k, "recurse"), 1, 1, (void *[]){&address, &depth}));
    SUCCEEDS(cuCtxSynchronize());
    kernels_unload(&k);
}

static void doze(void *nothing)
{
    (void)nothing;
    usleep(30000);
}

static void launches_keep_the_stack_that_they_were_made_with(void **state)
{
    (void)state;
    struct kernels k = kernels_load("rtx-a6000");
    CUdeviceptr address = device_bytes(256);
    int depth = 100;
    SUCCEEDS(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 64 << 10));
    SUCCEEDS(cuLaunchHostFunc(NULL, doze, NULL));
    SUCCEEDS(run(kernels_get(&k, "recurse"), 1, 1, (void *[]){&address, &depth}));
    SUCCEEDS(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
    SUCCEEDS(cuCtxSynchronize());
    kernels_unload(&k);
}

UNIT_TESTS(UNIT(an_access_where_nothing_is_allocated_is_illegal),
           UNIT(an_access_to_null_and_to_memory_of_the_host_is_illegal), UNIT(a_misaligned_access_has_its_own_code),
           UNIT(a_trap_is_a_failed_launch), UNIT(a_failed_assertion_has_its_own_code),
           UNIT(too_deep_a_recursion_overflows_the_stack), UNIT(a_larger_stack_holds_a_deeper_recursion),
           UNIT(launches_keep_the_stack_that_they_were_made_with))
