/* A profiler's own clock, and the place of simulated time on it. */
#include <math.h>
#include <unistd.h>

#include "cupti/clock.h"
#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "tests/cupti/rig.h"
#include "tests/driver/rig.h"

enum { TICKS = 3, BYTES = 1000000 };

/* Three ticks a nanosecond, from some day on. */
static uint64_t tick(void) { return TICKS * (time_now() - UINT64_C(1500000000000000000)); }

static uint64_t other_tick(void) { return 7; }

static void simulated_time_goes_on_with_the_host_and_keeps_durations(void **state)
{
    (void)state;
    const uint64_t host = UINT64_C(1700000000000000000);
    struct device_clock device = {0};
    device_begins(&device, 5e-6, host); /* idle: it begins when it was submitted */
    assert_true(device_time(&device, 5e-6) == host && device_time(&device, 9e-6) == host + 4000);
    device_begins(&device, 9e-6, host + 1000); /* behind the first: submitted while the device was busy */
    assert_true(device_time(&device, 9e-6) == host + 4000);
    device_begins(&device, 10e-6, host + 100000); /* idle again */
    assert_true(device_time(&device, 10e-6) == host + 100000 && device_time(&device, 10.5e-6) == host + 100500);
}

static void a_clock_of_the_profiler_has_its_units_in_all_records(void **state)
{
    (void)state;
    setenv("SUBCORE_SET", "host.link_in=10\nhost.copy_latency=10", 1);
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr memory;
    void *host;
    SUCCEEDS(cuMemAlloc_v2(&memory, BYTES));
    SUCCEEDS(cuMemHostAlloc(&host, BYTES, 0));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivityRegisterTimestampCallback(NULL));
    GOOD(cuptiActivityRegisterTimestampCallback(tick));
    log_start(1 << 16, 0);
    GOOD(cuptiActivityEnable(ACTIVITY_MEMCPY));
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
    uint64_t now = 0, before = tick();
    SUCCEEDS(cuMemcpyHtoD_v2(memory, host, BYTES));
    uint64_t after = tick();
    usleep(20000);
    GOOD(cuptiActivityFlushAll(0));
    const struct record_copy *copy = log_record(ACTIVITY_MEMCPY, 0);
    const struct record_api *call = log_record(ACTIVITY_DRIVER, 0);
    const uint64_t slack = TICKS * 20000; /* 20 us: the measure of two clocks on a busy machine */
    assert_true(copy && call);
    assert_true(call->start + slack >= before && call->end <= after + slack && copy->start >= call->start);
    double ticks = (double)(copy->end - copy->start), expected = TICKS * 110e3; /* 10 us and 1 MB at 10 GB/s */
    if (fabs(ticks - expected) > 0.005 * expected)
        fail_msg("%.0f ticks instead of %.0f", ticks, expected);
    GOOD(cuptiGetTimestamp(&now));
    assert_true(now >= after && now <= tick());
    log_end();
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void records_before_a_change_of_clocks_keep_the_earlier_one(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    log_start(1 << 16, 0);
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
    uint64_t before = time_now(), now;
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityRegisterTimestampCallback(other_tick));
    GOOD(cuptiGetTimestamp(&now));
    assert_int_equal(now, 7);
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    const struct record_api *first = log_record(ACTIVITY_DRIVER, 0), *second = log_record(ACTIVITY_DRIVER, 1);
    assert_true(first->start >= before && first->end >= first->start && first->end <= time_now());
    assert_true(second->start == 7 && second->end == 7); /* a clock that stands */
    log_end();
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void without_a_clock_of_its_own_the_time_is_the_hosts(void **state)
{
    (void)state;
    uint64_t now = 0, before = time_now();
    GOOD(cuptiGetTimestamp(&now));
    assert_true(now >= before && now <= time_now());
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiGetTimestamp(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_clock_of_its_own_the_time_is_the_hosts),
        cmocka_unit_test(simulated_time_goes_on_with_the_host_and_keeps_durations),
        cmocka_unit_test(a_clock_of_the_profiler_has_its_units_in_all_records),
        cmocka_unit_test(records_before_a_change_of_clocks_keep_the_earlier_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
