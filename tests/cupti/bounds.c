/* Kernels that are executed without timing: a record has the time that events have. */
#include <math.h>

#include "driver/abi/api_stream.h"
#include "tests/cupti/rig.h"
#include "tests/driver/saxpy.h"

static void a_kernel_without_timing_has_the_time_of_the_events(void **state)
{
    (void)state;
    struct saxpy saxpy;
    CUevent event[2];
    float ms = 0;
    CUcontext context = rig_context("rtx-a6000"); /* functional */
    saxpy_open(&saxpy);
    saxpy_launch(&saxpy, NULL);
    SUCCEEDS(cuCtxSynchronize());
    log_start(1 << 16, 0);
    GOOD(cuptiActivityEnable(ACTIVITY_CONCURRENT_KERNEL));
    for (int i = 0; i < 2; i++)
        SUCCEEDS(cuEventCreate(&event[i], 0));
    SUCCEEDS(cuEventRecord(event[0], NULL));
    saxpy_launch(&saxpy, NULL);
    SUCCEEDS(cuEventRecord(event[1], NULL));
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuEventElapsedTime(&ms, event[0], event[1]));
    GOOD(cuptiActivityFlushAll(0));
    const struct record_kernel *k = log_record(ACTIVITY_CONCURRENT_KERNEL, 0);
    assert_non_null(k);
    double found = (double)(k->end - k->start), expected = (double)ms * 1e6;
    assert_true(expected > 1 && fabs(found - expected) <= 1 + 1e-6 * expected);
    log_end();
    SUCCEEDS(cuCtxDestroy_v2(context));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_without_timing_has_the_time_of_the_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
