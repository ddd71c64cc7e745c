#include "tests/driver/rig.h"

static void a_context_that_was_made_is_current_until_it_is_popped(void **state)
{
    (void)state;
    CUcontext made = rig_context("rtx-a6000"), current = NULL, popped = NULL;
    SUCCEEDS(cuCtxGetCurrent(&current));
    assert_ptr_equal(current, made);
    SUCCEEDS(cuCtxPopCurrent_v2(&popped));
    assert_ptr_equal(popped, made);
    SUCCEEDS(cuCtxGetCurrent(&current));
    assert_null(current);
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent_v2(&popped));
    SUCCEEDS(cuCtxDestroy_v2(made));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(made));
}

static void the_primary_context_is_active_while_it_is_retained(void **state)
{
    (void)state;
    CUcontext first = NULL, second = NULL;
    unsigned flags = 99;
    int active = 99;
    rig_init("rtx-a6000");
    SUCCEEDS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    assert_int_equal(flags, 0);
    SUCCEEDS(cuDevicePrimaryCtxRetain(&first, 0));
    SUCCEEDS(cuDevicePrimaryCtxRetain(&second, 0));
    assert_ptr_equal(first, second);
    SUCCEEDS(cuDevicePrimaryCtxRelease_v2(0));
    SUCCEEDS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 1);
    SUCCEEDS(cuDevicePrimaryCtxRelease_v2(0));
    SUCCEEDS(cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
}

UNIT_TESTS(UNIT(a_context_that_was_made_is_current_until_it_is_popped),
           UNIT(the_primary_context_is_active_while_it_is_retained))
