/* Kernels that overlap: streams, events, priorities and programmatic dependent launch, timed on an H200. The kernels
 * are those of tests/gpu/overlap.cu, which tell where and when their CTAs were. */
#include <stdlib.h>
#include <unistd.h>

#include "driver/abi/api_device.h"
#include "driver/abi/api_graph.h"
#include "driver/abi/api_memory.h"
#include "driver/abi/api_module.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

enum { CTAS = 1100, KERNELS = 4, SMS = 132, NON_BLOCKING = 1 };

struct note {
    uint64_t begin, end;
    uint32_t sm, first;
};

struct bench {
    CUcontext context;
    CUmodule module;
    CUstream stream[3];
    CUevent event[3];
    CUdeviceptr notes[KERNELS], cells;
    struct note note[KERNELS][CTAS];
};

static void set_up(struct bench *b, unsigned flags)
{
    char path[4096];
    setenv("SUBCORE_MODE", "detailed", 1);
    memset(b, 0, sizeof *b);
    b->context = rig_context("h200");
    SUCCEEDS(cuModuleLoad(&b->module, unit_path(path, "tests/gpu/cubin/overlap.sm_90.cubin")));
    for (int i = 0; i < 3; i++) {
        SUCCEEDS(cuStreamCreateWithPriority(&b->stream[i], flags, i == 2 ? -5 : 0));
        SUCCEEDS(cuEventCreate(&b->event[i], 0));
    }
    for (int i = 0; i < KERNELS; i++) {
        SUCCEEDS(cuMemAlloc_v2(&b->notes[i], CTAS * sizeof(struct note)));
        SUCCEEDS(cuMemsetD8_v2(b->notes[i], 0, CTAS * sizeof(struct note)));
    }
    SUCCEEDS(cuMemAlloc_v2(&b->cells, 4 * 2000000));
    SUCCEEDS(cuCtxSynchronize());
}

static void take_notes(struct bench *b)
{
    for (int i = 0; i < KERNELS; i++)
        SUCCEEDS(cuMemcpyDtoH_v2(b->note[i], b->notes[i], sizeof b->note[i]));
}

static void tear_down(struct bench *b) { SUCCEEDS(cuCtxDestroy_v2(b->context)); }

/* Kernel `number` of the test. */
static void launch_as(struct bench *b, int number, const char *name, unsigned ctas, unsigned shared, unsigned steps,
                      CUstream stream, bool programmatic)
{
    CUfunction function;
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                   .value.programmaticStreamSerializationAllowed = programmatic};
    const CUlaunchConfig config = {.gridDimX = ctas,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = 32,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .sharedMemBytes = shared,
                                   .hStream = stream,
                                   .attrs = &attribute,
                                   .numAttrs = 1};
    void *parameters[] = {&b->notes[number], &b->cells, &steps};
    SUCCEEDS(cuModuleGetFunction(&function, b->module, name));
    if (shared)
        SUCCEEDS(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared));
    SUCCEEDS(cuLaunchKernelEx(&config, function, parameters, NULL));
}

static void launch(struct bench *b, int number, unsigned ctas, CUstream stream)
{
    launch_as(b, number, "busy", ctas, 0, 1000, stream, false);
}

static bool overlap(const struct bench *b, int one, int other)
{
    const struct note *a = b->note[one], *c = b->note[other];
    assert_true(a->begin > 0 && c->begin > 0);
    return a->begin < c->end && c->begin < a->end;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static void kernels_of_two_streams_take_the_time_of_one(void **state)
{
    (void)state;
    struct bench b;
    float one, both;
    set_up(&b, NON_BLOCKING);
    SUCCEEDS(cuEventRecord(b.event[0], b.stream[0]));
    launch(&b, 0, SMS / 2, b.stream[0]);
    SUCCEEDS(cuEventRecord(b.event[1], b.stream[0]));
    launch(&b, 1, SMS / 2, b.stream[1]);
    SUCCEEDS(cuEventRecord(b.event[2], b.stream[1]));
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuEventElapsedTime(&one, b.event[0], b.event[1]));
    SUCCEEDS(cuEventElapsedTime(&both, b.event[0], b.event[2]));
    take_notes(&b);
    assert_true(overlap(&b, 0, 1));
    assert_true(one > 0 && both > one * 0.95F && both < one * 1.05F);
    tear_down(&b);
}

static void kernels_of_one_stream_do_not_overlap(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, NON_BLOCKING);
    launch(&b, 0, 10, b.stream[0]);
    launch(&b, 1, 10, b.stream[0]);
    SUCCEEDS(cuCtxSynchronize());
    take_notes(&b);
    assert_false(overlap(&b, 0, 1));
    tear_down(&b);
}

/* A command on the way of a stream holds it up while others run. */
static void a_stream_that_waits_for_an_event_begins_behind_it(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, NON_BLOCKING);
    launch(&b, 0, 10, b.stream[0]);
    SUCCEEDS(cuEventRecord(b.event[0], b.stream[0]));
    SUCCEEDS(cuStreamWaitEvent(b.stream[1], b.event[0], 0));
    launch(&b, 1, 10, b.stream[1]);
    launch_as(&b, 2, "busy", 10, 0, 4000, b.stream[2], false);
    SUCCEEDS(cuCtxSynchronize());
    take_notes(&b);
    assert_false(overlap(&b, 0, 1));
    assert_true(overlap(&b, 0, 2) && overlap(&b, 1, 2));
    tear_down(&b);
}

static void the_legacy_stream_waits_for_blocking_streams_only(void **state)
{
    (void)state;
    for (unsigned flags = 0; flags <= NON_BLOCKING; flags++) {
        struct bench b;
        set_up(&b, flags);
        launch(&b, 0, 10, b.stream[0]);
        launch(&b, 1, 10, NULL);
        launch(&b, 2, 10, b.stream[1]);
        SUCCEEDS(cuCtxSynchronize());
        take_notes(&b);
        assert_int_equal(overlap(&b, 0, 1), flags == NON_BLOCKING);
        assert_int_equal(overlap(&b, 1, 2), flags == NON_BLOCKING);
        assert_int_equal(overlap(&b, 0, 2), flags == NON_BLOCKING);
        tear_down(&b);
    }
}

static void a_stream_of_a_higher_priority_passes_others(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, NON_BLOCKING);
    launch_as(&b, 0, "shared_busy", 8 * SMS, 100000, 200, b.stream[0], false);
    launch_as(&b, 1, "shared_busy", SMS, 100000, 200, b.stream[1], false);
    launch_as(&b, 2, "shared_busy", SMS, 100000, 200, b.stream[2], false);
    SUCCEEDS(cuCtxSynchronize());
    take_notes(&b);
    assert_true(b.note[2][SMS - 1].end < b.note[0][8 * SMS - 1].begin);
    assert_true(b.note[0][8 * SMS - 1].begin < b.note[1][SMS - 1].begin);
    tear_down(&b);
}

/* Nanoseconds since the first kernel began. The clock of the device goes on from test to test. */
static void since_first(const struct bench *b, int64_t out[6])
{
    for (int i = 0; i < 3; i++) {
        out[2 * i] = (int64_t)(b->note[i][9].begin - b->note[0][0].begin);
        out[2 * i + 1] = (int64_t)(b->note[i][9].end - b->note[0][0].begin);
    }
}

/* The host's own time does not count, whenever it makes its calls. */
static void what_overlaps_does_not_depend_on_the_time_of_the_host(void **state)
{
    (void)state;
    int64_t first[6], times[6];
    for (unsigned pause = 0; pause <= 300000; pause += 150000) {
        struct bench b;
        set_up(&b, NON_BLOCKING);
        launch(&b, 0, 10, b.stream[0]);
        usleep(pause);
        launch_as(&b, 1, "busy", 10, 0, 9000, b.stream[1], false);
        SUCCEEDS(cuStreamSynchronize(b.stream[0]));
        usleep(pause);
        launch(&b, 2, 10, b.stream[2]);
        SUCCEEDS(cuCtxSynchronize());
        take_notes(&b);
        assert_true(overlap(&b, 0, 1) && overlap(&b, 1, 2) && !overlap(&b, 0, 2));
        since_first(&b, pause ? times : first);
        for (int i = 0; i < 6 && pause; i++)
            assert_true(labs(times[i] - first[i]) <= 32); /* the timer's step on this GPU */
        tear_down(&b);
    }
}

/* It asks, or looks at memory, and does not wait. */
static void a_program_that_does_not_wait_gets_on(void **state)
{
    (void)state;
    struct bench b;
    CUresult result = CUDA_ERROR_NOT_READY;
    struct note *seen;
    set_up(&b, NON_BLOCKING);
    launch(&b, 0, 10, b.stream[0]);
    while (result == CUDA_ERROR_NOT_READY)
        result = cuStreamQuery(b.stream[0]);
    assert_int_equal(result, CUDA_SUCCESS);
    CUdeviceptr own = b.notes[1];
    SUCCEEDS(cuMemHostAlloc((void **)&seen, CTAS * sizeof *seen, 0));
    memset(seen, 0, CTAS * sizeof *seen);
    b.notes[1] = (CUdeviceptr)(uintptr_t)seen;
    launch(&b, 1, 10, b.stream[1]);
    while (!((volatile struct note *)seen)->end)
        usleep(1000);
    b.notes[1] = own;
    tear_down(&b);
}

static void kernels_that_wait_for_each_other_both_end(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, NON_BLOCKING);
    SUCCEEDS(cuMemsetD8_v2(b.cells, 0, 64));
    for (unsigned i = 0; i < 2; i++)
        launch_as(&b, (int)i, "meets", 20, 0, i, b.stream[i], false);
    SUCCEEDS(cuCtxSynchronize());
    take_notes(&b);
    assert_true(overlap(&b, 0, 1));
    tear_down(&b);
}

static void a_fault_ends_all_that_is_in_flight(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, NON_BLOCKING);
    launch_as(&b, 0, "busy", 20, 0, 100000000, b.stream[0], false);
    launch_as(&b, 1, "fails", 20, 0, 80, b.stream[1], false);
    launch(&b, 2, 20, b.stream[2]);
    launch(&b, 3, 20, b.stream[1]);
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(b.stream[0]));
    ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    tear_down(&b);
    set_up(&b, NON_BLOCKING);
    launch(&b, 0, 20, b.stream[0]);
    launch(&b, 1, 20, b.stream[1]);
    SUCCEEDS(cuCtxSynchronize());
    take_notes(&b);
    assert_true(overlap(&b, 0, 1));
    tear_down(&b);
}

/* ---- programmatic dependent launch ------------------------------------------------------------------------------- */

static void launch_pair(struct bench *b, CUstream stream, bool programmatic)
{
    launch_as(b, 0, "primary", SMS, 0, 1500, stream, false);
    launch_as(b, 1, "secondary", SMS, 0, 10, stream, programmatic);
}

/* begin: of its first CTA; end: behind the wait. */
static void check_pair(struct bench *b, bool programmatic)
{
    uint64_t last = 0;
    take_notes(b);
    for (int i = 0; i < SMS; i++)
        last = b->note[0][i].end > last ? b->note[0][i].end : last;
    for (int i = 0; i < SMS; i++) {
        assert_int_equal(b->note[1][i].first, 7);
        assert_int_equal(b->note[1][i].begin < last, programmatic);
        assert_true(b->note[1][i].end >= last);
    }
}

static void a_launch_with_programmatic_serialization_begins_early(void **state)
{
    (void)state;
    for (unsigned stream = 0; stream < 2; stream++)
        for (unsigned programmatic = 0; programmatic < 2; programmatic++) {
            struct bench b;
            set_up(&b, 0);
            launch_pair(&b, stream ? b.stream[0] : NULL, programmatic);
            SUCCEEDS(cuCtxSynchronize());
            check_pair(&b, programmatic);
            tear_down(&b);
        }
}

static void what_is_behind_both_waits_for_both(void **state)
{
    (void)state;
    struct bench b;
    set_up(&b, 0);
    launch_pair(&b, b.stream[0], true);
    launch(&b, 2, 10, b.stream[0]);
    SUCCEEDS(cuCtxSynchronize());
    check_pair(&b, true);
    for (int i = 0; i < SMS; i++)
        assert_true(b.note[2][0].begin > b.note[0][i].end && b.note[2][0].begin > b.note[1][i].end);
    tear_down(&b);
}

static void a_captured_pair_keeps_its_programmatic_edge(void **state)
{
    (void)state;
    for (unsigned programmatic = 0; programmatic < 2; programmatic++) {
        struct bench b;
        CUgraph graph;
        CUgraphExec exec;
        CUgraphEdgeData data = {0};
        CUgraphNode from, to;
        size_t edges = 1;
        set_up(&b, 0);
        SUCCEEDS(cuStreamBeginCapture_v2(b.stream[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
        launch_pair(&b, b.stream[0], programmatic);
        SUCCEEDS(cuStreamEndCapture(b.stream[0], &graph));
        SUCCEEDS(cuGraphGetEdges_v2(graph, &from, &to, &data, &edges));
        assert_int_equal(edges, 1);
        assert_int_equal(data.type, programmatic);
        assert_int_equal(data.from_port, programmatic);
        SUCCEEDS(cuGraphInstantiateWithFlags(&exec, graph, 0));
        SUCCEEDS(cuGraphLaunch(exec, b.stream[0]));
        SUCCEEDS(cuCtxSynchronize());
        check_pair(&b, programmatic);
        SUCCEEDS(cuGraphExecDestroy(exec));
        SUCCEEDS(cuGraphDestroy(graph));
        tear_down(&b);
    }
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

static void branches_of_a_graph_overlap(void **state)
{
    (void)state;
    struct bench b;
    CUgraph graph;
    CUgraphExec exec;
    set_up(&b, NON_BLOCKING);
    SUCCEEDS(cuStreamBeginCapture_v2(b.stream[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
    SUCCEEDS(cuEventRecord(b.event[0], b.stream[0]));
    SUCCEEDS(cuStreamWaitEvent(b.stream[1], b.event[0], 0));
    launch(&b, 0, 10, b.stream[0]);
    launch(&b, 1, 10, b.stream[1]);
    SUCCEEDS(cuEventRecord(b.event[1], b.stream[1]));
    SUCCEEDS(cuStreamWaitEvent(b.stream[0], b.event[1], 0));
    launch(&b, 2, 10, b.stream[0]);
    SUCCEEDS(cuStreamEndCapture(b.stream[0], &graph));
    SUCCEEDS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    SUCCEEDS(cuGraphLaunch(exec, b.stream[0]));
    SUCCEEDS(cuCtxSynchronize());
    take_notes(&b);
    assert_true(overlap(&b, 0, 1));
    assert_false(overlap(&b, 0, 2) || overlap(&b, 1, 2));
    SUCCEEDS(cuGraphExecDestroy(exec));
    SUCCEEDS(cuGraphDestroy(graph));
    tear_down(&b);
}

UNIT_TESTS(UNIT(kernels_of_two_streams_take_the_time_of_one), UNIT(kernels_of_one_stream_do_not_overlap),
           UNIT(a_stream_that_waits_for_an_event_begins_behind_it),
           UNIT(the_legacy_stream_waits_for_blocking_streams_only), UNIT(a_stream_of_a_higher_priority_passes_others),
           UNIT(what_overlaps_does_not_depend_on_the_time_of_the_host), UNIT(a_program_that_does_not_wait_gets_on),
           UNIT(kernels_that_wait_for_each_other_both_end), UNIT(a_fault_ends_all_that_is_in_flight),
           UNIT(a_launch_with_programmatic_serialization_begins_early), UNIT(what_is_behind_both_waits_for_both),
           UNIT(a_captured_pair_keeps_its_programmatic_edge), UNIT(branches_of_a_graph_overlap))
