// NVTX ranges: by thread, by process, in domains, with all kinds of names, and marks. The program checks the levels
// that NVTX returns; tests/cli/test_nvtx.py reads subcore's report of them. functional: detailed:
#include "ladder.cuh"
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvtx3.hpp>
#include <thread>

__global__ void scale(float *x, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] *= factor;
}

__global__ void shift(float *x, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += by;
}

struct solver_domain {
    static constexpr const char *name = "solver";
};

enum { THREADS = 128, CTAS = 4 };

// Domains have levels of their own.
static void domains(float *x)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("solver");
    nvtxStringHandle_t name = nvtxDomainRegisterStringA(domain, "registered");
    nvtxEventAttributes_t event = {};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = name;
    EXPECT_EQUAL(nvtxDomainRangePushEx(domain, &event), 0, __LINE__);
    EXPECT_EQUAL(nvtxRangePushW(L"br\u00fcche"), 0, __LINE__);
    EXPECT_EQUAL(nvtxDomainRangePushEx(domain, &event), 1, __LINE__);
    scale<<<CTAS, THREADS>>>(x, 2);
    EXPECT_EQUAL(nvtxDomainRangePop(domain), 1, __LINE__);
    EXPECT_EQUAL(nvtxDomainRangePop(domain), 0, __LINE__);
    shift<<<CTAS, THREADS>>>(x, 1);
    EXPECT_EQUAL(nvtxRangePop(), 0, __LINE__);
    nvtx3::scoped_range_in<solver_domain> range{"scoped"};
    shift<<<CTAS, THREADS>>>(x, 1);
}

// A thread does not have another one's ranges, but those of the process.
static void threads(float *x)
{
    nvtxRangeId_t whole = nvtxRangeStartA("whole");
    nvtxRangePushA("main only");
    std::thread([x] {
        nvtxRangePushA("other thread");
        scale<<<CTAS, THREADS>>>(x, 0.5f);
        CHECK(cudaGetLastError());
        nvtxRangePop();
    }).join();
    nvtxRangePop();
    nvtxRangeEnd(whole);
}

// A graph's kernels are in the range of its launch, not in that of its capture.
static void graphs(float *x)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    nvtxRangePushA("capture");
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    scale<<<CTAS, THREADS, 0, stream>>>(x, 2);
    shift<<<CTAS, THREADS, 0, stream>>>(x, -3);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    nvtxRangePop();
    nvtxRangePushA("graph");
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    nvtxRangePop();
    nvtxMarkA("the graph is done");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

int main()
{
    float *x;
    std::vector<float> host(CTAS * THREADS, 1);
    size_t bytes = host.size() * sizeof(float);
    CHECK(cudaMalloc(&x, bytes));
    CHECK(cudaMemcpy(x, host.data(), bytes, cudaMemcpyHostToDevice));
    scale<<<CTAS, THREADS>>>(x, 3);
    EXPECT_EQUAL(nvtxRangePushA("outer"), 0, __LINE__);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQUAL(nvtxRangePushA("inner"), 1, __LINE__);
        shift<<<CTAS, THREADS>>>(x, 1);
        EXPECT_EQUAL(nvtxRangePop(), 1, __LINE__);
    }
    EXPECT_EQUAL(nvtxRangePop(), 0, __LINE__);
    nvtxRangePushA("nothing of the device");
    nvtxRangePop();
    CHECK(cudaDeviceSynchronize());
    domains(x);
    threads(x);
    graphs(x);
    CHECK(cudaMemcpy(host.data(), x, bytes, cudaMemcpyDeviceToHost));
    for (float value : host) // ((((1 * 3 + 3) * 2 + 1 + 1) * 0.5) * 2) - 3
        EXPECT_EQUAL(value, 11.0f, __LINE__);
    CHECK(cudaFree(x));
    return ladder_result("nvtx");
}
