/* Nodes of the rarer kinds, attributes, edges with data, and pictures. */
#include "driver/abi/api_graph.h"
#include "tests/driver/notes.h"
#include "tests/driver/saxpy.h"
#include "tests/temporary.h"

static CUgraph new_graph(void)
{
    CUgraph graph = NULL;
    SUCCEEDS(cuGraphCreate(&graph, 0));
    return graph;
}

static CUgraphExec instantiate(CUgraph graph)
{
    CUgraphExec exec = NULL;
    SUCCEEDS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

static CUgraphNode add(CUgraph graph, CUgraphNodeParams *params, const CUgraphNode *after, size_t count)
{
    CUgraphNode node = NULL;
    SUCCEEDS(cuGraphAddNode(&node, graph, after, count, params));
    return node;
}

static void event_nodes_record_and_wait_at_each_launch(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note a = {&log, 'a'}, b = {&log, 'b'};
    CUevent events[2];
    for (int i = 0; i < 2; i++)
        SUCCEEDS(cuEventCreate(&events[i], 0));
    CUgraph records = new_graph(), waits = new_graph();
    CUgraphNodeParams host = {.type = CU_GRAPH_NODE_TYPE_HOST, .host = {write_note, &a}};
    CUgraphNode note = add(records, &host, NULL, 0), record = NULL, wait = NULL;
    SUCCEEDS(cuGraphAddEventRecordNode(&record, records, &note, 1, events[0]));
    SUCCEEDS(cuGraphAddEventWaitNode(&wait, waits, NULL, 0, events[0]));
    host.host.userData = &b;
    add(waits, &host, &wait, 1);
    CUgraphExec first = instantiate(records), second = instantiate(waits);
    CUstream streams[2] = {new_stream(STREAM_NON_BLOCKING_FLAG), new_stream(STREAM_NON_BLOCKING_FLAG)};
    struct gate gate = {false};
    SUCCEEDS(cuLaunchHostFunc(streams[0], wait_at_gate, &gate));
    SUCCEEDS(cuGraphLaunch(first, streams[0]));
    SUCCEEDS(cuGraphLaunch(second, streams[1]));
    ANSWERS(CUDA_ERROR_NOT_READY, cuEventQuery(events[0]));
    atomic_store(&gate.open, true);
    SUCCEEDS(cuCtxSynchronize());
    assert_string_equal(log.text, "ab");
    CUevent found = NULL;
    SUCCEEDS(cuGraphExecEventRecordNodeSetEvent(first, record, events[1]));
    SUCCEEDS(cuGraphEventRecordNodeGetEvent(record, &found));
    assert_ptr_equal(found, events[0]);
    SUCCEEDS(cuGraphEventWaitNodeSetEvent(wait, events[1]));
    SUCCEEDS(cuGraphEventWaitNodeGetEvent(wait, &found));
    assert_ptr_equal(found, events[1]);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphEventRecordNodeGetEvent(wait, &found));
    SUCCEEDS(cuEventDestroy_v2(events[1]));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuGraphLaunch(first, NULL)); /* it records an event that is gone */
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void external_events_of_a_capture_become_nodes(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUevent event = NULL;
    CUgraph graph = NULL;
    CUgraphNode nodes[2];
    CUgraphNodeType type;
    size_t count = 2;
    CUstream stream = new_stream(0);
    SUCCEEDS(cuEventCreate(&event, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuEventRecordWithFlags(event, stream, 1)); /* it does not capture */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuEventRecordWithFlags(event, stream, 2));
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    SUCCEEDS(cuStreamWaitEvent(stream, event, 1));
    SUCCEEDS(cuEventRecordWithFlags(event, stream, 1));
    SUCCEEDS(cuStreamEndCapture(stream, &graph));
    SUCCEEDS(cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 2);
    SUCCEEDS(cuGraphNodeGetType(nodes[0], &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
    SUCCEEDS(cuGraphNodeGetType(nodes[1], &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
    SUCCEEDS(cuGraphLaunch(instantiate(graph), stream));
    SUCCEEDS(cuEventSynchronize(event));
    SUCCEEDS(cuEventQuery(event));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_node_writes_and_waits_for_values(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    void *word = NULL;
    SUCCEEDS(cuMemHostAlloc(&word, 8, 0));
    CUdeviceptr address = (CUdeviceptr)(uintptr_t)word;
    CUstreamBatchMemOpParams ops[2] = {
        {.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, .address = address, .value = 4}},
        {.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32, .address = address, .value = 4, .flags = 1}},
    };
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {context, 2, ops, 0}, shown;
    CUgraph graph = new_graph();
    CUgraphNode node = NULL;
    SUCCEEDS(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params));
    CUgraphExec exec = instantiate(graph);
    SUCCEEDS(cuGraphLaunch(exec, NULL));
    SUCCEEDS(cuStreamSynchronize(NULL));
    assert_int_equal(*(unsigned *)word, 4);
    SUCCEEDS(cuGraphBatchMemOpNodeGetParams(node, &shown));
    assert_int_equal(shown.count, 2);
    assert_int_equal(shown.paramArray[1].operation, CU_STREAM_MEM_OP_WAIT_VALUE_32);
    assert_int_equal(shown.paramArray[1].waitValue.flags, 1);
    assert_int_equal(shown.paramArray[0].writeValue.value, 4);
    ops[0].writeValue.value = ops[1].waitValue.value = 5;
    SUCCEEDS(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    params.count = 1;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    SUCCEEDS(cuGraphLaunch(exec, NULL));
    SUCCEEDS(cuStreamSynchronize(NULL));
    assert_int_equal(*(unsigned *)word, 5);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_kernel_node_keeps_its_attributes(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct saxpy saxpy;
    saxpy_open(&saxpy);
    CUgraph graph = new_graph();
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
    params.kernel = (CUDA_KERNEL_NODE_PARAMS_v3){.func = saxpy.function,
                                                 .gridDimX = 4,
                                                 .gridDimY = 1,
                                                 .gridDimZ = 1,
                                                 .blockDimX = 64,
                                                 .blockDimY = 1,
                                                 .blockDimZ = 1,
                                                 .kernelParams = saxpy.parameters};
    CUgraphNode first = add(graph, &params, NULL, 0), second = add(graph, &params, &first, 1);
    CUkernelNodeAttrValue value = {{0}};
    SUCCEEDS(cuGraphKernelNodeGetAttribute(first, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
    assert_int_equal(value.cooperative, 0);
    value.cooperative = 1;
    SUCCEEDS(cuGraphKernelNodeSetAttribute(first, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
    value.priority = -2;
    SUCCEEDS(cuGraphKernelNodeSetAttribute(first, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    SUCCEEDS(cuGraphNodeSetParams(first, &params)); /* they stay */
    SUCCEEDS(cuGraphKernelNodeCopyAttributes(second, first));
    SUCCEEDS(cuGraphKernelNodeGetAttribute(second, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
    assert_int_equal(value.cooperative, 1);
    SUCCEEDS(cuGraphKernelNodeGetAttribute(second, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    assert_int_equal(value.priority, -2);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeGetAttribute(first, CU_LAUNCH_ATTRIBUTE_MAX, &value));
    params.kernel.blockDimX = 2000;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphNodeSetParams(first, &params));
    saxpy_fill(saxpy.x, 1);
    saxpy_fill(saxpy.y, 0);
    SUCCEEDS(cuGraphLaunch(instantiate(graph), NULL));
    saxpy_is(saxpy.y, 4);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void edges_keep_their_data(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUgraph graph = new_graph();
    CUgraphNodeParams empty = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    CUgraphNode first = add(graph, &empty, NULL, 0), second = NULL, from, to;
    CUgraphEdgeData data = {.from_port = 1, .type = 1}, found = {0};
    size_t count = 1;
    SUCCEEDS(cuGraphAddNode_v2(&second, graph, &first, &data, 1, &empty));
    ANSWERS(CUDA_ERROR_LOSSY_QUERY, cuGraphGetEdges(graph, &from, &to, &count));
    ANSWERS(CUDA_ERROR_LOSSY_QUERY, cuGraphNodeGetDependencies(second, &from, &count));
    SUCCEEDS(cuGraphGetEdges_v2(graph, &from, &to, &found, &count));
    assert_ptr_equal(from, first);
    assert_ptr_equal(to, second);
    assert_int_equal(found.from_port, 1);
    SUCCEEDS(cuGraphNodeGetDependentNodes_v2(first, &to, &found, &count));
    assert_int_equal(found.type, 1);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_graph_that_is_moved_becomes_the_child(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUgraph inner = new_graph(), outer = new_graph(), found = NULL;
    CUgraphNodeParams child = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
    CUgraphNode node = NULL, nested = NULL;
    child.graph = (CUDA_CHILD_GRAPH_NODE_PARAMS){outer, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE};
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&node, outer, NULL, 0, &child)); /* into itself */
    child.graph.graph = inner;
    node = add(outer, &child, NULL, 0);
    SUCCEEDS(cuGraphChildGraphNodeGetGraph(node, &found));
    assert_ptr_equal(found, inner);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(inner));
    child.graph.graph = outer;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&nested, inner, NULL, 0, &child)); /* into the parts in it */
    SUCCEEDS(cuGraphDestroy(outer));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(inner));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_picture_has_all_nodes_and_edges(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    char path[TEMPORARY_PATH], line[256];
    int file = temporary_open(path), nodes = 0, edges = 0;
    CUgraph graph = new_graph();
    CUgraphNodeParams empty = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
    CUgraphNode first = add(graph, &empty, NULL, 0);
    add(graph, &empty, &first, 1);
    add(graph, &empty, &first, 1);
    SUCCEEDS(cuGraphDebugDotPrint(graph, path, 0));
    FILE *stream = fdopen(file, "r");
    assert_non_null(stream);
    while (fgets(line, sizeof line, stream) != NULL) {
        nodes += strstr(line, "label") != NULL;
        edges += strstr(line, "->") != NULL;
    }
    fclose(stream);
    unlink(path);
    assert_int_equal(nodes, 3);
    assert_int_equal(edges, 2);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void memory_is_neither_taken_nor_given_back_while_a_stream_captures(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr memory = saxpy_vector(), other = 0;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUgraph graph = NULL;
    int local = 0;
    CUstream stream = new_stream(0);
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    SUCCEEDS(cuThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
    SUCCEEDS(cuMemAlloc_v2(&other, 16)); /* the thread says that it does so on purpose */
    mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    SUCCEEDS(cuThreadExchangeStreamCaptureMode(&mode));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemAlloc_v2(&other, 16));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemFree_v2(memory));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuMemcpyDtoH_v2(&local, memory, sizeof local));
    ANSWERS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    mode = (CUstreamCaptureMode)3;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuThreadExchangeStreamCaptureMode(&mode));
    SUCCEEDS(cuMemFree_v2(memory));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_node_outlives_the_module_of_its_kernel(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct saxpy saxpy;
    saxpy_open(&saxpy);
    CUgraph graph = new_graph();
    CUmodule module = NULL;
    CUgraphNode node = NULL;
    CUDA_KERNEL_NODE_PARAMS shown, params = {.func = saxpy.function,
                                             .gridDimX = 1,
                                             .gridDimY = 1,
                                             .gridDimZ = 1,
                                             .blockDimX = 1,
                                             .blockDimY = 1,
                                             .blockDimZ = 1,
                                             .kernelParams = saxpy.parameters};
    SUCCEEDS(cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &params));
    SUCCEEDS(cuFuncGetModule(&module, saxpy.function));
    SUCCEEDS(cuModuleUnload(module));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeGetParams_v2(node, &shown));
    CUkernelNodeAttrValue value = {.priority = 0};
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    CUgraphExecUpdateResultInfo info;
    SUCCEEDS(cuGraphExecUpdate_v2(instantiate(graph), graph, &info));
    SUCCEEDS(cuGraphDestroy(graph));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(event_nodes_record_and_wait_at_each_launch), UNIT(external_events_of_a_capture_become_nodes),
           UNIT(a_node_writes_and_waits_for_values), UNIT(a_kernel_node_keeps_its_attributes),
           UNIT(edges_keep_their_data), UNIT(a_graph_that_is_moved_becomes_the_child),
           UNIT(a_picture_has_all_nodes_and_edges),
           UNIT(memory_is_neither_taken_nor_given_back_while_a_stream_captures),
           UNIT(a_node_outlives_the_module_of_its_kernel))
