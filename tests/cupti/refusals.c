/* Functions that refuse, wrong arguments, and the small functions. */
#include "driver/abi/api_stream.h"
#include "tests/cupti/rig.h"
#include "tests/driver/notes.h"

enum { DOMAIN_DRIVER = 1, DOMAIN_RUNTIME = 2, DOMAIN_RESOURCE = 3, SYNCHRONIZE = 17 };

enum cupti_result cuptiProfilerInitialize(void *parameters);
enum cupti_result cuptiPCSamplingEnable(void *parameters);
enum cupti_result cuptiEventGroupCreate(CUcontext context, void **group, uint32_t flags);
enum cupti_result cuptiActivityEnableContext(CUcontext context, int kind);

static void other_interfaces_are_not_supported(void **state)
{
    (void)state;
    void *group = NULL;
    GIVES(CUPTI_ERROR_NOT_SUPPORTED, cuptiProfilerInitialize(NULL));
    GIVES(CUPTI_ERROR_NOT_SUPPORTED, cuptiPCSamplingEnable(NULL));
    GIVES(CUPTI_ERROR_NOT_SUPPORTED, cuptiEventGroupCreate(NULL, &group, 0));
    GIVES(CUPTI_ERROR_NOT_SUPPORTED, cuptiActivityEnableContext(NULL, ACTIVITY_DRIVER));
}

static void kinds_without_records_are_refused(void **state)
{
    (void)state;
    static const int missing[] = {6, 7, 8, 9, 12, 22, 30, 36, 45, 59}, wrong[] = {-1, 0, 60, 1000};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        GIVES(CUPTI_ERROR_NOT_SUPPORTED, cuptiActivityEnable(missing[i]));
        GIVES(CUPTI_ERROR_NOT_SUPPORTED, cuptiActivityDisable(missing[i]));
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        GIVES(CUPTI_ERROR_INVALID_KIND, cuptiActivityEnable(wrong[i]));
        GIVES(CUPTI_ERROR_INVALID_KIND, cuptiActivityDisable(wrong[i]));
    }
    GOOD(cuptiActivityEnable(ACTIVITY_OVERHEAD)); /* there is none */
    GOOD(cuptiActivityDisable(ACTIVITY_OVERHEAD));
}

static void the_two_kinds_of_kernels_exclude_each_other(void **state)
{
    (void)state;
    GOOD(cuptiActivityEnable(ACTIVITY_KERNEL));
    GIVES(CUPTI_ERROR_NOT_COMPATIBLE, cuptiActivityEnable(ACTIVITY_CONCURRENT_KERNEL));
    GOOD(cuptiActivityDisable(ACTIVITY_KERNEL));
    GOOD(cuptiActivityEnable(ACTIVITY_CONCURRENT_KERNEL));
    GIVES(CUPTI_ERROR_NOT_COMPATIBLE, cuptiActivityEnable(ACTIVITY_KERNEL));
    GOOD(cuptiActivityDisable(ACTIVITY_CONCURRENT_KERNEL));
}

static void the_version_is_that_of_the_records(void **state)
{
    (void)state;
    uint32_t version = 0;
    GOOD(cuptiGetVersion(&version));
    assert_int_equal(version, 130202);
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiGetVersion(NULL));
}

static void attributes_keep_their_values_and_sizes(void **state)
{
    (void)state;
    enum { SIZE = 0, EACH_THREAD = 9 };
    size_t value = 12345, size = sizeof value, found = 0;
    uint8_t flag = 0;
    GOOD(cuptiActivityGetAttribute(SIZE, &size, &found));
    assert_int_equal(found, 3200000);
    GOOD(cuptiActivitySetAttribute(SIZE, &size, &value));
    GOOD(cuptiActivityGetAttribute(SIZE, &size, &found));
    assert_true(found == value && size == sizeof value);
    size = sizeof value - 1;
    GIVES(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT, cuptiActivitySetAttribute(SIZE, &size, &value));
    size = 1;
    GOOD(cuptiActivitySetAttribute(EACH_THREAD, &size, &flag));
    flag = 7;
    GOOD(cuptiActivityGetAttribute(EACH_THREAD, &size, &flag));
    assert_int_equal(flag, 0);
    size = 0;
    GIVES(CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT, cuptiActivityGetAttribute(EACH_THREAD, &size, &flag));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivitySetAttribute(SIZE, NULL, &value));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivityGetAttribute(SIZE, &size, NULL));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivitySetAttribute(EACH_THREAD + 1, &size, &value));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivitySetAttribute(-1, &size, &value));
}

static void contexts_streams_and_devices_have_numbers(void **state)
{
    (void)state;
    uint32_t number = 99, other = 99;
    CUcontext context = rig_context("rtx-a6000"), second = NULL;
    CUstream stream = new_stream(0);
    GOOD(cuptiGetContextId(context, &number));
    assert_true(number > 0 && number != 99);
    GIVES(CUPTI_ERROR_INVALID_CONTEXT, cuptiGetContextId(NULL, &number));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiGetContextId(context, NULL));
    GOOD(cuptiGetStreamIdEx(NULL, stream, 0, &number));
    GOOD(cuptiGetStreamIdEx(context, NULL, 0, &other));
    assert_true(number != other);
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiGetStreamIdEx(NULL, stream, 0, NULL));
    GIVES(CUPTI_ERROR_INVALID_STREAM, cuptiGetStreamIdEx(NULL, (CUstream)(void *)&number, 0, &other));
    GOOD(cuptiGetDeviceId(NULL, &number));
    assert_int_equal(number, 0);
    GOOD(cuptiGetDeviceId(context, &number));
    SUCCEEDS(cuCtxCreate_v4(&second, NULL, 0, 0));
    GIVES(CUPTI_ERROR_INVALID_STREAM, cuptiGetStreamIdEx(second, stream, 0, &number));
    SUCCEEDS(cuCtxDestroy_v2(second));
    SUCCEEDS(cuCtxDestroy_v2(context));
    GIVES(CUPTI_ERROR_INVALID_DEVICE, cuptiGetDeviceId(NULL, &number));
}

static void results_have_names_and_messages(void **state)
{
    (void)state;
    const char *text = NULL;
    GOOD(cuptiGetResultString(CUPTI_ERROR_MAX_LIMIT_REACHED, &text));
    assert_string_equal(text, "CUPTI_ERROR_MAX_LIMIT_REACHED");
    GOOD(cuptiGetErrorMessage(CUPTI_SUCCESS, &text));
    assert_string_equal(text, "No error");
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiGetResultString((enum cupti_result)12345, &text));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiGetErrorMessage(CUPTI_SUCCESS, NULL));
}

static void functions_have_names(void **state)
{
    (void)state;
    const char *name = NULL;
    GOOD(cuptiGetCallbackName(DOMAIN_DRIVER, 307, &name));
    assert_string_equal(name, "cuLaunchKernel");
    GOOD(cuptiGetCallbackName(DOMAIN_RUNTIME, 211, &name));
    assert_string_equal(name, "cudaLaunchKernel");
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiGetCallbackName(DOMAIN_RUNTIME, 100000, &name));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiGetCallbackName(DOMAIN_RUNTIME, 211, NULL));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiGetCallbackName(0, 211, &name));
}

struct told {
    int begins, ends;
    uint32_t number;
};

static void tell(void *data, int domain, uint32_t number, const void *what)
{
    struct told *told = data;
    const uint32_t *site = what;
    assert_int_equal(domain, DOMAIN_DRIVER);
    told->begins += *site == 0;
    told->ends += *site == 1;
    told->number = number;
    SUCCEEDS(cuCtxSynchronize()); /* its own calls tell nothing */
}

static void a_subscriber_gets_begins_and_ends_of_functions(void **state)
{
    (void)state;
    struct subscriber *subscriber = NULL, *second = NULL;
    struct told told = {0};
    uint32_t enabled = 9;
    CUcontext context = rig_context("rtx-a6000");
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiSubscribe(NULL, tell, &told));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiSubscribe(&subscriber, NULL, &told));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiEnableCallback(1, NULL, DOMAIN_DRIVER, SYNCHRONIZE));
    GOOD(cuptiSubscribe(&subscriber, tell, &told));
    GIVES(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, cuptiSubscribe(&second, tell, &told));
    GOOD(cuptiEnableCallback(1, subscriber, DOMAIN_DRIVER, SYNCHRONIZE));
    GOOD(cuptiGetCallbackState(&enabled, subscriber, DOMAIN_DRIVER, SYNCHRONIZE));
    assert_int_equal(enabled, 1);
    SUCCEEDS(cuCtxSynchronize());
    assert_true(told.begins == 1 && told.ends == 1 && told.number == SYNCHRONIZE);
    GOOD(cuptiEnableDomain(0, subscriber, DOMAIN_DRIVER));
    SUCCEEDS(cuCtxSynchronize());
    assert_int_equal(told.begins, 1);
    GIVES(CUPTI_ERROR_NOT_SUPPORTED, cuptiEnableCallback(1, subscriber, DOMAIN_RESOURCE, 3));
    GIVES(CUPTI_ERROR_NOT_SUPPORTED, cuptiEnableDomain(1, subscriber, DOMAIN_RESOURCE));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiEnableDomain(1, subscriber, 0));
    GOOD(cuptiUnsubscribe(subscriber));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiUnsubscribe(subscriber));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void finalize(void *data, int domain, uint32_t number, const void *what)
{
    int *calls = data;
    (void)domain;
    (void)number;
    if (*(const uint32_t *)what == 1) /* as CUPTI recommends: at the end of a function */
        GOOD(cuptiFinalize());
    ++*calls;
}

static void a_subscriber_may_end_everything_at_the_end_of_a_function(void **state)
{
    (void)state;
    struct subscriber *subscriber = NULL;
    int calls = 0;
    CUcontext context = rig_context("rtx-a6000");
    log_start(1 << 12, 0);
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
    GOOD(cuptiSubscribe(&subscriber, finalize, &calls));
    GOOD(cuptiEnableDomain(1, subscriber, DOMAIN_DRIVER));
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuCtxSynchronize());
    assert_int_equal(calls, 2);
    assert_true(record_log.requested == record_log.completed && record_log.count == 0);
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiUnsubscribe(subscriber));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

struct contexts {
    CUcontext made, ends;
};

static void tell_context(void *data, int domain, uint32_t number, const void *what)
{
    struct contexts *contexts = data;
    uint32_t id = 0;
    assert_int_equal(domain, DOMAIN_RESOURCE);
    *(number == 1 ? &contexts->made : &contexts->ends) = *(const CUcontext *)what;
    if (number == 1)
        GOOD(cuptiGetContextId(contexts->made, &id));
}

static void a_subscriber_gets_contexts_that_are_made_and_destroyed(void **state)
{
    (void)state;
    struct subscriber *subscriber = NULL;
    struct contexts contexts = {0};
    CUcontext context = NULL;
    rig_init("rtx-a6000");
    GOOD(cuptiSubscribe(&subscriber, tell_context, &contexts));
    GOOD(cuptiEnableCallback(1, subscriber, DOMAIN_RESOURCE, 1));
    GOOD(cuptiEnableCallback(1, subscriber, DOMAIN_RESOURCE, 2));
    SUCCEEDS(cuCtxCreate_v4(&context, NULL, 0, 0));
    assert_true(contexts.made == context && !contexts.ends);
    SUCCEEDS(cuCtxDestroy_v2(context));
    assert_ptr_equal(contexts.ends, context);
    SUCCEEDS(cuDevicePrimaryCtxRetain(&context, 0));
    assert_ptr_equal(contexts.made, context);
    SUCCEEDS(cuDevicePrimaryCtxRelease_v2(0));
    assert_ptr_equal(contexts.ends, context);
    GOOD(cuptiUnsubscribe(subscriber));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_interfaces_are_not_supported),
        cmocka_unit_test(kinds_without_records_are_refused),
        cmocka_unit_test(the_two_kinds_of_kernels_exclude_each_other),
        cmocka_unit_test(the_version_is_that_of_the_records),
        cmocka_unit_test(attributes_keep_their_values_and_sizes),
        cmocka_unit_test(contexts_streams_and_devices_have_numbers),
        cmocka_unit_test(results_have_names_and_messages),
        cmocka_unit_test(functions_have_names),
        cmocka_unit_test(a_subscriber_gets_begins_and_ends_of_functions),
        cmocka_unit_test(a_subscriber_may_end_everything_at_the_end_of_a_function),
        cmocka_unit_test(a_subscriber_gets_contexts_that_are_made_and_destroyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
