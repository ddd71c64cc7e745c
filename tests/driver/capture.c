#include "driver/abi/api_graph.h"
#include "driver/abi/api_stream.h"

#include <pthread.h>

#include "tests/driver/notes.h"

static CUstream stream_that_captures(CUstreamCaptureMode mode)
{
    CUstream stream = new_stream(0);
    SUCCEEDS(cuStreamBeginCapture_v2(stream, mode));
    return stream;
}

static CUstreamCaptureStatus status_of(CUstream stream)
{
    CUstreamCaptureStatus status = (CUstreamCaptureStatus)77;
    SUCCEEDS(cuStreamIsCapturing(stream, &status));
    return status;
}

static size_t nodes_of(CUgraph graph)
{
    size_t count = 99;
    SUCCEEDS(cuGraphGetNodes(graph, NULL, &count));
    return count;
}

static void a_captured_stream_runs_nothing_until_its_graph_is_launched(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note a = {&log, 'a'}, b = {&log, 'b'};
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CUstream stream = stream_that_captures(CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(status_of(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    submit_note(stream, &a);
    submit_note(stream, &b);
    SUCCEEDS(cuStreamEndCapture(stream, &graph));
    assert_int_equal(status_of(stream), CU_STREAM_CAPTURE_STATUS_NONE);
    assert_int_equal(nodes_of(graph), 2);
    SUCCEEDS(cuStreamSynchronize(stream));
    assert_string_equal(log.text, "");
    SUCCEEDS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    SUCCEEDS(cuGraphDestroy(graph));
    for (int i = 0; i < 3; i++)
        SUCCEEDS(cuGraphLaunch(exec, stream));
    SUCCEEDS(cuGraphExecDestroy(exec));
    SUCCEEDS(cuStreamSynchronize(stream));
    assert_string_equal(log.text, "ababab");
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void streams_fork_and_join_through_events(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note notes[4] = {{&log, 'a'}, {&log, 'b'}, {&log, 'c'}, {&log, 'd'}};
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CUevent fork = NULL, join = NULL;
    CUstream stream = new_stream(0), other = new_stream(STREAM_NON_BLOCKING_FLAG);
    SUCCEEDS(cuEventCreate(&fork, 0));
    SUCCEEDS(cuEventCreate(&join, 0));
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    submit_note(stream, &notes[0]);
    SUCCEEDS(cuEventRecord(fork, stream));
    SUCCEEDS(cuStreamWaitEvent(other, fork, 0));
    assert_int_equal(status_of(other), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    submit_note(other, &notes[1]);
    submit_note(stream, &notes[2]);
    SUCCEEDS(cuEventRecord(join, other));
    SUCCEEDS(cuStreamWaitEvent(stream, join, 0));
    submit_note(stream, &notes[3]);
    SUCCEEDS(cuStreamEndCapture(stream, &graph));
    assert_int_equal(status_of(other), CU_STREAM_CAPTURE_STATUS_NONE);

    size_t edges = 0, roots = 0;
    SUCCEEDS(cuGraphGetEdges(graph, NULL, NULL, &edges));
    SUCCEEDS(cuGraphGetRootNodes(graph, NULL, &roots));
    assert_int_equal(nodes_of(graph), 4);
    assert_int_equal(edges, 4);
    assert_int_equal(roots, 1);
    SUCCEEDS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    SUCCEEDS(cuGraphLaunch(exec, NULL));
    SUCCEEDS(cuStreamSynchronize(NULL));
    assert_string_equal(log.text, "abcd");
    ANSWERS(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(fork));
    ANSWERS(CUDA_ERROR_CAPTURED_EVENT, cuEventSynchronize(join));
    SUCCEEDS(cuEventRecord(fork, stream)); /* an event like any other again */
    SUCCEEDS(cuEventSynchronize(fork));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

/* Ends a capture that has become invalid. The stream is usable then. */
static void end_invalid(CUstream stream)
{
    CUgraph graph = (CUgraph)1;
    assert_int_equal(status_of(stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuLaunchHostFunc(stream, write_note, NULL));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    assert_null(graph);
    assert_int_equal(status_of(stream), CU_STREAM_CAPTURE_STATUS_NONE);
    SUCCEEDS(cuStreamSynchronize(stream));
}

static void unused(CUstream stream, CUresult result, void *data) { (void)stream, (void)result, (void)data; }

static void what_cannot_be_captured_makes_the_capture_invalid(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUstream stream = stream_that_captures(CU_STREAM_CAPTURE_MODE_RELAXED);
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(stream));
    end_invalid(stream);
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamQuery(stream));
    end_invalid(stream);
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamAddCallback(stream, unused, NULL, 0));
    end_invalid(stream);
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamSynchronize(NULL));
    end_invalid(stream);
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuLaunchHostFunc(NULL, write_note, NULL));
    end_invalid(stream);
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuCtxSynchronize());
    end_invalid(stream);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_question_about_the_legacy_stream_harms_no_capture(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUstreamCaptureStatus status;
    CUgraph graph = NULL;
    CUstream stream = stream_that_captures(CU_STREAM_CAPTURE_MODE_GLOBAL);
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamIsCapturing(NULL, &status));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamGetCaptureInfo(NULL, &status, NULL));
    SUCCEEDS(cuStreamEndCapture(stream, &graph));
    SUCCEEDS(cuStreamIsCapturing(NULL, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    SUCCEEDS(cuGraphDestroy(graph));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_capture_ends_where_it_began_and_with_all_streams_joined(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note note = {&log, 'a'};
    CUgraph graph = NULL;
    CUevent event = NULL;
    SUCCEEDS(cuEventCreate(&event, 0));
    CUstream stream = new_stream(0), other = new_stream(0);
    ANSWERS(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, &graph));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture_v2(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuStreamBeginCapture_v2(stream, (CUstreamCaptureMode)3));

    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    ANSWERS(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    SUCCEEDS(cuEventRecord(event, stream));
    SUCCEEDS(cuStreamWaitEvent(other, event, 0));
    submit_note(other, &note);
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(stream, &graph));
    assert_null(graph);
    assert_int_equal(status_of(other), CU_STREAM_CAPTURE_STATUS_NONE);

    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    SUCCEEDS(cuEventRecord(event, stream));
    SUCCEEDS(cuStreamWaitEvent(other, event, 0));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(other, &graph));
    end_invalid(stream);

    /* A stream that joined but was given nothing needs no joining. */
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    submit_note(stream, &note);
    SUCCEEDS(cuEventRecord(event, stream));
    SUCCEEDS(cuStreamWaitEvent(other, event, 0));
    SUCCEEDS(cuStreamEndCapture(stream, &graph));
    SUCCEEDS(cuGraphDestroy(graph));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void captures_do_not_mix(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUevent before = NULL, inside = NULL;
    SUCCEEDS(cuEventCreate(&before, 0));
    SUCCEEDS(cuEventCreate(&inside, 0));
    CUstream idle = new_stream(STREAM_NON_BLOCKING_FLAG);
    SUCCEEDS(cuEventRecord(before, idle));
    CUstream first = stream_that_captures(CU_STREAM_CAPTURE_MODE_RELAXED);
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent(first, before, 0));
    end_invalid(first);

    SUCCEEDS(cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_RELAXED));
    CUstream second = stream_that_captures(CU_STREAM_CAPTURE_MODE_RELAXED);
    SUCCEEDS(cuEventRecord(inside, first));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(second, inside, 0));
    end_invalid(first);
    end_invalid(second);
    ANSWERS(CUDA_ERROR_CAPTURED_EVENT, cuStreamWaitEvent(idle, inside, 0)); /* of a capture that has ended */

    SUCCEEDS(cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_RELAXED));
    SUCCEEDS(cuEventRecord(inside, first));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamWaitEvent(NULL, inside, 0));
    end_invalid(first);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

struct elsewhere {
    CUcontext context;
    CUstream stream;
    CUstreamCaptureMode mode;
    CUresult answer;
};

static void *end_elsewhere(void *data)
{
    struct elsewhere *elsewhere = data;
    CUgraph graph = NULL;
    SUCCEEDS(cuCtxSetCurrent(elsewhere->context));
    elsewhere->answer = cuStreamEndCapture(elsewhere->stream, &graph);
    return NULL;
}

static void *synchronize_elsewhere(void *data)
{
    struct elsewhere *elsewhere = data;
    SUCCEEDS(cuCtxSetCurrent(elsewhere->context));
    SUCCEEDS(cuThreadExchangeStreamCaptureMode(&elsewhere->mode));
    elsewhere->answer = cuCtxSynchronize();
    return NULL;
}

static CUresult in_thread(void *(*function)(void *), struct elsewhere elsewhere)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, function, &elsewhere), 0);
    pthread_join(thread, NULL);
    return elsewhere.answer;
}

static void another_thread_may_do_what_the_modes_allow(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUgraph graph = NULL;
    struct elsewhere other = {.context = context, .mode = CU_STREAM_CAPTURE_MODE_GLOBAL};
    other.stream = stream_that_captures(CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(in_thread(end_elsewhere, other), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    end_invalid(other.stream);
    SUCCEEDS(cuStreamBeginCapture_v2(other.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    assert_int_equal(in_thread(end_elsewhere, other), CUDA_SUCCESS);

    SUCCEEDS(cuStreamBeginCapture_v2(other.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    other.mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    assert_int_equal(in_thread(synchronize_elsewhere, other), CUDA_SUCCESS);
    other.mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    assert_int_equal(in_thread(synchronize_elsewhere, other), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(other.stream);
    SUCCEEDS(cuStreamBeginCapture_v2(other.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    assert_int_equal(in_thread(synchronize_elsewhere, other), CUDA_SUCCESS);
    SUCCEEDS(cuStreamEndCapture(other.stream, &graph));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_capture_tells_where_it_is_and_can_be_led_elsewhere(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note notes[2] = {{&log, 'a'}, {&log, 'b'}};
    CUstreamCaptureStatus status;
    cuuint64_t id = 0;
    CUgraph graph = NULL, ended = NULL;
    const CUgraphNode *after = NULL;
    size_t count = 9;
    CUstream stream = stream_that_captures(CU_STREAM_CAPTURE_MODE_GLOBAL);
    SUCCEEDS(cuStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &after, &count));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_int_not_equal(id, 0);
    assert_int_equal(count, 0);
    submit_note(stream, &notes[0]);
    SUCCEEDS(cuStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &after, &count));
    assert_int_equal(count, 1);
    CUgraphNode own = NULL, first = after[0];
    SUCCEEDS(cuGraphAddEmptyNode(&own, graph, &first, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(graph)); /* it is being captured into */
    SUCCEEDS(cuStreamUpdateCaptureDependencies(stream, &own, 1, 1));
    submit_note(stream, &notes[1]);
    SUCCEEDS(cuStreamEndCapture(stream, &ended));
    assert_ptr_equal(ended, graph);
    CUgraphNode from[3], to[3];
    size_t edges = 3;
    SUCCEEDS(cuGraphGetEdges(graph, from, to, &edges));
    assert_int_equal(edges, 2);
    assert_ptr_equal(from[0], first);
    assert_ptr_equal(to[0], own);
    assert_ptr_equal(from[1], own);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_capture_goes_on_in_a_graph_that_is_there(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note notes[2] = {{&log, 'a'}, {&log, 'b'}};
    CUDA_HOST_NODE_PARAMS first = {write_note, &notes[0]};
    CUgraph graph = NULL, ended = NULL;
    CUgraphNode node = NULL;
    CUgraphExec exec = NULL;
    CUstream stream = new_stream(0);
    SUCCEEDS(cuGraphCreate(&graph, 0));
    SUCCEEDS(cuGraphAddHostNode(&node, graph, NULL, 0, &first));
    SUCCEEDS(cuStreamBeginCaptureToGraph(stream, graph, &node, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
    submit_note(stream, &notes[1]);
    SUCCEEDS(cuStreamEndCapture(stream, &ended));
    assert_ptr_equal(ended, graph);
    SUCCEEDS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    SUCCEEDS(cuGraphLaunch(exec, stream));
    SUCCEEDS(cuStreamSynchronize(stream));
    assert_string_equal(log.text, "ab");
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_stream_that_is_destroyed_ends_its_capture(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUstream stream = stream_that_captures(CU_STREAM_CAPTURE_MODE_GLOBAL);
    SUCCEEDS(cuStreamDestroy_v2(stream));
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuCtxDestroy_v2(context));
}

/* Captures into a graph inside of another one, and destroys that node or the whole. */
static void destroy_around_a_capture(bool whole)
{
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note note = {&log, 'a'};
    CUgraph parent = NULL, child = NULL, ended = NULL;
    CUgraphNode node = NULL;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    CUstream stream = new_stream(0);
    SUCCEEDS(cuGraphCreate(&child, 0));
    SUCCEEDS(cuGraphCreate(&parent, 0));
    SUCCEEDS(cuGraphAddChildGraphNode(&node, parent, NULL, 0, child));
    SUCCEEDS(cuGraphChildGraphNodeGetGraph(node, &child));
    SUCCEEDS(cuStreamBeginCaptureToGraph(stream, child, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    submit_note(stream, &note);
    SUCCEEDS(whole ? cuGraphDestroy(parent) : cuGraphDestroyNode(node));
    SUCCEEDS(cuStreamIsCapturing(stream, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    ANSWERS(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(stream, &ended));
    submit_note(stream, &note);
    SUCCEEDS(cuStreamSynchronize(stream));
    assert_string_equal(log.text, "a");
    if (!whole)
        SUCCEEDS(cuGraphDestroy(parent));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_graph_that_is_destroyed_ends_captures_into_its_children(void **state)
{
    (void)state;
    destroy_around_a_capture(true);
}

static void a_node_that_is_destroyed_ends_captures_into_its_child(void **state)
{
    (void)state;
    destroy_around_a_capture(false);
}

UNIT_TESTS(UNIT(a_captured_stream_runs_nothing_until_its_graph_is_launched), UNIT(streams_fork_and_join_through_events),
           UNIT(what_cannot_be_captured_makes_the_capture_invalid),
           UNIT(a_question_about_the_legacy_stream_harms_no_capture),
           UNIT(a_capture_ends_where_it_began_and_with_all_streams_joined), UNIT(captures_do_not_mix),
           UNIT(another_thread_may_do_what_the_modes_allow), UNIT(a_capture_tells_where_it_is_and_can_be_led_elsewhere),
           UNIT(a_capture_goes_on_in_a_graph_that_is_there), UNIT(a_stream_that_is_destroyed_ends_its_capture),
           UNIT(a_graph_that_is_destroyed_ends_captures_into_its_children),
           UNIT(a_node_that_is_destroyed_ends_captures_into_its_child))
