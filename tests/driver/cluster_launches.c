/* Launches of clusters, in streams and graphs: the view of their CTAs. */
#include "tests/driver/clusters.h"

/* The report of a grid's CTAs when they form clusters of `size` in one dimension. */
static void check_told(const struct rig *rig, unsigned grid, unsigned size, unsigned threads)
{
    struct told told[CTAS_MOST];
    SUCCEEDS(cuMemcpyDtoH_v2(told, rig->out, grid * sizeof *told));
    for (unsigned i = 0; i < grid; i++) {
        assert_int_equal(told[i].rank, i % size);
        assert_int_equal(told[i].ctas, size);
        assert_int_equal(told[i].cluster, i / size);
        assert_int_equal(told[i].threads, threads);
    }
    SUCCEEDS(cuMemsetD8_v2(rig->out, 0xff, CTAS_MOST * sizeof *told));
}

static void every_way_to_ask_for_clusters_gives_them(void **state)
{
    (void)state;
    struct rig rig = rig_open();
    CUfunction open = function_of(&rig, "open_cluster"), pair = function_of(&rig, "pair");
    void *parameters[] = {&rig.out};
    SUCCEEDS(launch(&rig, open, 24, NULL, 0));
    check_told(&rig, 24, 1, 64);
    for (unsigned size = 1; size <= 8; size++) {
        SUCCEEDS(launch_cluster(&rig, open, 4 * size, size));
        check_told(&rig, 4 * size, size, 64);
    }
    SUCCEEDS(launch(&rig, pair, 8, NULL, 0));
    check_told(&rig, 8, 2, 64);
    SUCCEEDS(launch_cluster(&rig, pair, 8, 2));
    check_told(&rig, 8, 2, 64);
    SUCCEEDS(launch_cluster(&rig, function_of(&rig, "named"), 9, 3));
    check_told(&rig, 9, 3, 64);
    SUCCEEDS(launch_cluster(&rig, function_of(&rig, "at_most_four"), 12, 4));
    check_told(&rig, 12, 4, 64);
    SUCCEEDS(cuLaunchKernel(function_of(&rig, "counted_in_clusters"), 5, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    check_told(&rig, 20, 4, 64);
    SUCCEEDS(cuFuncSetAttribute(open, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    SUCCEEDS(launch_cluster(&rig, open, 32, 16));
    check_told(&rig, 32, 16, 64);
    for (int i = 0; i < 3; i++)
        SUCCEEDS(cuFuncSetAttribute(open, (CUfunction_attribute)(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + i),
                                    i == 0 ? 4 : 1));
    SUCCEEDS(launch(&rig, open, 12, NULL, 0));
    check_told(&rig, 12, 4, 64);
    rig_close(&rig);
}

static void a_preferred_cluster_may_be_ignored(void **state)
{
    (void)state;
    struct rig rig = rig_open();
    CUlaunchAttribute attributes[2] = {
        cluster_of(2, 1, 1),
        {.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, .value = {.preferredClusterDim = {4, 1, 1}}}};
    SUCCEEDS(launch(&rig, function_of(&rig, "open_cluster"), 16, attributes, 2));
    check_told(&rig, 16, 2, 64);
    rig_close(&rig);
}

static void a_cooperative_grid_of_clusters_counts_what_gpcs_hold(void **state)
{
    (void)state;
    struct rig rig = rig_open();
    CUfunction f = function_of(&rig, "open_cluster");
    enum { SHARED = 200 << 10 };
    SUCCEEDS(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, SHARED));
    void *parameters[] = {&rig.out};
    CUlaunchAttribute attributes[2] = {cluster_of(5, 1, 1),
                                       {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}}};
    CUlaunchConfig config = {.gridDimX =
                                 125, /* 18 and 16 SMs have room for 15 CTAs in clusters of 5: 8 GPCs hold 120 */
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 64,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = SHARED,
                             .attrs = attributes,
                             .numAttrs = 2};
    ANSWERS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cuLaunchKernelEx(&config, f, parameters, NULL));
    attributes[0].value.clusterDim.x = 1;
    config.gridDimX = 133;
    ANSWERS(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cuLaunchKernelEx(&config, f, parameters, NULL));
    rig_close(&rig);
}

static CUresult capture_launch(const struct rig *rig, CUstream stream, CUfunction f, unsigned grid, unsigned size)
{
    void *parameters[] = {(void *)&rig->out};
    CUlaunchAttribute attributes[2] = {
        cluster_of(size, 1, 1),
        {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
         .value = {.clusterSchedulingPolicyPreference = CU_CLUSTER_SCHEDULING_POLICY_SPREAD}}};
    CUlaunchConfig config = {.gridDimX = grid,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = 64,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .hStream = stream,
                             .attrs = attributes,
                             .numAttrs = 2};
    return cuLaunchKernelEx(&config, f, parameters, NULL);
}

static void run_graph(CUgraph graph, CUstream stream)
{
    CUgraphExec exec;
    SUCCEEDS(cuGraphInstantiateWithFlags(&exec, graph, 0));
    SUCCEEDS(cuGraphLaunch(exec, stream));
    SUCCEEDS(cuStreamSynchronize(stream));
    SUCCEEDS(cuGraphExecDestroy(exec));
}

static void a_captured_launch_keeps_its_cluster_when_its_node_changes(void **state)
{
    (void)state;
    struct rig rig = rig_open();
    CUfunction f = function_of(&rig, "open_cluster");
    CUstream stream;
    CUgraph graph;
    CUgraphNode node;
    size_t count = 1;
    CUkernelNodeAttrValue value;
    SUCCEEDS(cuStreamCreate(&stream, 1 /* CU_STREAM_NON_BLOCKING */));
    SUCCEEDS(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    SUCCEEDS(capture_launch(&rig, stream, f, 8, 4));
    SUCCEEDS(cuStreamEndCapture(stream, &graph));
    SUCCEEDS(cuGraphGetNodes(graph, &node, &count));
    assert_int_equal(count, 1);
    SUCCEEDS(cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value));
    assert_int_equal(value.clusterDim.x, 4);
    SUCCEEDS(cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, &value));
    assert_int_equal(value.clusterSchedulingPolicyPreference, CU_CLUSTER_SCHEDULING_POLICY_SPREAD);
    run_graph(graph, stream);
    check_told(&rig, 8, 4, 64);
    value.priority = 1;
    SUCCEEDS(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    run_graph(graph, stream);
    check_told(&rig, 8, 4, 64);
    value.clusterDim.x = 2;
    value.clusterDim.y = value.clusterDim.z = 1;
    SUCCEEDS(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value));
    run_graph(graph, stream);
    check_told(&rig, 8, 2, 64);
    value.clusterDim.x = 3;
    ANSWERS(CUDA_ERROR_INVALID_CLUSTER_SIZE,
            cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value));
    rig_close(&rig);
}

static void a_kernel_node_takes_a_cluster_and_gives_it_on(void **state)
{
    (void)state;
    struct rig rig = rig_open();
    CUfunction f = function_of(&rig, "open_cluster"), counted = function_of(&rig, "counted_in_clusters");
    void *parameters[] = {&rig.out};
    CUDA_KERNEL_NODE_PARAMS params = {.func = f,
                                      .gridDimX = 6,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 32,
                                      .blockDimY = 1,
                                      .blockDimZ = 1,
                                      .kernelParams = parameters};
    CUgraph graph;
    CUgraphNode first, second;
    CUkernelNodeAttrValue value = {.clusterDim = {3, 1, 1}};
    SUCCEEDS(cuGraphCreate(&graph, 0));
    SUCCEEDS(cuGraphAddKernelNode_v2(&first, graph, NULL, 0, &params));
    SUCCEEDS(cuGraphKernelNodeSetAttribute(first, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value));
    params.gridDimX = 12;
    SUCCEEDS(cuGraphKernelNodeSetParams_v2(first, &params)); /* the attribute stays */
    run_graph(graph, NULL);
    check_told(&rig, 12, 3, 32);
    SUCCEEDS(cuGraphAddKernelNode_v2(&second, graph, &first, 1, &params));
    SUCCEEDS(cuGraphKernelNodeCopyAttributes(second, first));
    SUCCEEDS(cuGraphDestroyNode(first));
    run_graph(graph, NULL);
    check_told(&rig, 12, 3, 32);
    SUCCEEDS(cuGraphDestroyNode(second));
    params.func = counted;
    params.gridDimX = 2;
    params.blockDimX = 1;
    SUCCEEDS(cuGraphAddKernelNode_v2(&first, graph, NULL, 0, &params));
    value.priority = 0;
    SUCCEEDS(cuGraphKernelNodeSetAttribute(first, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value)); /* counted once only */
    run_graph(graph, NULL);
    check_told(&rig, 8, 4, 64);
    rig_close(&rig);
}

/* Kernels in one stream run one after the other, and so do nodes whose edge is programmatic: each reads the result of
 * the one before. */
static void programmatic_dependences_keep_the_order(void **state)
{
    (void)state;
    struct rig rig = rig_open();
    CUfunction f = function_of(&rig, "open_cluster");
    CUlaunchAttribute attributes[2] = {cluster_of(2, 1, 1),
                                       {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                        .value = {.programmaticStreamSerializationAllowed = 1}}};
    SUCCEEDS(launch(&rig, f, 8, attributes, 2));
    attributes[0].value.clusterDim.x = 4;
    SUCCEEDS(launch(&rig, f, 8, attributes, 2));
    check_told(&rig, 8, 4, 64);
    void *parameters[] = {&rig.out};
    CUDA_KERNEL_NODE_PARAMS params = {.func = f,
                                      .gridDimX = 8,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 32,
                                      .blockDimY = 1,
                                      .blockDimZ = 1,
                                      .kernelParams = parameters};
    CUgraph graph;
    CUgraphNode first, second, from, to;
    CUkernelNodeAttrValue value = {.clusterDim = {8, 1, 1}};
    CUgraphEdgeData edge = {.from_port = 1 /* CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC */, .type = 1};
    CUgraphEdgeData read = {0};
    size_t count = 1;
    SUCCEEDS(cuGraphCreate(&graph, 0));
    SUCCEEDS(cuGraphAddKernelNode_v2(&second, graph, NULL, 0, &params));
    SUCCEEDS(cuGraphKernelNodeSetAttribute(second, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value));
    SUCCEEDS(cuGraphAddKernelNode_v2(&first, graph, NULL, 0, &params));
    SUCCEEDS(cuGraphAddDependencies_v2(graph, &first, &second, &edge, 1));
    SUCCEEDS(cuGraphGetEdges_v2(graph, &from, &to, &read, &count));
    assert_int_equal(read.from_port, 1);
    assert_int_equal(read.type, 1);
    run_graph(graph, NULL);
    check_told(&rig, 8, 8, 32);
    rig_close(&rig);
}

static void a_launch_records_its_event_behind_the_kernel(void **state)
{
    (void)state;
    struct rig rig = rig_open();
    CUfunction f = function_of(&rig, "open_cluster");
    static const CUlaunchAttributeID ids[] = {CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
                                              CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT};
    for (size_t i = 0; i < 2; i++) {
        CUevent event, timed;
        struct told told[2];
        SUCCEEDS(cuEventCreate(&event, 2 /* CU_EVENT_DISABLE_TIMING */));
        SUCCEEDS(cuEventCreate(&timed, 0));
        CUlaunchAttribute attribute = {.id = ids[i]};
        attribute.value.programmaticEvent.event = event;
        SUCCEEDS(cuMemsetD8_v2(rig.out, 0xff, sizeof told));
        SUCCEEDS(launch(&rig, f, 2, &attribute, 1));
        SUCCEEDS(cuEventSynchronize(event));
        SUCCEEDS(cuMemcpyDtoH_v2(told, rig.out, sizeof told));
        assert_int_equal(told[1].threads, 64);
        attribute.value.programmaticEvent.event = timed;
        ANSWERS(CUDA_ERROR_INVALID_VALUE, launch(&rig, f, 2, &attribute, 1));
        attribute.value.programmaticEvent.event = (CUevent)rig.module;
        ANSWERS(CUDA_ERROR_INVALID_HANDLE, launch(&rig, f, 2, &attribute, 1));
        attribute.value.programmaticEvent.event = event;
        attribute.value.programmaticEvent.flags = 1;
        ANSWERS(CUDA_ERROR_INVALID_VALUE, launch(&rig, f, 2, &attribute, 1));
    }
    rig_close(&rig);
}

UNIT_TESTS(UNIT(every_way_to_ask_for_clusters_gives_them), UNIT(a_preferred_cluster_may_be_ignored),
           UNIT(a_cooperative_grid_of_clusters_counts_what_gpcs_hold),
           UNIT(a_captured_launch_keeps_its_cluster_when_its_node_changes),
           UNIT(a_kernel_node_takes_a_cluster_and_gives_it_on), UNIT(programmatic_dependences_keep_the_order),
           UNIT(a_launch_records_its_event_behind_the_kernel))
