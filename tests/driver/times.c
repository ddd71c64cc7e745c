/* Simulated time: the events' times, against times worked out by hand. */
#include <math.h>

#include "driver/abi/api_graph.h"
#include "tests/driver/notes.h"
#include "tests/driver/saxpy.h"

/* 10 us and 1 MB at 10 GB/s; 10 us and 1 MB at 5 GB/s. */
static const double in_ms = 0.110, out_ms = 0.210;
enum { BYTES = 1000000 };

struct bench {
    CUcontext context;
    CUstream stream[2]; /* that do not wait for the legacy stream */
    CUevent event[3];
    void *host;
    CUdeviceptr device;
    struct saxpy saxpy;
};

static void set_up(struct bench *b, unsigned flags)
{
    setenv("SUBCORE_SET", "host.link_in=10\nhost.link_out=5\nhost.copy_latency=10", 1);
    b->context = rig_context("rtx-a6000");
    for (int i = 0; i < 2; i++)
        b->stream[i] = new_stream(flags);
    for (int i = 0; i < 3; i++)
        SUCCEEDS(cuEventCreate(&b->event[i], 0));
    SUCCEEDS(cuMemHostAlloc(&b->host, 2 * BYTES, 0));
    SUCCEEDS(cuMemAlloc_v2(&b->device, 2 * BYTES));
    saxpy_open(&b->saxpy);
    SUCCEEDS(cuCtxSynchronize());
}

static void tear_down(struct bench *b) { SUCCEEDS(cuCtxDestroy_v2(b->context)); }

static void copy_in(struct bench *b, CUstream stream)
{
    SUCCEEDS(cuMemcpyHtoDAsync_v2(b->device, b->host, BYTES, stream));
}

static void copy_out(struct bench *b, CUstream stream)
{
    SUCCEEDS(cuMemcpyDtoHAsync_v2((char *)b->host + BYTES, b->device + BYTES, BYTES, stream));
}

/* Milliseconds from event to event. */
static void takes(struct bench *b, int from, int to, double ms)
{
    float found = -1;
    SUCCEEDS(cuEventSynchronize(b->event[to]));
    SUCCEEDS(cuEventElapsedTime(&found, b->event[from], b->event[to]));
    if (fabs(found - ms) > 1e-6)
        fail_msg("%.7f ms instead of %.7f", found, ms);
}

static void a_copy_takes_the_latency_and_its_bytes_over_the_link(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, STREAM_NON_BLOCKING_FLAG);
    SUCCEEDS(cuEventRecord(b.event[0], b.stream[0]));
    copy_in(&b, b.stream[0]);
    SUCCEEDS(cuEventRecord(b.event[1], b.stream[0]));
    copy_out(&b, b.stream[0]);
    SUCCEEDS(cuEventRecord(b.event[2], b.stream[0]));
    takes(&b, 0, 1, in_ms);
    takes(&b, 1, 2, out_ms);
    takes(&b, 2, 0, -in_ms - out_ms);
    tear_down(&b);
}

/* The time for something in two streams, from before both to after both. */
static void both_take(struct bench *b, void (*first)(struct bench *, CUstream),
                      void (*second)(struct bench *, CUstream), double ms)
{
    SUCCEEDS(cuEventRecord(b->event[0], b->stream[0]));
    SUCCEEDS(cuStreamWaitEvent(b->stream[1], b->event[0], 0));
    first(b, b->stream[0]);
    second(b, b->stream[1]);
    SUCCEEDS(cuEventRecord(b->event[1], b->stream[1]));
    SUCCEEDS(cuStreamWaitEvent(b->stream[0], b->event[1], 0));
    SUCCEEDS(cuEventRecord(b->event[2], b->stream[0]));
    takes(b, 0, 2, ms);
}

static void kernel(struct bench *b, CUstream stream) { saxpy_launch(&b->saxpy, stream); }

static double time_of_kernel(struct bench *b)
{
    float ms = 0;
    SUCCEEDS(cuEventRecord(b->event[0], b->stream[0]));
    kernel(b, b->stream[0]);
    SUCCEEDS(cuEventRecord(b->event[1], b->stream[0]));
    SUCCEEDS(cuEventSynchronize(b->event[1]));
    SUCCEEDS(cuEventElapsedTime(&ms, b->event[0], b->event[1]));
    assert_true(ms > 0 && (double)ms < in_ms);
    return (double)ms;
}

static void copies_of_both_directions_and_kernels_overlap_and_others_do_not(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, STREAM_NON_BLOCKING_FLAG);
    both_take(&b, copy_in, copy_out, out_ms);
    both_take(&b, copy_in, copy_in, 2 * in_ms);
    both_take(&b, copy_out, copy_out, 2 * out_ms);
    double kernel_ms = time_of_kernel(&b);
    both_take(&b, kernel, copy_in, in_ms);
    both_take(&b, kernel, kernel, 2 * kernel_ms);
    tear_down(&b);
}

static void the_legacy_stream_stands_between_blocking_streams_only(void **state)
{
    (void)state;
    for (unsigned blocking = 0; blocking < 2; blocking++) {
        struct bench b;
        set_up(&b, blocking ? 0 : STREAM_NON_BLOCKING_FLAG);
        double kernel_ms = time_of_kernel(&b);
        SUCCEEDS(cuEventRecord(b.event[0], b.stream[0]));
        copy_in(&b, b.stream[0]);
        copy_out(&b, NULL);
        SUCCEEDS(cuEventRecord(b.event[1], NULL));
        kernel(&b, b.stream[1]);
        copy_in(&b, b.stream[1]);
        SUCCEEDS(cuEventRecord(b.event[2], b.stream[1]));
        takes(&b, 0, 1, blocking ? in_ms + out_ms : out_ms);
        if (!blocking)
            takes(&b, 0, 2, 2 * in_ms);
        else
            takes(&b, 1, 2, kernel_ms + in_ms);
        tear_down(&b);
    }
}

static void what_is_submitted_after_a_wait_begins_after_it(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, STREAM_NON_BLOCKING_FLAG);
    SUCCEEDS(cuEventRecord(b.event[0], b.stream[0]));
    copy_in(&b, b.stream[0]);
    SUCCEEDS(cuEventRecord(b.event[1], b.stream[1])); /* nobody has waited */
    SUCCEEDS(cuStreamSynchronize(b.stream[0]));
    SUCCEEDS(cuEventRecord(b.event[2], b.stream[1]));
    takes(&b, 0, 1, 0);
    takes(&b, 0, 2, in_ms);
    tear_down(&b);
}

static void an_event_keeps_the_time_of_its_latest_record(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, STREAM_NON_BLOCKING_FLAG);
    SUCCEEDS(cuEventRecord(b.event[0], b.stream[0]));
    SUCCEEDS(cuEventRecord(b.event[1], b.stream[0]));
    SUCCEEDS(cuStreamWaitEvent(b.stream[1], b.event[1], 0)); /* for this record and no later one */
    copy_in(&b, b.stream[0]);
    SUCCEEDS(cuEventRecord(b.event[1], b.stream[0]));
    SUCCEEDS(cuEventRecord(b.event[2], b.stream[1]));
    takes(&b, 0, 1, in_ms);
    takes(&b, 0, 2, 0);
    tear_down(&b);
}

static void nodes_of_a_graph_are_like_commands_of_different_streams(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, STREAM_NON_BLOCKING_FLAG);
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    SUCCEEDS(cuStreamBeginCapture_v2(b.stream[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
    SUCCEEDS(cuEventRecord(b.event[0], b.stream[0]));
    SUCCEEDS(cuStreamWaitEvent(b.stream[1], b.event[0], 0));
    copy_in(&b, b.stream[0]);
    copy_out(&b, b.stream[1]);
    SUCCEEDS(cuEventRecord(b.event[1], b.stream[1]));
    SUCCEEDS(cuStreamWaitEvent(b.stream[0], b.event[1], 0));
    copy_in(&b, b.stream[0]); /* behind both */
    SUCCEEDS(cuStreamEndCapture(b.stream[0], &graph));
    SUCCEEDS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    SUCCEEDS(cuEventRecord(b.event[0], b.stream[0]));
    SUCCEEDS(cuGraphLaunch(exec, b.stream[0]));
    SUCCEEDS(cuEventRecord(b.event[1], b.stream[0]));
    SUCCEEDS(cuGraphLaunch(exec, b.stream[1])); /* one after the other */
    SUCCEEDS(cuEventRecord(b.event[2], b.stream[1]));
    takes(&b, 0, 1, out_ms + in_ms);
    takes(&b, 1, 2, out_ms + in_ms);
    tear_down(&b);
}

static void elapsed_time_needs_two_events_that_have_been_reached(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, STREAM_NON_BLOCKING_FLAG);
    float ms;
    CUevent untimed = NULL, other = NULL;
    struct gate gate = {false};
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, b.event[0], b.event[1])); /* never recorded */
    SUCCEEDS(cuEventRecord(b.event[0], b.stream[0]));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, b.event[0], b.event[1]));
    SUCCEEDS(cuLaunchHostFunc(b.stream[0], wait_at_gate, &gate));
    SUCCEEDS(cuEventRecord(b.event[1], b.stream[0]));
    ANSWERS(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&ms, b.event[0], b.event[1]));
    atomic_store(&gate.open, true);
    SUCCEEDS(cuEventSynchronize(b.event[1]));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuEventElapsedTime(NULL, b.event[0], b.event[1]));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, b.event[0], (CUevent)(void *)&ms));
    SUCCEEDS(cuEventCreate(&untimed, 2));
    SUCCEEDS(cuEventRecord(untimed, b.stream[0]));
    SUCCEEDS(cuEventSynchronize(untimed));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, b.event[0], untimed));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&other, 8));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuEventCreate(NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&other, 4)); /* between processes only without timing, */
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuEventCreate(&other, 6)); /* and then not here */
    SUCCEEDS(cuEventDestroy_v2(untimed));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy_v2(untimed));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(untimed, b.stream[0]));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuStreamWaitEvent(b.stream[0], untimed, 0));
    tear_down(&b);
}

UNIT_TESTS(UNIT(a_copy_takes_the_latency_and_its_bytes_over_the_link),
           UNIT(copies_of_both_directions_and_kernels_overlap_and_others_do_not),
           UNIT(the_legacy_stream_stands_between_blocking_streams_only),
           UNIT(what_is_submitted_after_a_wait_begins_after_it), UNIT(an_event_keeps_the_time_of_its_latest_record),
           UNIT(nodes_of_a_graph_are_like_commands_of_different_streams),
           UNIT(elapsed_time_needs_two_events_that_have_been_reached))
