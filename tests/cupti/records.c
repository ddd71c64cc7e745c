/* Records of commands: their fields, their times against the events' times, and the calls that submitted them. */
#include <math.h>
#include <time.h>

#include "driver/abi/api_graph.h"
#include "tests/cupti/rig.h"
#include "tests/driver/notes.h"
#include "tests/driver/saxpy.h"

enum {
    LAUNCH = 307,
    COPY_IN = 276,
    COPY_OUT = 278,
    SET = 251,
    GRAPH_LAUNCH = 514,
    SYNCHRONIZE = 17
}; /* CUpti_driver_api_trace_cbid */
enum { BYTES = SAXPY_COUNT * 4 };

struct bench {
    CUcontext context;
    struct saxpy saxpy;
    uint32_t context_id, stream_id;
};

static void set_up(struct bench *b)
{
    setenv("SUBCORE_MODE", "detailed", 1);
    b->context = rig_context("rtx-a6000");
    saxpy_open(&b->saxpy);
    saxpy_fill(b->saxpy.x, 1);
    saxpy_fill(b->saxpy.y, 1);
    saxpy_launch(&b->saxpy, NULL); /* loads the code */
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiGetContextId(b->context, &b->context_id));
    GOOD(cuptiGetStreamIdEx(NULL, NULL, 0, &b->stream_id));
    log_start(1 << 16, 0);
    GOOD(cuptiActivityEnable(ACTIVITY_CONCURRENT_KERNEL));
    GOOD(cuptiActivityEnable(ACTIVITY_MEMCPY));
    GOOD(cuptiActivityEnable(ACTIVITY_MEMSET));
    GOOD(cuptiActivityEnable(ACTIVITY_DRIVER));
}

static void tear_down(struct bench *b)
{
    log_end();
    SUCCEEDS(cuCtxDestroy_v2(b->context));
}

/* The simulated times are whole nanoseconds in records, and floats of milliseconds from events. */
static void lasts(uint64_t start, uint64_t end, float ms)
{
    assert_true(end > start);
    double found = (double)(end - start), expected = (double)ms * 1e6;
    if (fabs(found - expected) > 1 + 1e-6 * expected)
        fail_msg("%.0f ns instead of %.3f", found, expected);
}

static float elapsed(CUevent from, CUevent to)
{
    float ms = -1;
    SUCCEEDS(cuEventElapsedTime(&ms, from, to));
    return ms;
}

static void a_kernel_has_its_shape_its_needs_and_its_simulated_time(void **state)
{
    (void)state;
    struct bench b;
    CUevent event[2];
    int registers = 0;
    set_up(&b);
    for (int i = 0; i < 2; i++)
        SUCCEEDS(cuEventCreate(&event[i], 0));
    SUCCEEDS(cuEventRecord(event[0], NULL));
    SUCCEEDS(cuLaunchKernel(b.saxpy.function, 4, 2, 1, 64, 1, 1, 512, NULL, b.saxpy.parameters, NULL));
    SUCCEEDS(cuEventRecord(event[1], NULL));
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, b.saxpy.function));
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(log_count(ACTIVITY_CONCURRENT_KERNEL), 1);
    const struct record_kernel *k = log_record(ACTIVITY_CONCURRENT_KERNEL, 0);
    const struct record_api *call = log_call(ACTIVITY_DRIVER, LAUNCH, 0);
    assert_non_null(call);
    assert_string_equal(k->name, "saxpy");
    assert_true(k->grid[0] == 4 && k->grid[1] == 2 && k->grid[2] == 1);
    assert_true(k->block[0] == 64 && k->block[1] == 1 && k->block[2] == 1);
    assert_int_equal(k->registers, registers);
    assert_true(k->static_shared == 0 && k->dynamic_shared == 512 && k->local == 0);
    assert_true(k->device == 0 && k->context == b.context_id && k->stream == b.stream_id);
    assert_int_equal(k->correlation, call->correlation);
    assert_true(k->start >= call->start && k->completed == k->end);
    assert_true(call->end >= call->start && call->result == 0);
    lasts(k->start, k->end, elapsed(event[0], event[1]));
    tear_down(&b);
}

static void copies_and_sets_have_their_bytes_memories_and_times(void **state)
{
    (void)state;
    struct bench b;
    static float pageable[SAXPY_COUNT];
    void *pinned = NULL;
    set_up(&b);
    SUCCEEDS(cuMemHostAlloc(&pinned, BYTES, 0));
    SUCCEEDS(cuMemcpyHtoD_v2(b.saxpy.x, pageable, BYTES));
    SUCCEEDS(cuMemcpyDtoHAsync_v2(pinned, b.saxpy.x, BYTES, NULL));
    SUCCEEDS(cuMemcpyDtoD_v2(b.saxpy.x, b.saxpy.y, BYTES / 2));
    SUCCEEDS(cuMemsetD32_v2(b.saxpy.y, 7, SAXPY_COUNT));
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(log_count(ACTIVITY_MEMCPY), 3);
    const struct record_copy *in = log_record(ACTIVITY_MEMCPY, 0), *out = log_record(ACTIVITY_MEMCPY, 1),
                             *across = log_record(ACTIVITY_MEMCPY, 2);
    assert_true(in->copy_kind == 1 && in->from == 1 && in->to == 3 && in->flags == 0 && in->bytes == BYTES);
    assert_true(out->copy_kind == 2 && out->from == 3 && out->to == 2 && out->flags == 1 && out->bytes == BYTES);
    assert_true(across->copy_kind == 8 && across->from == 3 && across->to == 3 && across->bytes == BYTES / 2);
    assert_int_equal(in->correlation, log_call(ACTIVITY_DRIVER, COPY_IN, 0)->correlation);
    assert_int_equal(in->runtime_correlation, in->correlation);
    assert_true(in->end > in->start && out->start >= in->end && across->start >= out->end);
    const struct record_set *set = log_record(ACTIVITY_MEMSET, 0);
    assert_int_equal(log_count(ACTIVITY_MEMSET), 1);
    assert_true(set->value == 7 && set->bytes == BYTES && set->memory == 3 && set->start >= across->end);
    assert_true(set->context == b.context_id && set->stream == b.stream_id && set->device == 0);
    SUCCEEDS(cuMemFreeHost(pinned));
    tear_down(&b);
}

static void commands_of_a_stream_keep_their_order_and_their_gaps(void **state)
{
    (void)state;
    enum { LAUNCHES = 5 };
    struct bench b;
    CUevent event[2];
    set_up(&b);
    for (int i = 0; i < 2; i++)
        SUCCEEDS(cuEventCreate(&event[i], 0));
    struct gate gate = {false}; /* the device has all work before it begins */
    SUCCEEDS(cuLaunchHostFunc(NULL, wait_at_gate, &gate));
    SUCCEEDS(cuEventRecord(event[0], NULL));
    for (int i = 0; i < LAUNCHES; i++)
        saxpy_launch(&b.saxpy, NULL);
    SUCCEEDS(cuEventRecord(event[1], NULL));
    atomic_store(&gate.open, true);
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(log_count(ACTIVITY_CONCURRENT_KERNEL), LAUNCHES);
    uint64_t last = 0, busy = 0;
    for (size_t i = 0; i < LAUNCHES; i++) {
        const struct record_kernel *k = log_record(ACTIVITY_CONCURRENT_KERNEL, i);
        const struct record_api *call = log_call(ACTIVITY_DRIVER, LAUNCH, i);
        assert_int_equal(k->correlation, call->correlation);
        assert_true(k->start >= call->start && k->start >= last && k->end > k->start);
        last = k->end;
        busy += k->end - k->start;
    }
    double expected = (double)elapsed(event[0], event[1]) * 1e6;
    assert_true(fabs((double)busy - expected) <= LAUNCHES + 1e-6 * expected);
    tear_down(&b);
}

static void kernels_of_two_streams_overlap_as_they_do_in_simulated_time(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b);
    CUstream one = new_stream(STREAM_NON_BLOCKING_FLAG), other = new_stream(STREAM_NON_BLOCKING_FLAG);
    uint32_t id[2];
    GOOD(cuptiGetStreamIdEx(b.context, one, 0, &id[0]));
    GOOD(cuptiGetStreamIdEx(b.context, other, 0, &id[1]));
    saxpy_launch(&b.saxpy, one);
    saxpy_launch(&b.saxpy, other);
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(log_count(ACTIVITY_CONCURRENT_KERNEL), 2);
    const struct record_kernel *k[2] = {log_record(ACTIVITY_CONCURRENT_KERNEL, 0),
                                        log_record(ACTIVITY_CONCURRENT_KERNEL, 1)};
    assert_true(k[0]->stream != k[1]->stream);
    for (int i = 0; i < 2; i++) {
        assert_true(k[i]->stream == id[0] || k[i]->stream == id[1]);
        size_t n = k[i]->stream == id[1];
        assert_int_equal(k[i]->correlation, log_call(ACTIVITY_DRIVER, LAUNCH, n)->correlation);
        assert_true(k[i]->start >= log_call(ACTIVITY_DRIVER, LAUNCH, n)->start);
    }
    SUCCEEDS(cuStreamDestroy_v2(one));
    SUCCEEDS(cuStreamDestroy_v2(other));
    tear_down(&b);
}

static void nodes_of_a_graph_have_the_number_of_its_launch(void **state)
{
    (void)state;
    struct bench b;
    CUgraph graph;
    CUgraphExec exec;
    set_up(&b);
    CUstream stream = new_stream(STREAM_NON_BLOCKING_FLAG);
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    saxpy_launch(&b.saxpy, stream);
    SUCCEEDS(cuMemsetD32Async(b.saxpy.x, 0, SAXPY_COUNT, stream));
    SUCCEEDS(cuStreamEndCapture(stream, &graph));
    SUCCEEDS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    SUCCEEDS(cuGraphLaunch(exec, stream));
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    const struct record_kernel *k = log_record(ACTIVITY_CONCURRENT_KERNEL, 0);
    const struct record_set *set = log_record(ACTIVITY_MEMSET, 0);
    const struct record_api *call = log_call(ACTIVITY_DRIVER, GRAPH_LAUNCH, 0);
    assert_true(k && set && call && log_count(ACTIVITY_CONCURRENT_KERNEL) == 1);
    assert_true(k->correlation == call->correlation && set->correlation == call->correlation);
    assert_true(k->start >= call->start && set->start >= k->end);
    SUCCEEDS(cuGraphExecDestroy(exec));
    SUCCEEDS(cuGraphDestroy(graph));
    SUCCEEDS(cuStreamDestroy_v2(stream));
    tear_down(&b);
}

static const struct record_wait *wait_of(size_t n) { return log_record(ACTIVITY_SYNCHRONIZATION, n); }

static void waits_name_the_event_stream_or_context_that_they_are_for(void **state)
{
    (void)state;
    enum { EVENT = 1, STREAM_FOR_EVENT, STREAM, CONTEXT, WAITS }; /* CUpti_ActivitySynchronizationType */
    struct bench b;
    CUevent event[2];
    uint32_t stream_id;
    set_up(&b);
    CUstream stream = new_stream(0);
    GOOD(cuptiGetStreamIdEx(NULL, stream, 0, &stream_id));
    GOOD(cuptiActivityEnable(ACTIVITY_SYNCHRONIZATION));
    for (int i = 0; i < 2; i++) {
        SUCCEEDS(cuEventCreate(&event[i], 0));
        SUCCEEDS(cuEventRecord(event[i], NULL));
    }
    SUCCEEDS(cuEventSynchronize(event[1]));
    SUCCEEDS(cuStreamWaitEvent(stream, event[0], 0));
    SUCCEEDS(cuStreamSynchronize(stream));
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(log_count(ACTIVITY_SYNCHRONIZATION), WAITS - 1);
    for (uint32_t i = 0; i < WAITS - 1; i++) {
        const struct record_wait *w = wait_of(i);
        assert_true(w->type == i + 1 && w->context == b.context_id && w->end >= w->start && w->result == 0);
        assert_true((w->stream == stream_id) == (w->type == STREAM || w->type == STREAM_FOR_EVENT));
        assert_true(w->stream == stream_id || w->stream == NOT_APPLICABLE);
        assert_true((w->event == NOT_APPLICABLE) == (w->type == STREAM || w->type == CONTEXT));
    }
    assert_true(wait_of(0)->event != wait_of(1)->event);
    assert_int_equal(wait_of(3)->correlation, log_call(ACTIVITY_DRIVER, SYNCHRONIZE, 0)->correlation);
    SUCCEEDS(cuStreamDestroy_v2(stream));
    tear_down(&b);
}

static void a_kernel_that_was_submitted_before_the_profiler_came_has_no_record(void **state)
{
    (void)state;
    struct bench b;
    struct gate gate = {false};
    set_up(&b);
    log_end();
    SUCCEEDS(cuLaunchHostFunc(NULL, wait_at_gate, &gate));
    saxpy_launch(&b.saxpy, NULL);
    log_start(1 << 16, 0);
    GOOD(cuptiActivityEnable(ACTIVITY_KERNEL));
    saxpy_launch(&b.saxpy, NULL);
    atomic_store(&gate.open, true);
    SUCCEEDS(cuCtxSynchronize());
    GOOD(cuptiActivityFlushAll(0));
    assert_int_equal(record_log.count, 1);
    assert_int_equal(log_count(ACTIVITY_KERNEL), 1);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_has_its_shape_its_needs_and_its_simulated_time),
        cmocka_unit_test(copies_and_sets_have_their_bytes_memories_and_times),
        cmocka_unit_test(commands_of_a_stream_keep_their_order_and_their_gaps),
        cmocka_unit_test(kernels_of_two_streams_overlap_as_they_do_in_simulated_time),
        cmocka_unit_test(nodes_of_a_graph_have_the_number_of_its_launch),
        cmocka_unit_test(waits_name_the_event_stream_or_context_that_they_are_for),
        cmocka_unit_test(a_kernel_that_was_submitted_before_the_profiler_came_has_no_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
