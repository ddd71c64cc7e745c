#include "runtime/abi/api_graph.h"
#include "tests/runtime/rig.h"

enum { N = 256 };

struct case_data {
    int *pinned;
    void *device;
    cudaStream_t stream;
};

static struct case_data begin(void)
{
    struct case_data data;
    rig_program();
    SUCCEEDS(cudaMallocHost((void **)&data.pinned, N * sizeof(int)));
    SUCCEEDS(cudaMalloc(&data.device, N * sizeof(int)));
    SUCCEEDS(cudaStreamCreate(&data.stream));
    for (int i = 0; i < N; i++)
        data.pinned[i] = i;
    return data;
}

static void end(struct case_data *data)
{
    SUCCEEDS(cudaStreamDestroy(data->stream));
    SUCCEEDS(cudaFree(data->device));
    SUCCEEDS(cudaFreeHost(data->pinned));
}

static void count_up(void *data) { ++*(int *)data; }

static void a_captured_stream_runs_again_and_again(void **state)
{
    (void)state;
    struct case_data data = begin();
    int n = N, by = 3, calls = 0;
    size_t nodes = 0;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    enum cudaStreamCaptureStatus status;
    void *arguments[] = {&data.device, &n, &by};
    SUCCEEDS(cudaStreamBeginCapture(data.stream, cudaStreamCaptureModeGlobal));
    SUCCEEDS(cudaStreamIsCapturing(data.stream, &status));
    assert_int_equal(status, cudaStreamCaptureStatusActive);
    SUCCEEDS(cudaMemcpyAsync(data.device, data.pinned, N * sizeof(int), cudaMemcpyHostToDevice, data.stream));
    SUCCEEDS(rig_launch_in(&host_increment, (dim3){4, 1, 1}, (dim3){64, 1, 1}, arguments, 0, data.stream));
    by = 40; /* arguments are copied when the launch is captured */
    SUCCEEDS(rig_launch_in(&host_increment, (dim3){4, 1, 1}, (dim3){64, 1, 1}, arguments, 0, data.stream));
    by = 5000;
    SUCCEEDS(cudaLaunchHostFunc(data.stream, count_up, &calls));
    SUCCEEDS(cudaMemcpyAsync(data.pinned, data.device, N * sizeof(int), cudaMemcpyDeviceToHost, data.stream));
    SUCCEEDS(cudaStreamEndCapture(data.stream, &graph));
    assert_int_equal(data.pinned[1], 1);
    SUCCEEDS(cudaGraphGetNodes(graph, NULL, &nodes));
    assert_int_equal(nodes, 5);
    SUCCEEDS(cudaGraphInstantiate(&exec, graph, 0));
    SUCCEEDS(cudaGraphDestroy(graph));
    for (int i = 0; i < 3; i++)
        SUCCEEDS(cudaGraphLaunch(exec, data.stream));
    SUCCEEDS(cudaStreamSynchronize(data.stream));
    for (int i = 0; i < N; i++)
        assert_int_equal(data.pinned[i], i + 3 * 43);
    assert_int_equal(calls, 3);
    SUCCEEDS(cudaGraphExecDestroy(exec));
    end(&data);
}

static void a_graph_is_built_node_by_node_and_changed(void **state)
{
    (void)state;
    struct case_data data = begin();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t set, kernel, copy, host;
    int n = N, by = 5, calls = 0;
    void *arguments[] = {&data.device, &n, &by};
    struct cudaMemsetParams zero = {.dst = data.device, .value = 7, .elementSize = 4, .width = N, .height = 1};
    struct cudaKernelNodeParams launch = {
        .func = &host_increment, .gridDim = {4, 1, 1}, .blockDim = {64, 1, 1}, .kernelParams = arguments};
    struct cudaHostNodeParams call = {.fn = count_up, .userData = &calls};
    SUCCEEDS(cudaGraphCreate(&graph, 0));
    SUCCEEDS(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &zero));
    SUCCEEDS(cudaGraphAddKernelNode(&kernel, graph, &set, 1, &launch));
    SUCCEEDS(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, data.pinned, data.device, N * sizeof(int),
                                      cudaMemcpyDeviceToHost));
    SUCCEEDS(cudaGraphAddHostNode(&host, graph, &copy, 1, &call));
    by = -1;
    SUCCEEDS(cudaGraphInstantiate(&exec, graph, 0));
    SUCCEEDS(cudaGraphLaunch(exec, data.stream));
    SUCCEEDS(cudaStreamSynchronize(data.stream));
    for (int i = 0; i < N; i++)
        assert_int_equal(data.pinned[i], 12);
    by = 100;
    SUCCEEDS(cudaGraphExecKernelNodeSetParams(exec, kernel, &launch));
    SUCCEEDS(cudaGraphLaunch(exec, data.stream));
    SUCCEEDS(cudaStreamSynchronize(data.stream));
    assert_int_equal(data.pinned[N - 1], 107);
    struct cudaKernelNodeParams found;
    SUCCEEDS(cudaGraphKernelNodeGetParams(kernel, &found));
    assert_ptr_equal(found.func, &host_increment);
    assert_int_equal(found.gridDim.x, 4);
    assert_int_equal(*(int *)found.kernelParams[2], 5);
    struct cudaMemsetParams found_set;
    SUCCEEDS(cudaGraphMemsetNodeGetParams(set, &found_set));
    assert_int_equal(found_set.value, 7);
    assert_ptr_equal(found_set.dst, data.device);
    enum cudaGraphNodeType type;
    SUCCEEDS(cudaGraphNodeGetType(copy, &type));
    assert_int_equal(type, cudaGraphNodeTypeMemcpy);
    zero.value = 1;
    SUCCEEDS(cudaGraphMemsetNodeSetParams(set, &zero));
    cudaGraphExecUpdateResultInfo info;
    SUCCEEDS(cudaGraphExecUpdate(exec, graph, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateSuccess);
    SUCCEEDS(cudaGraphLaunch(exec, data.stream));
    SUCCEEDS(cudaStreamSynchronize(data.stream));
    assert_int_equal(data.pinned[0], 6);
    assert_int_equal(calls, 3);
    SUCCEEDS(cudaGraphExecDestroy(exec));
    SUCCEEDS(cudaGraphDestroy(graph));
    end(&data);
}

static void nodes_are_added_by_type_as_well(void **state)
{
    (void)state;
    struct case_data data = begin();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t last = NULL, node;
    int n = N, by = 9;
    void *arguments[] = {&data.device, &n, &by};
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemset};
    params.memset = (struct cudaMemsetParamsV2){.dst = data.device, .elementSize = 4, .width = N, .height = 1};
    SUCCEEDS(cudaGraphCreate(&graph, 0));
    SUCCEEDS(cudaGraphAddNode(&last, graph, NULL, NULL, 0, &params));
    params = (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeKernel};
    params.kernel = (struct cudaKernelNodeParamsV2){
        .func = &host_increment, .gridDim = {4, 1, 1}, .blockDim = {64, 1, 1}, .kernelParams = arguments};
    SUCCEEDS(cudaGraphAddNode(&node, graph, &last, NULL, 1, &params));
    last = node;
    params = (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeMemcpy};
    params.memcpy.copyParams = (struct cudaMemcpy3DParms){.srcPtr = {data.device, N * 4, N * 4, 1},
                                                          .dstPtr = {data.pinned, N * 4, N * 4, 1},
                                                          .extent = {N * 4, 1, 1},
                                                          .kind = cudaMemcpyDeviceToHost};
    SUCCEEDS(cudaGraphAddNode(&node, graph, &last, NULL, 1, &params));
    params = (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeConditional};
    FAILS(cudaErrorNotSupported, cudaGraphAddNode(&last, graph, &node, NULL, 1, &params));
    params.type = (enum cudaGraphNodeType)99;
    FAILS(cudaErrorInvalidValue, cudaGraphAddNode(&last, graph, &node, NULL, 1, &params));
    SUCCEEDS(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    SUCCEEDS(cudaGraphLaunch_ptsz(exec, NULL));
    SUCCEEDS(cudaStreamSynchronize_ptsz(NULL));
    for (int i = 0; i < N; i++)
        assert_int_equal(data.pinned[i], 9);
    SUCCEEDS(cudaGraphExecDestroy(exec));
    SUCCEEDS(cudaGraphDestroy(graph));
    end(&data);
}

static void wrong_graphs_are_answered(void **state)
{
    (void)state;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    struct cudaKernelNodeParams launch = {.func = &node, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}};
    rig_program();
    SUCCEEDS(cudaGraphCreate(&graph, 0));
    FAILS(cudaErrorInvalidValue, cudaGraphCreate(NULL, 0));
    FAILS(cudaErrorInvalidDeviceFunction, cudaGraphAddKernelNode(&node, graph, NULL, 0, &launch));
    FAILS(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL));
    launch.func = &host_store;
    launch.blockDim.x = 2000;
    FAILS(cudaErrorInvalidConfiguration, cudaGraphAddKernelNode(&node, graph, NULL, 0, &launch));
    FAILS(cudaErrorInvalidValue, cudaGraphAddHostNode(&node, graph, NULL, 0, &(struct cudaHostNodeParams){NULL, NULL}));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, &graph, &graph, 4, (enum cudaMemcpyKind)17));
    FAILS(cudaErrorInvalidValue, cudaGraphLaunch(NULL, NULL));
    FAILS(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(NULL, NULL, &launch));
    FAILS(cudaErrorInvalidValue, cudaGraphExecUpdate(NULL, graph, NULL));
    SUCCEEDS(cudaGraphDestroy(graph));
    FAILS(cudaErrorInvalidValue, cudaGraphDestroy(graph));
}

static void a_graph_is_seen_through_its_edges_clones_and_children(void **state)
{
    (void)state;
    struct case_data data = begin();
    cudaGraph_t graph, clone, child, found;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second, inner, twin, from[4], to[4], roots[4];
    cudaGraphEdgeData kinds[4];
    size_t edges = 4, count = 4;
    int n = N, by = 2, number[2] = {70, 0};
    unsigned enabled = 9;
    unsigned long long flags = 9;
    void *arguments[] = {&data.device, &n, &by};
    struct cudaKernelNodeParams launch = {
        .func = &host_increment, .gridDim = {4, 1, 1}, .blockDim = {64, 1, 1}, .kernelParams = arguments};
    SUCCEEDS(cudaMemset(data.device, 0, N * sizeof(int)));
    SUCCEEDS(cudaGraphCreate(&child, 0));
    SUCCEEDS(cudaGraphAddKernelNode(&inner, child, NULL, 0, &launch));
    SUCCEEDS(cudaGraphCreate(&graph, 0));
    SUCCEEDS(cudaGraphAddMemcpyNodeToSymbol(&first, graph, NULL, 0, host_number, number, 4, 0, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaGraphAddMemcpyNodeFromSymbol(&second, graph, &first, 1, &number[1], host_number, 4, 0,
                                              cudaMemcpyDeviceToHost));
    SUCCEEDS(cudaGraphAddChildGraphNode(&inner, graph, NULL, 0, child));
    SUCCEEDS(cudaGraphChildGraphNodeGetGraph(inner, &found));
    assert_ptr_not_equal(found, child);
    SUCCEEDS(cudaGraphGetEdges(graph, from, to, kinds, &edges));
    assert_int_equal(edges, 1);
    assert_ptr_equal(from[0], first);
    assert_ptr_equal(to[0], second);
    SUCCEEDS(cudaGraphAddDependencies(graph, &second, &inner, NULL, 1));
    SUCCEEDS(cudaGraphGetRootNodes(graph, roots, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(roots[0], first);
    count = 4;
    SUCCEEDS(cudaGraphNodeGetDependencies(inner, from, kinds, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(from[0], second);
    count = 4;
    SUCCEEDS(cudaGraphNodeGetDependentNodes(first, to, NULL, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(to[0], second);
    SUCCEEDS(cudaGraphClone(&clone, graph));
    SUCCEEDS(cudaGraphNodeFindInClone(&twin, inner, clone));
    assert_ptr_not_equal(twin, inner);
    cudaGraphInstantiateParams params = {.flags = 0};
    SUCCEEDS(cudaGraphInstantiateWithParams(&exec, graph, &params));
    assert_int_equal(params.result_out, cudaGraphInstantiateSuccess);
    SUCCEEDS(cudaGraphExecGetFlags(exec, &flags));
    assert_int_equal(flags, 0);
    SUCCEEDS(cudaGraphUpload(exec, data.stream));
    SUCCEEDS(cudaGraphLaunch(exec, data.stream));
    SUCCEEDS(cudaStreamSynchronize(data.stream));
    assert_int_equal(number[1], 70);
    SUCCEEDS(cudaMemcpy(data.pinned, data.device, N * sizeof(int), cudaMemcpyDeviceToHost));
    assert_int_equal(data.pinned[17], 2);
    number[0] = 80;
    SUCCEEDS(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, second, &number[0], host_number, 4, 0,
                                                        cudaMemcpyDeviceToHost));
    SUCCEEDS(
        cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, first, host_number, &number[1], 4, 0, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaGraphLaunch(exec, data.stream));
    SUCCEEDS(cudaStreamSynchronize(data.stream));
    assert_int_equal(number[0], 70);
    FAILS(cudaErrorInvalidSymbol,
          cudaGraphMemcpyNodeSetParamsToSymbol(first, number, number, 4, 0, cudaMemcpyHostToDevice));
    SUCCEEDS(cudaGraphNodeGetEnabled(exec, first, &enabled));
    assert_int_equal(enabled, 1);
    SUCCEEDS(cudaGraphExecDestroy(exec));
    SUCCEEDS(cudaGraphDestroyNode(second));
    FAILS(cudaErrorInvalidValue, cudaGraphDestroyNode(second));
    SUCCEEDS(cudaGraphDestroy(graph));
    SUCCEEDS(cudaGraphDestroy(clone));
    SUCCEEDS(cudaGraphDestroy(child));
    number[0] = 7;
    SUCCEEDS(cudaMemcpyToSymbol(host_number, number, 4, 0, cudaMemcpyHostToDevice));
    end(&data);
}

static void boxes_of_memory_nodes_come_back_as_they_were_given(void **state)
{
    (void)state;
    struct case_data data = begin();
    struct cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
    cudaArray_t array;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t in, out;
    struct cudaMemcpy3DParms found;
    SUCCEEDS(cudaMallocArray(&array, &desc, 16, 4, 0));
    struct cudaMemcpy3DParms parms = {.srcPtr = {data.pinned, 64, 16, 2},
                                      .dstArray = array,
                                      .dstPos = {0, 1, 0},
                                      .extent = {16, 2, 1},
                                      .kind = cudaMemcpyHostToDevice};
    SUCCEEDS(cudaGraphCreate(&graph, 0));
    SUCCEEDS(cudaGraphAddMemcpyNode(&in, graph, NULL, 0, &parms));
    SUCCEEDS(cudaGraphMemcpyNodeGetParams(in, &found));
    assert_ptr_equal(found.dstArray, array);
    assert_null(found.srcArray);
    assert_ptr_equal(found.srcPtr.ptr, data.pinned);
    assert_int_equal(found.srcPtr.pitch, 64);
    assert_int_equal(found.dstPos.y, 1);
    assert_int_equal(found.extent.width, 16);
    assert_int_equal(found.extent.height, 2);
    assert_int_equal(found.kind, cudaMemcpyHostToDevice);
    parms = (struct cudaMemcpy3DParms){.srcArray = array,
                                       .srcPos = {4, 2, 0},
                                       .dstPtr = {data.pinned + 100, 16, 4, 1},
                                       .extent = {4, 1, 1},
                                       .kind = cudaMemcpyDeviceToHost};
    SUCCEEDS(cudaGraphAddMemcpyNode(&out, graph, &in, 1, &parms));
    SUCCEEDS(cudaGraphInstantiate(&exec, graph, 0));
    SUCCEEDS(cudaGraphLaunch(exec, data.stream));
    SUCCEEDS(cudaStreamSynchronize(data.stream));
    for (int i = 0; i < 4; i++)
        assert_int_equal(data.pinned[100 + i], 16 + 4 + i);
    SUCCEEDS(cudaGraphExecDestroy(exec));
    SUCCEEDS(cudaGraphDestroy(graph));
    SUCCEEDS(cudaFreeArray(array));
    end(&data);
}

UNIT_TESTS(UNIT(a_captured_stream_runs_again_and_again), UNIT(a_graph_is_built_node_by_node_and_changed),
           UNIT(nodes_are_added_by_type_as_well), UNIT(a_graph_is_seen_through_its_edges_clones_and_children),
           UNIT(boxes_of_memory_nodes_come_back_as_they_were_given), UNIT(wrong_graphs_are_answered))
