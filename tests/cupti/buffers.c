/* The profiler's buffers: small ones, none, wrong ones, and the walk through their records. */
#include "driver/abi/api_stream.h"
#include "tests/cupti/rig.h"
#include "tests/driver/saxpy.h"

enum { SET = 251 }; /* cuMemsetD32_v2 */

static CUcontext start(size_t size, size_t most)
{
    CUcontext context = rig_context("rtx-a6000");
    log_start(size, most);
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
    return context;
}

static void end(CUcontext context)
{
    log_end();
    SUCCEEDS(cuCtxDestroy_v2(context));
}

/* Calls that each have one record. */
static void call_often(int count)
{
    size_t free, total;
    for (int i = 0; i < count; i++)
        SUCCEEDS(cuMemGetInfo_v2(&free, &total));
}

static size_t dropped(void)
{
    size_t count = 99;
    GOOD(cuptiActivityGetNumDroppedRecords(NULL, 0, &count));
    return count;
}

static void a_buffer_of_one_record_is_complete_after_each(void **state)
{
    (void)state;
    CUcontext context = start(sizeof(struct record_api), 0);
    call_often(5);
    GOOD(cuptiActivityFlushAll(0));
    assert_true(record_log.count == 5 && record_log.completed == 5);
    assert_int_equal(dropped(), 0);
    end(context);
}

static void the_profiler_limits_the_records_of_a_buffer(void **state)
{
    (void)state;
    CUcontext context = start(1 << 16, 2);
    call_often(5);
    GOOD(cuptiActivityFlushAll(0));
    assert_true(record_log.count == 5 && record_log.completed == 3);
    end(context);
}

static void a_buffer_that_is_too_small_drops_records_and_counts_them(void **state)
{
    (void)state;
    CUcontext context = start(sizeof(struct record_api) - 1, 0);
    call_often(3);
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(record_log.count, 0);
    assert_int_equal(dropped(), 3);
    assert_int_equal(dropped(), 0); /* the question resets the count */
    end(context);
}

static void no_buffer_drops_records_and_counts_them(void **state)
{
    (void)state;
    CUcontext context = start(0, 0);
    call_often(4);
    GOOD(cuptiActivityFlushAll(0));
    assert_true(record_log.count == 0 && record_log.completed == 0);
    assert_int_equal(dropped(), 4);
    record_log.size = 1 << 12; /* the next ones have one */
    call_often(2);
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(record_log.count, 2);
    assert_int_equal(dropped(), 0);
    end(context);
}

static void a_small_record_takes_the_place_that_a_large_one_could_not(void **state)
{
    (void)state;
    CUcontext context = start(sizeof(struct record_api), 0);
    CUdeviceptr memory = saxpy_vector();
    GOOD(cuptiActivityEnable(ACTIVITY_MEMSET)); /* 88 bytes */
    saxpy_fill(memory, 1);
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(dropped(), 1);
    assert_true(log_count(ACTIVITY_MEMSET) == 0 && log_call(ACTIVITY_DRIVER, SET, 0));
    end(context);
}

static void a_buffer_is_asked_for_with_the_first_record(void **state)
{
    (void)state;
    CUcontext context = start(1 << 16, 0);
    assert_int_equal(record_log.requested, 0);
    call_often(1);
    assert_int_equal(record_log.requested, 1);
    call_often(100);
    assert_true(record_log.requested == 1 && record_log.completed == 0);
    end(context);
}

static void many_records_come_without_a_flush(void **state)
{
    (void)state;
    enum { CALLS = 40000 };
    CUcontext context = start(1 << 19, 0);
    call_often(CALLS);
    assert_true(record_log.completed > 0 && record_log.count > 1000);
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(record_log.count, CALLS);
    end(context);
}

static void callbacks_are_needed_for_a_flush(void **state)
{
    (void)state;
    GIVES(CUPTI_ERROR_INVALID_OPERATION, cuptiActivityFlushAll(0)); /* the first test: nothing is registered */
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivityRegisterCallbacks(NULL, log_complete));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivityRegisterCallbacks(log_request, NULL));
    GIVES(CUPTI_ERROR_INVALID_OPERATION, cuptiActivityFlushAll(1));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivityGetNumDroppedRecords(NULL, 0, NULL));
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER)); /* records wait for callbacks */
    CUcontext context = rig_context("rtx-a6000");
    call_often(1);
    log_start(1 << 16, 0);
    GOOD(cuptiActivityFlushAll(0));
    assert_true(record_log.count > 1);
    end(context);
}

static void the_walk_takes_each_record_once_and_stops_at_what_is_none(void **state)
{
    (void)state;
    _Alignas(8) struct {
        struct record_api api;
        struct record_external external;
    } b = {{.kind = ACTIVITY_RUNTIME}, {.kind = ACTIVITY_EXTERNAL_CORRELATION}};
    uint8_t *data = (uint8_t *)&b;
    void *record = NULL;
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivityGetNextRecord(NULL, sizeof b, &record));
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivityGetNextRecord(data, sizeof b, NULL));
    GIVES(CUPTI_ERROR_MAX_LIMIT_REACHED, cuptiActivityGetNextRecord(data, 0, &record));
    GOOD(cuptiActivityGetNextRecord(data, sizeof b, &record));
    assert_ptr_equal(record, &b.api);
    GOOD(cuptiActivityGetNextRecord(data, sizeof b, &record));
    assert_ptr_equal(record, &b.external);
    GIVES(CUPTI_ERROR_MAX_LIMIT_REACHED, cuptiActivityGetNextRecord(data, sizeof b, &record));
    record = &b.api;
    GIVES(CUPTI_ERROR_INVALID_KIND, cuptiActivityGetNextRecord(data, sizeof b - 1, &record)); /* cut */
    GIVES(CUPTI_ERROR_INVALID_KIND, cuptiActivityGetNextRecord(data, sizeof b.api + 3, &record));
    b.external.kind = 0;
    GIVES(CUPTI_ERROR_INVALID_KIND, cuptiActivityGetNextRecord(data, sizeof b, &record));
    record = data + sizeof b; /* not in the buffer */
    GIVES(CUPTI_ERROR_INVALID_PARAMETER, cuptiActivityGetNextRecord(data, sizeof b, &record));
}

/* A profiler's function may ask for the flush that it is part of. */
static void complete_and_flush(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    size_t count;
    log_complete(context, stream, buffer, size, valid);
    GOOD(cuptiActivityFlushAll(1));
    GOOD(cuptiActivityGetNumDroppedRecords(NULL, 0, &count));
}

static void a_flush_inside_a_flush_returns(void **state)
{
    (void)state;
    CUcontext context = start(64, 0);
    GOOD(cuptiActivityRegisterCallbacks(log_request, complete_and_flush));
    call_often(3);
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(record_log.count, 3);
    end(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_are_needed_for_a_flush),
        cmocka_unit_test(a_buffer_of_one_record_is_complete_after_each),
        cmocka_unit_test(the_profiler_limits_the_records_of_a_buffer),
        cmocka_unit_test(a_buffer_that_is_too_small_drops_records_and_counts_them),
        cmocka_unit_test(no_buffer_drops_records_and_counts_them),
        cmocka_unit_test(a_small_record_takes_the_place_that_a_large_one_could_not),
        cmocka_unit_test(a_buffer_is_asked_for_with_the_first_record),
        cmocka_unit_test(many_records_come_without_a_flush),
        cmocka_unit_test(the_walk_takes_each_record_once_and_stops_at_what_is_none),
        cmocka_unit_test(a_flush_inside_a_flush_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
