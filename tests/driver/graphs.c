#include "driver/abi/api_graph.h"

#include "tests/driver/notes.h"
#include "tests/driver/saxpy.h"

static CUgraph new_graph(void)
{
    CUgraph graph = NULL;
    SUCCEEDS(cuGraphCreate(&graph, 0));
    return graph;
}

static CUgraphNode add_note(CUgraph graph, struct note *note, const CUgraphNode *after, size_t count)
{
    CUgraphNode node = NULL;
    CUDA_HOST_NODE_PARAMS params = {write_note, note};
    SUCCEEDS(cuGraphAddHostNode(&node, graph, after, count, &params));
    return node;
}

static CUDA_KERNEL_NODE_PARAMS kernel_params(struct saxpy *saxpy)
{
    return (CUDA_KERNEL_NODE_PARAMS){
        .func = saxpy->function,
        .gridDimX = 4,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = 64,
        .blockDimY = 1,
        .blockDimZ = 1,
        .kernelParams = saxpy->parameters,
    };
}

static CUgraphNode add_kernel(CUgraph graph, struct saxpy *saxpy, const CUgraphNode *after, size_t count)
{
    CUgraphNode node = NULL;
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(saxpy);
    SUCCEEDS(cuGraphAddKernelNode_v2(&node, graph, after, count, &params));
    return node;
}

static CUDA_MEMSET_NODE_PARAMS set_params(CUdeviceptr vector, float value)
{
    CUDA_MEMSET_NODE_PARAMS params = {.dst = vector, .elementSize = 4, .width = SAXPY_COUNT, .height = 1};
    memcpy(&params.value, &value, sizeof value);
    return params;
}

static CUDA_MEMCPY3D copy_params(void *to, CUdeviceptr from)
{
    return (CUDA_MEMCPY3D){
        .srcMemoryType = CU_MEMORYTYPE_DEVICE,
        .srcDevice = from,
        .dstMemoryType = CU_MEMORYTYPE_HOST,
        .dstHost = to,
        .WidthInBytes = SAXPY_COUNT * sizeof(float),
        .Height = 1,
        .Depth = 1,
    };
}

static CUgraphExec instantiate(CUgraph graph)
{
    CUgraphExec exec = NULL;
    SUCCEEDS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    assert_non_null(exec);
    return exec;
}

static void run(CUgraphExec exec)
{
    SUCCEEDS(cuGraphLaunch(exec, NULL));
    SUCCEEDS(cuStreamSynchronize(NULL));
}

static void a_graph_of_all_that_moves_data_does_what_streams_do(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct saxpy saxpy;
    saxpy_open(&saxpy);
    CUgraph graph = new_graph();
    CUgraphNode sets[2], copy;
    float found[SAXPY_COUNT] = {0};
    CUDA_MEMSET_NODE_PARAMS set_x = set_params(saxpy.x, 3), set_y = set_params(saxpy.y, 10);
    CUDA_MEMCPY3D copy_y = copy_params(found, saxpy.y);
    SUCCEEDS(cuGraphAddMemsetNode(&sets[0], graph, NULL, 0, &set_x, context));
    SUCCEEDS(cuGraphAddMemsetNode(&sets[1], graph, NULL, 0, &set_y, context));
    CUgraphNode first = add_kernel(graph, &saxpy, sets, 2);
    CUgraphNode second = add_kernel(graph, &saxpy, &first, 1);
    SUCCEEDS(cuGraphAddMemcpyNode(&copy, graph, &second, 1, &copy_y, context));
    CUgraphExec exec = instantiate(graph);
    for (int i = 0; i < 2; i++) {
        memset(found, 0, sizeof found);
        run(exec);
        for (int k = 0; k < SAXPY_COUNT; k++)
            assert_true(found[k] == 22); /* 10 + 2 * 3 + 2 * 3 */
    }
    CUgraphNodeType type;
    SUCCEEDS(cuGraphNodeGetType(copy, &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_MEMCPY);
    CUDA_KERNEL_NODE_PARAMS shown;
    SUCCEEDS(cuGraphKernelNodeGetParams_v2(first, &shown));
    assert_ptr_equal(shown.func, saxpy.function);
    assert_int_equal(shown.gridDimX, 4);
    assert_int_equal(*(unsigned *)shown.kernelParams[3], SAXPY_COUNT);
    assert_int_equal(*(CUdeviceptr *)shown.kernelParams[2], saxpy.y);
    CUDA_MEMSET_NODE_PARAMS shown_set;
    SUCCEEDS(cuGraphMemsetNodeGetParams(sets[0], &shown_set));
    assert_int_equal(shown_set.dst, saxpy.x);
    assert_int_equal(shown_set.value, set_x.value);
    assert_int_equal(shown_set.width, SAXPY_COUNT);
    CUDA_MEMCPY3D shown_copy;
    SUCCEEDS(cuGraphMemcpyNodeGetParams(copy, &shown_copy));
    assert_int_equal(shown_copy.WidthInBytes, sizeof found);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void captured_work_and_direct_work_give_the_same(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct saxpy saxpy;
    saxpy_open(&saxpy);
    CUgraph graph = NULL;
    CUstream stream = new_stream(0);
    saxpy_fill(saxpy.x, 1);
    for (int captured = 0; captured < 2; captured++) {
        saxpy_fill(saxpy.y, 100);
        if (captured)
            SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
        saxpy_launch(&saxpy, stream);
        SUCCEEDS(cuMemcpyDtoDAsync_v2(saxpy.x, saxpy.y, SAXPY_COUNT * sizeof(float), stream));
        saxpy_launch(&saxpy, stream);
        SUCCEEDS(cuMemsetD32Async(saxpy.x, 0x3f800000, SAXPY_COUNT, stream));
        if (captured) {
            SUCCEEDS(cuStreamEndCapture(stream, &graph));
            SUCCEEDS(cuGraphLaunch(instantiate(graph), stream));
        }
        SUCCEEDS(cuStreamSynchronize(stream));
        saxpy_is(saxpy.y, 306); /* 102 + 2 * 102 */
        saxpy_is(saxpy.x, 1);
    }
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void nodes_run_behind_those_that_they_depend_on(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note notes[4] = {{&log, 'a'}, {&log, 'b'}, {&log, 'c'}, {&log, 'd'}};
    CUgraph graph = new_graph();
    CUgraphNode nodes[4];
    for (int i = 0; i < 4; i++)
        nodes[i] = add_note(graph, &notes[i], NULL, 0);
    CUgraphNode from[3] = {nodes[3], nodes[2], nodes[1]}, to[3] = {nodes[2], nodes[1], nodes[0]};
    SUCCEEDS(cuGraphAddDependencies(graph, from, to, 3));                          /* d, c, b, a */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, from, to, 1)); /* it is there already */
    run(instantiate(graph));
    assert_string_equal(log.text, "dcba");

    SUCCEEDS(cuGraphRemoveDependencies(graph, from, to, 1)); /* d is free */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphRemoveDependencies(graph, from, to, 1));
    CUgraphNode roots[3] = {NULL};
    size_t count = 3;
    SUCCEEDS(cuGraphGetRootNodes(graph, roots, &count));
    assert_int_equal(count, 2);
    assert_ptr_equal(roots[0], nodes[2]);
    assert_ptr_equal(roots[1], nodes[3]);
    assert_null(roots[2]);
    count = 1;
    SUCCEEDS(cuGraphNodeGetDependencies(nodes[0], roots, &count));
    assert_ptr_equal(roots[0], nodes[1]);
    SUCCEEDS(cuGraphNodeGetDependentNodes(nodes[2], NULL, &count));
    assert_int_equal(count, 1);
    SUCCEEDS(cuGraphDestroyNode(nodes[1]));
    SUCCEEDS(cuGraphGetEdges(graph, NULL, NULL, &count));
    assert_int_equal(count, 0);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroyNode(nodes[1]));
    memset(&log, 0, sizeof log);
    run(instantiate(graph));
    assert_string_equal(log.text, "acd");
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_graph_with_a_cycle_has_no_order(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note note = {&log, 'a'};
    CUgraph graph = new_graph();
    CUgraphNode first = add_note(graph, &note, NULL, 0), second = add_note(graph, &note, &first, 1), wrong = NULL;
    CUgraphExec exec = NULL;
    SUCCEEDS(cuGraphAddDependencies(graph, &second, &first, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate_v2(&exec, graph, &wrong, NULL, 0));
    assert_true(wrong == first || wrong == second);
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {0};
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&exec, graph, &params));
    assert_int_equal(params.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, &first, &first, 1));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_clone_is_a_graph_of_its_own(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note notes[3] = {{&log, 'a'}, {&log, 'b'}, {&log, 'c'}};
    CUgraph graph = new_graph(), clone = NULL;
    CUgraphNode first = add_note(graph, &notes[0], NULL, 0), second = add_note(graph, &notes[1], &first, 1), found;
    SUCCEEDS(cuGraphClone(&clone, graph));
    SUCCEEDS(cuGraphNodeFindInClone(&found, second, clone));
    assert_ptr_not_equal(found, second);
    CUDA_HOST_NODE_PARAMS other = {write_note, &notes[2]}, shown;
    SUCCEEDS(cuGraphHostNodeSetParams(found, &other));
    SUCCEEDS(cuGraphHostNodeGetParams(second, &shown));
    assert_ptr_equal(shown.userData, &notes[1]);
    SUCCEEDS(cuGraphDestroyNode(first));
    run(instantiate(clone));
    run(instantiate(graph));
    assert_string_equal(log.text, "acb");
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphNodeFindInClone(&found, second, graph));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_child_graph_runs_where_its_node_is(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note notes[5] = {{&log, 'a'}, {&log, 'b'}, {&log, 'c'}, {&log, 'd'}, {&log, 'e'}};
    CUgraph inner = new_graph(), outer = new_graph(), child = NULL;
    CUgraphNode b = add_note(inner, &notes[1], NULL, 0), c = add_note(inner, &notes[2], &b, 1);
    CUgraphNode a = add_note(outer, &notes[0], NULL, 0), node = NULL;
    SUCCEEDS(cuGraphAddChildGraphNode(&node, outer, &a, 1, inner));
    add_note(outer, &notes[3], &node, 1);
    SUCCEEDS(cuGraphDestroyNode(c)); /* the child is a copy */
    SUCCEEDS(cuGraphChildGraphNodeGetGraph(node, &child));
    assert_ptr_not_equal(child, inner);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(child));
    CUgraphExec exec = instantiate(outer);
    run(exec);
    assert_string_equal(log.text, "abcd");

    /* Its nodes can be changed in the executable graph, one by one or all. */
    CUgraphNode inside[2];
    size_t count = 2;
    SUCCEEDS(cuGraphGetNodes(child, inside, &count));
    CUDA_HOST_NODE_PARAMS other = {write_note, &notes[4]};
    SUCCEEDS(cuGraphExecHostNodeSetParams(exec, inside[0], &other));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphExecChildGraphNodeSetParams(exec, node, inner)); /* one node less */
    run(exec);
    assert_string_equal(log.text, "abcdaecd");
    add_note(inner, &notes[4], &b, 1);
    SUCCEEDS(cuGraphExecChildGraphNodeSetParams(exec, node, inner));
    run(exec);
    assert_string_equal(log.text, "abcdaecdabed");
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void an_executable_graph_keeps_what_it_was_made_with_until_it_is_changed(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct saxpy saxpy;
    saxpy_open(&saxpy);
    CUdeviceptr other = saxpy_vector();
    saxpy_fill(saxpy.x, 1);
    saxpy_fill(other, 0);
    CUgraph graph = new_graph();
    CUDA_MEMSET_NODE_PARAMS set = set_params(saxpy.y, 5), set_other = set_params(other, 7);
    CUgraphNode clear = NULL;
    SUCCEEDS(cuGraphAddMemsetNode(&clear, graph, NULL, 0, &set, context));
    CUgraphNode kernel = add_kernel(graph, &saxpy, &clear, 1);
    CUgraphExec exec = instantiate(graph);
    saxpy.alpha = 100; /* parameters were copied */
    run(exec);
    saxpy_is(saxpy.y, 7);
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(&saxpy);
    SUCCEEDS(cuGraphKernelNodeSetParams_v2(kernel, &params)); /* in the graph, not in the executable one */
    run(exec);
    saxpy_is(saxpy.y, 7);
    SUCCEEDS(cuGraphExecKernelNodeSetParams_v2(exec, kernel, &params));
    run(exec);
    saxpy_is(saxpy.y, 105);
    SUCCEEDS(cuGraphExecMemsetNodeSetParams(exec, clear, &set_other, context));
    run(exec);
    saxpy_is(saxpy.y, 205);
    saxpy_is(other, 7);

    unsigned enabled = 9;
    SUCCEEDS(cuGraphNodeGetEnabled(exec, kernel, &enabled));
    assert_int_equal(enabled, 1);
    SUCCEEDS(cuGraphNodeSetEnabled(exec, kernel, 0));
    SUCCEEDS(cuGraphNodeGetEnabled(exec, kernel, &enabled));
    assert_int_equal(enabled, 0);
    run(exec);
    saxpy_is(saxpy.y, 205);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void an_update_takes_over_what_another_graph_does(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note notes[4] = {{&log, 'a'}, {&log, 'b'}, {&log, 'c'}, {&log, 'd'}};
    CUgraph graph = new_graph(), same = new_graph(), longer = new_graph(), reversed = new_graph(), typed = new_graph();
    CUgraphNode a = add_note(graph, &notes[0], NULL, 0), empty = NULL;
    add_note(graph, &notes[1], &a, 1);
    CUgraphNode c = add_note(same, &notes[2], NULL, 0);
    add_note(same, &notes[3], &c, 1);
    add_note(longer, &notes[0], NULL, 0);
    add_note(reversed, &notes[0], NULL, 0);
    CUgraphNode free_node = add_note(reversed, &notes[1], NULL, 0);
    SUCCEEDS(cuGraphAddEmptyNode(&empty, typed, NULL, 0));
    add_note(typed, &notes[1], &empty, 1);
    CUgraphExec exec = instantiate(graph);
    CUgraphExecUpdateResultInfo info;
    SUCCEEDS(cuGraphExecUpdate_v2(exec, same, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    run(exec);
    assert_string_equal(log.text, "cd");
    ANSWERS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(exec, longer, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    assert_null(info.errorNode);
    ANSWERS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(exec, reversed, &info));
    assert_int_equal(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    assert_ptr_equal(info.errorNode, free_node);
    CUgraphExecUpdateResult answer;
    CUgraphNode wrong = NULL;
    ANSWERS(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate(exec, typed, &wrong, &answer));
    assert_int_equal(answer, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    assert_ptr_equal(wrong, empty);
    run(exec); /* nothing has changed */
    assert_string_equal(log.text, "cdcd");
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_launch_in_a_captured_stream_becomes_a_child_graph(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note notes[3] = {{&log, 'a'}, {&log, 'b'}, {&log, 'c'}};
    CUgraph graph = new_graph(), captured = NULL;
    add_note(graph, &notes[1], NULL, 0);
    CUgraphExec exec = instantiate(graph);
    CUstream stream = new_stream(0);
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    submit_note(stream, &notes[0]);
    SUCCEEDS(cuGraphLaunch(exec, stream));
    submit_note(stream, &notes[2]);
    SUCCEEDS(cuStreamEndCapture(stream, &captured));
    SUCCEEDS(cuGraphExecDestroy(exec));
    SUCCEEDS(cuGraphDestroy(graph));
    run(instantiate(captured));
    assert_string_equal(log.text, "abc");
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void memory_of_a_graph_is_there_for_all_its_launches(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct saxpy saxpy;
    saxpy_open(&saxpy);
    saxpy_fill(saxpy.y, 1);
    CUgraph graph = new_graph(), clone = NULL;
    CUgraphNode alloc = NULL, set = NULL, freed = NULL;
    CUDA_MEM_ALLOC_NODE_PARAMS params = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
        .bytesize = SAXPY_COUNT * sizeof(float),
    };
    CUdeviceptr shown = 0;
    SUCCEEDS(cuGraphAddMemAllocNode(&alloc, graph, NULL, 0, &params));
    assert_int_not_equal(params.dptr, 0);
    saxpy.x = params.dptr;
    CUDA_MEMSET_NODE_PARAMS fill = set_params(params.dptr, 3);
    SUCCEEDS(cuGraphAddMemsetNode(&set, graph, &alloc, 1, &fill, context));
    CUgraphNode kernel = add_kernel(graph, &saxpy, &set, 1);
    SUCCEEDS(cuGraphAddMemFreeNode(&freed, graph, &kernel, 1, params.dptr));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&freed, graph, &kernel, 1, saxpy.y));
    SUCCEEDS(cuGraphMemFreeNodeGetParams(freed, &shown));
    assert_int_equal(shown, params.dptr);
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuGraphClone(&clone, graph));
    CUgraphExec exec = instantiate(graph);
    run(exec);
    run(exec);
    saxpy_is(saxpy.y, 13);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void wrong_arguments_are_answered(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    struct log log = {0};
    struct note note = {&log, 'a'};
    CUgraph graph = new_graph(), other = new_graph(), none = (CUgraph)(void *)&log;
    CUgraphNode node = NULL, foreign = add_note(other, &note, NULL, 0), wild = (CUgraphNode)(void *)&log;
    CUDA_HOST_NODE_PARAMS host = {write_note, &note}, nothing = {NULL, NULL};
    size_t count = 0;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphCreate(NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphCreate(&none, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(none));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphGetNodes(NULL, NULL, &count));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphGetNodes(graph, NULL, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddHostNode(NULL, graph, NULL, 0, &host));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddHostNode(&node, NULL, NULL, 0, &host));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddHostNode(&node, graph, NULL, 1, &host));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddHostNode(&node, graph, NULL, 0, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddHostNode(&node, graph, NULL, 0, &nothing));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddHostNode(&node, graph, &foreign, 1, &host));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddHostNode(&node, graph, &wild, 1, &host));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddEventRecordNode(&node, graph, NULL, 0, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphAddChildGraphNode(&node, graph, NULL, 0, none));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch((CUgraphExec)(void *)&log, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphExecDestroy(NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(NULL, graph, 0));
    CUgraphExec exec = NULL;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithFlags(&exec, graph, 0x100));
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiateWithFlags(&exec, graph, 4)); /* from the device */
    CUgraphNodeParams conditional = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuGraphAddNode(&node, graph, NULL, 0, &conditional));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphDebugDotPrint(graph, NULL, 0));
    ANSWERS(CUDA_ERROR_OPERATING_SYSTEM, cuGraphDebugDotPrint(graph, "/nonexistent/graph.dot", 0));
    exec = instantiate(graph);
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuGraphLaunch(exec, (CUstream)(void *)&log));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuGraphExecHostNodeSetParams(exec, foreign, &host));
    run(exec); /* of nothing */
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(a_graph_of_all_that_moves_data_does_what_streams_do), UNIT(captured_work_and_direct_work_give_the_same),
           UNIT(nodes_run_behind_those_that_they_depend_on), UNIT(a_graph_with_a_cycle_has_no_order),
           UNIT(a_clone_is_a_graph_of_its_own), UNIT(a_child_graph_runs_where_its_node_is),
           UNIT(an_executable_graph_keeps_what_it_was_made_with_until_it_is_changed),
           UNIT(an_update_takes_over_what_another_graph_does),
           UNIT(a_launch_in_a_captured_stream_becomes_a_child_graph),
           UNIT(memory_of_a_graph_is_there_for_all_its_launches), UNIT(wrong_arguments_are_answered))
