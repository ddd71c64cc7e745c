/* Records of calls: which functions have them, external correlation ids, threads. */
#include <sys/wait.h>
#include <unistd.h>

#include "driver/abi/api_stream.h"
#include "tests/cupti/rig.h"
#include "tests/driver/saxpy.h"

enum { SYNCHRONIZE = 17, ALLOCATE = 243 }; /* cuCtxSynchronize, cuMemAlloc_v2 */

static CUcontext start(void)
{
    CUcontext context = rig_context("rtx-a6000");
    log_start(1 << 16, 0);
    return context;
}

static void end(CUcontext context)
{
    log_end();
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_call_has_its_number_times_thread_and_result(void **state)
{
    (void)state;
    CUcontext context = start();
    CUdeviceptr memory;
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
    uint64_t before = time_now();
    SUCCEEDS(cuMemAlloc_v2(&memory, 16));
    uint64_t between = time_now();
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(&memory, 0));
    GOOD(cuptiActivityFlushAll(0));
    const struct record_api *good = log_call(ACTIVITY_DRIVER, ALLOCATE, 0),
                            *bad = log_call(ACTIVITY_DRIVER, ALLOCATE, 1);
    assert_true(good && bad && record_log.count == 2);
    assert_true(good->start >= before && good->end >= good->start && good->end <= between && bad->start >= between);
    assert_true(good->result == CUDA_SUCCESS && bad->result == CUDA_ERROR_INVALID_VALUE);
    assert_true(good->process == (uint32_t)getpid() && good->thread == (uint32_t)(uintptr_t)pthread_self());
    assert_true(bad->correlation > good->correlation);
    end(context);
}

static void threads_have_their_number_in_the_system_if_asked_for(void **state)
{
    (void)state;
    int type = -1;
    CUcontext context = start();
    GOOD(cuptiGetThreadIdType(&type));
    assert_int_equal(type, 0);
    GOOD(cuptiSetThreadIdType(1));
    GIVES(CUPTI_ERROR_NOT_SUPPORTED, cuptiSetThreadIdType(2));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiGetThreadIdType(NULL));
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(((const struct record_api *)log_record(ACTIVITY_DRIVER, 0))->thread, (uint32_t)gettid());
    GOOD(cuptiSetThreadIdType(0));
    end(context);
}

static void single_functions_can_be_left_out_or_be_the_only_ones(void **state)
{
    (void)state;
    CUcontext context = start();
    CUdeviceptr memory;
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
    GOOD(cuptiActivityEnableDriverApi(SYNCHRONIZE, 0));
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuMemAlloc_v2(&memory, 16));
    GOOD(cuptiActivityFlushAll(0));
    assert_true(record_log.count == 1 && log_call(ACTIVITY_DRIVER, ALLOCATE, 0));
    GOOD(cuptiActivityDisable(ACTIVITY_DRIVER));
    GOOD(cuptiActivityEnableDriverApi(SYNCHRONIZE, 1));
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuMemFree_v2(memory));
    GOOD(cuptiActivityFlushAll(0));
    assert_true(record_log.count == 2 && log_call(ACTIVITY_DRIVER, SYNCHRONIZE, 0));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivityEnableDriverApi(0, 1));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivityEnableRuntimeApi(UINT32_MAX, 1));
    end(context);
}

static void the_innermost_external_id_of_each_kind_precedes_a_call(void **state)
{
    (void)state;
    uint64_t last = 0;
    CUcontext context = start();
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
    GOOD(cuptiActivityEnable(ACTIVITY_EXTERNAL_CORRELATION));
    GOOD(cuptiActivityPushExternalCorrelationId(CUSTOM, 10));
    GOOD(cuptiActivityPushExternalCorrelationId(CUSTOM, UINT64_MAX));
    GOOD(cuptiActivityPushExternalCorrelationId(CUSTOM_OTHER, 30));
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityPopExternalCorrelationId(CUSTOM, &last));
    assert_true(last == UINT64_MAX);
    GOOD(cuptiActivityPopExternalCorrelationId(CUSTOM_OTHER, NULL));
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityPopExternalCorrelationId(CUSTOM, &last));
    assert_int_equal(last, 10);
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    static const uint32_t order[] = {39, 39, 4, 39, 4, 4};
    assert_int_equal(record_log.count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(*(const uint32_t *)record_log.records[i], order[i]);
    const struct record_external *e[3];
    for (size_t i = 0; i < 3; i++) {
        e[i] = log_record(ACTIVITY_EXTERNAL_CORRELATION, i);
        assert_int_equal(e[i]->correlation, log_call(ACTIVITY_DRIVER, SYNCHRONIZE, i == 2)->correlation);
    }
    assert_true(e[0]->external_kind == CUSTOM && e[0]->external == UINT64_MAX);
    assert_true(e[1]->external_kind == CUSTOM_OTHER && e[1]->external == 30);
    assert_true(e[2]->external_kind == CUSTOM && e[2]->external == 10);
    end(context);
}

static void wrong_external_ids_are_refused(void **state)
{
    (void)state;
    uint64_t last;
    static const int wrong[] = {-1, 0, 6, 1000};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivityPushExternalCorrelationId(wrong[i], 1));
        GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivityPopExternalCorrelationId(wrong[i], &last));
    }
    GIVES(CUPTI_ERROR_QUEUE_EMPTY, cuptiActivityPopExternalCorrelationId(CUSTOM, &last));
}

enum { THREADS = 4, CALLS = 50 };

struct worker {
    pthread_t thread;
    CUcontext context;
    uint64_t id;
};

static void *work(void *argument)
{
    const struct worker *worker = argument;
    SUCCEEDS(cuCtxSetCurrent(worker->context));
    GOOD(cuptiActivityPushExternalCorrelationId(CUSTOM, worker->id));
    for (int i = 0; i < CALLS; i++) {
        SUCCEEDS(cuCtxSynchronize());
        if (i % 10 == 0)
            GOOD(cuptiActivityFlushAll(0));
    }
    GOOD(cuptiActivityPopExternalCorrelationId(CUSTOM, NULL));
    return NULL;
}

/* The record of the call with this external id, which comes behind it. */
static const struct record_api *call_of(const struct record_external *external)
{
    const struct record_api *call = NULL;
    for (size_t i = 0; i < record_log.count && !call; i++) {
        const struct record_api *record = record_log.records[i];
        if (record->kind == ACTIVITY_DRIVER && record->correlation == external->correlation)
            call = record;
    }
    assert_true((const void *)call > (const void *)external);
    return call;
}

static void each_thread_has_its_own_ids_and_no_record_is_lost(void **state)
{
    (void)state;
    struct worker workers[THREADS];
    size_t of[THREADS] = {0}, dropped;
    CUcontext context = start();
    record_log.size = 512;
    GOOD(cuptiActivityEnableDriverApi(SYNCHRONIZE, 1));
    GOOD(cuptiActivityEnable(ACTIVITY_EXTERNAL_CORRELATION));
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.context = context, .id = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(log_count(ACTIVITY_DRIVER), THREADS * CALLS);
    assert_int_equal(log_count(ACTIVITY_EXTERNAL_CORRELATION), THREADS * CALLS);
    const struct record_external *e;
    for (size_t i = 0; (e = log_record(ACTIVITY_EXTERNAL_CORRELATION, i)); i++) {
        const struct record_api *call = call_of(e);
        assert_non_null(call);
        of[e->external]++;
        for (size_t k = 0; k < THREADS; k++)
            assert_true((call->thread == (uint32_t)(uintptr_t)workers[k].thread) == (e->external == k));
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(of[i], CALLS);
    GOOD(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
    assert_int_equal(dropped, 0);
    end(context);
}

static void nothing_is_recorded_when_nothing_is_enabled(void **state)
{
    (void)state;
    CUcontext context = start();
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER)); /* twice is once */
    GOOD(cuptiActivityDisable(ACTIVITY_DRIVER));
    GOOD(cuptiActivityDisable(ACTIVITY_DRIVER));
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    assert_true(record_log.count == 0 && record_log.requested == 0);
    end(context);
}

static void a_child_of_the_process_records_nothing(void **state)
{
    (void)state;
    CUcontext context = start();
    int status = -1;
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
    pid_t child = fork();
    if (child == 0) {
        bool right = cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED && record_log.requested == 0;
        _exit(right ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(record_log.count, 1);
    end(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_has_its_number_times_thread_and_result),
        cmocka_unit_test(threads_have_their_number_in_the_system_if_asked_for),
        cmocka_unit_test(single_functions_can_be_left_out_or_be_the_only_ones),
        cmocka_unit_test(the_innermost_external_id_of_each_kind_precedes_a_call),
        cmocka_unit_test(wrong_external_ids_are_refused),
        cmocka_unit_test(each_thread_has_its_own_ids_and_no_record_is_lost),
        cmocka_unit_test(nothing_is_recorded_when_nothing_is_enabled),
        cmocka_unit_test(a_child_of_the_process_records_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
