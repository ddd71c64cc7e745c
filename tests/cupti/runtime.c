/* Calls of the runtime: one record each, and the commands that they submit. */
#include "tests/cupti/rig.h"
#include "tests/runtime/rig.h"

enum { MALLOC = 20, COPY = 31, SET = 49, SYNCHRONIZE = 165, LAUNCH = 211 }; /* CUpti_runtime_api_trace_cbid */

static void a_launch_has_one_record_of_the_runtime_and_one_of_the_kernel(void **state)
{
    (void)state;
    int out[64];
    void *device;
    rig_program();
    SUCCEEDS(cudaMalloc(&device, sizeof out));
    log_start(1 << 16, 0);
    GOOD(cuptiActivityEnable(ACTIVITY_RUNTIME));
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
    GOOD(cuptiActivityEnable(ACTIVITY_CONCURRENT_KERNEL));
    GOOD(cuptiActivityEnable(ACTIVITY_MEMCPY));
    GOOD(cuptiActivityEnable(ACTIVITY_MEMSET));
    GOOD(cuptiActivityEnable(ACTIVITY_EXTERNAL_CORRELATION));
    GOOD(cuptiActivityPushExternalCorrelationId(CUSTOM, 77));
    void *arguments[] = {&device};
    SUCCEEDS(cudaLaunchKernel(&host_dynamic_shared, (dim3){1, 1, 1}, (dim3){64, 1, 1}, arguments, sizeof out, NULL));
    GOOD(cuptiActivityPopExternalCorrelationId(CUSTOM, NULL));
    SUCCEEDS(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    SUCCEEDS(cudaMemset(device, 0, sizeof out));
    SUCCEEDS(cudaDeviceSynchronize());
    ANSWERS(cudaErrorInvalidValue, cudaMalloc(NULL, 1));
    GOOD(cuptiActivityFlushAll(0));
    const struct record_kernel *k = log_record(ACTIVITY_CONCURRENT_KERNEL, 0);
    const struct record_copy *copy = log_record(ACTIVITY_MEMCPY, 0);
    const struct record_set *set = log_record(ACTIVITY_MEMSET, 0);
    const struct record_external *external = log_record(ACTIVITY_EXTERNAL_CORRELATION, 0);
    const struct record_api *launch = log_call(ACTIVITY_RUNTIME, LAUNCH, 0),
                            *wrong = log_call(ACTIVITY_RUNTIME, MALLOC, 0);
    assert_true(k && copy && set && external && launch && wrong);
    assert_int_equal(log_count(ACTIVITY_DRIVER), 0); /* those of the runtime are its own */
    assert_int_equal(log_count(ACTIVITY_RUNTIME), 5);
    assert_true(k->correlation == launch->correlation && external->correlation == launch->correlation);
    assert_true(external->external == 77 && log_count(ACTIVITY_EXTERNAL_CORRELATION) == 1);
    assert_int_equal(copy->correlation, log_call(ACTIVITY_RUNTIME, COPY, 0)->correlation);
    assert_int_equal(set->correlation, log_call(ACTIVITY_RUNTIME, SET, 0)->correlation);
    assert_true(k->dynamic_shared == sizeof out && k->block[0] == 64 && k->start >= launch->start);
    assert_true(launch->result == cudaSuccess && wrong->result == cudaErrorInvalidValue);
    assert_non_null(log_call(ACTIVITY_RUNTIME, SYNCHRONIZE, 0));
    assert_true((const void *)external < (const void *)k); /* readers go through the records once */
    log_end();
    SUCCEEDS(cudaFree(device));
}

static void a_function_that_calls_another_has_one_record(void **state)
{
    (void)state;
    void *host = NULL;
    rig_program();
    log_start(1 << 16, 0);
    GOOD(cuptiActivityEnable(ACTIVITY_RUNTIME));
    SUCCEEDS(cudaMallocHost(&host, 64));
    SUCCEEDS(cudaFreeHost(host));
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(record_log.count, 2);
    const char *name = NULL;
    GOOD(cuptiGetCallbackName(2, ((const struct record_api *)record_log.records[0])->number, &name));
    assert_string_equal(name, "cudaMallocHost");
    log_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_has_one_record_of_the_runtime_and_one_of_the_kernel),
        cmocka_unit_test(a_function_that_calls_another_has_one_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
