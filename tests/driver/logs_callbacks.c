/* Callbacks of the error log: when they run, on which thread, and how they end. */
#include <pthread.h>
#include <stdatomic.h>

#include "driver/state/driver.h"
#include "tests/driver/logs.h"

struct heard {
    unsigned calls;
    CUlogLevel level;
    char message[256];
    size_t length;
    pthread_t thread;
    CUlogsCallbackHandle self; /* unregistered in the call (NULL: not) */
    bool fails;                /* calls a refused function */
};

static void hear(void *data, CUlogLevel level, char *message, size_t length)
{
    struct heard *heard = data;
    heard->calls++;
    heard->level = level;
    heard->length = length;
    heard->thread = pthread_self();
    snprintf(heard->message, sizeof heard->message, "%s", message);
    if (heard->self)
        SUCCEEDS(cuLogsUnregisterCallback(heard->self));
    if (heard->fails)
        refuse();
}

static void callbacks_get_each_entry_on_the_thread_that_made_it(void **state)
{
    (void)state;
    struct heard first = {.level = 9}, second = {.level = 9};
    CUlogsCallbackHandle a = NULL, b = NULL;
    SUCCEEDS(cuLogsRegisterCallback(hear, &first, &a));
    SUCCEEDS(cuLogsRegisterCallback(hear, &second, &b));
    assert_true(a && b && a != b);
    refuse();
    assert_int_equal(first.calls, 1);
    assert_int_equal(second.calls, 1);
    assert_int_equal(first.level, CU_LOG_LEVEL_ERROR);
    assert_string_equal(first.message, REFUSED);
    assert_int_equal(first.length, strlen(REFUSED));
    assert_true(pthread_equal(first.thread, pthread_self()));
    SUCCEEDS(cuLogsUnregisterCallback(a));
    refuse();
    assert_int_equal(first.calls, 1);
    assert_int_equal(second.calls, 2);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuLogsUnregisterCallback(a));
    assert_int_equal(second.calls, 3); /* that failure, too */
    SUCCEEDS(cuLogsUnregisterCallback(b));
    refuse();
    assert_int_equal(second.calls, 3);
}

static void a_callback_may_unregister_itself(void **state)
{
    (void)state;
    struct heard once = {0}, always = {0};
    CUlogsCallbackHandle last;
    SUCCEEDS(cuLogsRegisterCallback(hear, &once, &once.self));
    SUCCEEDS(cuLogsRegisterCallback(hear, &always, &last));
    refuse();
    refuse();
    assert_int_equal(once.calls, 1);
    assert_int_equal(always.calls, 2);
    SUCCEEDS(cuLogsUnregisterCallback(last));
}

static void a_callbacks_own_failures_are_entered_but_call_no_callback(void **state)
{
    (void)state;
    struct heard heard = {.fails = true};
    CUlogsCallbackHandle handle;
    SUCCEEDS(cuLogsRegisterCallback(hear, &heard, &handle));
    CUlogIterator start = now();
    refuse();
    assert_int_equal(heard.calls, 1);
    assert_int_equal(now(), start + 2);
    SUCCEEDS(cuLogsUnregisterCallback(handle));
}

struct gate {
    atomic_bool reached, open;
    CUlogsCallbackHandle handle;
    atomic_bool gone;
};

static void wait_in_callback(void *data, CUlogLevel level, char *message, size_t length)
{
    (void)level, (void)message, (void)length;
    struct gate *gate = data;
    atomic_store(&gate->reached, true);
    while (!atomic_load(&gate->open))
        usleep(100);
}

static void *refuse_elsewhere(void *nothing)
{
    refuse();
    return nothing;
}

static void *unregister_elsewhere(void *data)
{
    struct gate *gate = data;
    SUCCEEDS(cuLogsUnregisterCallback(gate->handle));
    atomic_store(&gate->gone, true);
    return NULL;
}

static void unregistering_waits_for_the_callback_that_runs_and_the_driver_does_not(void **state)
{
    (void)state;
    struct gate gate = {0};
    pthread_t failing, unregistering;
    SUCCEEDS(cuLogsRegisterCallback(wait_in_callback, &gate, &gate.handle));
    assert_int_equal(pthread_create(&failing, NULL, refuse_elsewhere, NULL), 0);
    while (!atomic_load(&gate.reached))
        usleep(100);
    now(); /* the driver's lock is free */
    assert_int_equal(pthread_create(&unregistering, NULL, unregister_elsewhere, &gate), 0);
    usleep(20000);
    assert_false(atomic_load(&gate.gone));
    atomic_store(&gate.open, true);
    pthread_join(failing, NULL);
    pthread_join(unregistering, NULL);
    assert_true(atomic_load(&gate.gone));
    assert_null(driver_get()->logs.callbacks);
}

UNIT_TESTS(UNIT(callbacks_get_each_entry_on_the_thread_that_made_it), UNIT(a_callback_may_unregister_itself),
           UNIT(a_callbacks_own_failures_are_entered_but_call_no_callback),
           UNIT(unregistering_waits_for_the_callback_that_runs_and_the_driver_does_not))
