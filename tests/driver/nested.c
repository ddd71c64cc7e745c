#include "driver/state/call.h"
#include "driver/state/thread.h"
#include "tests/driver/rig.h"

/* nvJitLink calls cuInit of the driver that it finds in the process, while the driver waits for it. */
static void a_library_that_a_call_uses_may_ask_for_the_device_but_not_use_it(void **state)
{
    (void)state;
    struct call call;
    int count = 0;
    CUcontext context = rig_context("rtx-a6000");
    SUCCEEDS(call_begin(&call, __func__, CALL_CONTEXT));
    SUCCEEDS(cuInit(0));
    SUCCEEDS(cuDeviceGetCount(&count));
    assert_int_equal(count, 1);
    ANSWERS(CUDA_ERROR_NOT_PERMITTED, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    assert_int_equal(call.thread->inside, 1);
    SUCCEEDS(call_end(&call, CUDA_SUCCESS));
    SUCCEEDS(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(a_library_that_a_call_uses_may_ask_for_the_device_but_not_use_it))
