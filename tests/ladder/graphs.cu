// Graphs: captured from streams, built from nodes, changed after instantiation, and launched again.
// functional: 2000
// detailed: 200
#include "ladder.cuh"

__global__ void add(int *data, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += value;
}

__global__ void combine(const int *a, const int *b, int *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = 10 * a[i] + b[i];
}

static void note(void *counter) { ++*(int *)counter; }

static void expect_all(const std::vector<int> &data, int value)
{
    for (size_t i = 0; i < data.size(); i++)
        EXPECT_EQUAL(data[i], value, (long)i);
}

static void captured(int n)
{
    size_t bytes = n * sizeof(int);
    int *a, *b, *c, calls = 0, blocks = (n + 127) / 128;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc(&c, bytes));
    CHECK(cudaMemset(a, 0, bytes));
    std::vector<int> host(n, -1);
    cudaStream_t stream, side;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&side));
    cudaEvent_t fork, join;
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(stream, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    CHECK(cudaStreamIsCapturing(side, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
    add<<<blocks, 128, 0, stream>>>(a, 3, n);
    CHECK(cudaEventRecord(fork, stream));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
    CHECK(cudaStreamIsCapturing(side, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    CHECK(cudaMemsetAsync(b, 0, bytes, side));
    add<<<blocks, 128, 0, side>>>(b, 4, n);
    CHECK(cudaEventRecord(join, side));
    CHECK(cudaStreamWaitEvent(stream, join, 0));
    combine<<<blocks, 128, 0, stream>>>(a, b, c, n);
    CHECK(cudaLaunchHostFunc(stream, note, &calls));
    CHECK(cudaMemcpyAsync(host.data(), c, bytes, cudaMemcpyDeviceToHost, stream));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(stream, &graph));
    EXPECT_EQUAL(calls, 0, 0);
    EXPECT_EQUAL(host[0], -1, 0);   // nothing ran yet
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    EXPECT_EQUAL(nodes, 6, 0);
    size_t edges = 0;
    CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    EXPECT_EQUAL(edges, 6, 0);

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));   // the instance lives on
    for (int launch = 1; launch <= 3; launch++) {
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        expect_all(host, 30 * launch + 4);
        EXPECT_EQUAL(calls, launch, 0);
    }
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    expect_all(host, 154);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(side));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}

static void built(int n)
{
    size_t bytes = n * sizeof(int);
    int *a, *b, *c, value = 5, other = 6, calls = 0, blocks = (n + 127) / 128;
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    CHECK(cudaMalloc(&c, bytes));
    std::vector<int> host(n, -1), source(n, 100);

    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t copy, set, add_a, add_b, join, both, call, back;
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, a, source.data(), bytes, cudaMemcpyHostToDevice));
    cudaMemsetParams zero = {};
    zero.dst = b;
    zero.elementSize = 4;
    zero.value = 7;
    zero.width = n;
    zero.height = 1;
    CHECK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &zero));
    void *to_a[] = {&a, &value, &n}, *to_b[] = {&b, &other, &n}, *to_both[] = {&a, &b, &c, &n};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = dim3(blocks);
    kernel.blockDim = dim3(128);
    kernel.kernelParams = to_a;
    CHECK(cudaGraphAddKernelNode(&add_a, graph, &copy, 1, &kernel));
    kernel.kernelParams = to_b;
    CHECK(cudaGraphAddKernelNode(&add_b, graph, &set, 1, &kernel));
    value = other = 1000;   // a node holds copies
    CHECK(cudaGraphAddEmptyNode(&join, graph, nullptr, 0));
    CHECK(cudaGraphAddDependencies(graph, &add_a, &join, nullptr, 1));
    CHECK(cudaGraphAddDependencies(graph, &add_b, &join, nullptr, 1));
    kernel.func = (void *)combine;
    kernel.kernelParams = to_both;
    CHECK(cudaGraphAddKernelNode(&both, graph, &join, 1, &kernel));
    cudaHostNodeParams function = {note, &calls};
    CHECK(cudaGraphAddHostNode(&call, graph, &both, 1, &function));
    CHECK(cudaGraphAddMemcpyNode1D(&back, graph, &call, 1, host.data(), c, bytes, cudaMemcpyDeviceToHost));
    size_t roots = 0;
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    EXPECT_EQUAL(roots, 2, 0);
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(set, &type));
    EXPECT(type == cudaGraphNodeTypeMemset);

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaStreamSynchronize(0));
    expect_all(host, 10 * 105 + 13);
    EXPECT_EQUAL(calls, 1, 0);

    // One node of the instance with other parameters. The graph itself keeps its own.
    value = 20;
    kernel.func = (void *)add;
    kernel.kernelParams = to_a;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, add_a, &kernel));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaStreamSynchronize(0));
    expect_all(host, 10 * 120 + 13);

    // The whole graph changed, and the instance brought up to it.
    value = 30;
    CHECK(cudaGraphKernelNodeSetParams(add_a, &kernel));
    zero.value = 1;
    CHECK(cudaGraphMemsetNodeSetParams(set, &zero));
    cudaGraphExecUpdateResultInfo info = {};
    CHECK(cudaGraphExecUpdate(exec, graph, &info));
    EXPECT(info.result == cudaGraphExecUpdateSuccess);
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaStreamSynchronize(0));
    expect_all(host, 10 * 130 + 7);

    // As a child of another graph, and cloned.
    cudaGraph_t parent, clone;
    CHECK(cudaGraphClone(&clone, graph));
    CHECK(cudaGraphCreate(&parent, 0));
    cudaGraphNode_t child;
    CHECK(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, clone));
    cudaGraphExec_t parent_exec;
    CHECK(cudaGraphInstantiate(&parent_exec, parent, 0));
    std::fill(host.begin(), host.end(), -1);
    CHECK(cudaGraphLaunch(parent_exec, 0));
    CHECK(cudaDeviceSynchronize());
    expect_all(host, 10 * 130 + 7);
    EXPECT_EQUAL(calls, 4, 1);
    CHECK(cudaGraphExecDestroy(parent_exec));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(parent));
    CHECK(cudaGraphDestroy(clone));

    // A cycle is refused when the graph is instantiated.
    CHECK(cudaGraphAddDependencies(graph, &back, &copy, nullptr, 1));
    EXPECT(cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess);
    (void)cudaGetLastError();
    CHECK(cudaGraphDestroy(graph));
}

static void refused()
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int *memory;
    CHECK(cudaMalloc(&memory, 4));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT_ERROR(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    (void)cudaGetLastError();
    cudaGraph_t graph = nullptr;
    EXPECT_ERROR(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    (void)cudaGetLastError();
    EXPECT(graph == nullptr);
    CHECK(cudaMemsetAsync(memory, 0, 4, stream));
    CHECK(cudaStreamSynchronize(stream));   // the stream works again
    CHECK(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 2000);
    captured(n);
    built(n);
    refused();
    return ladder_result("graphs");
}
