// Wrong calls to the runtime and the driver, with the codes that the public manuals give for them. functional: stdout~
// wrong_calls: 2\d\d checks are right
#include "wrong_calls.cuh"
#include <atomic>
#include <thread>

__device__ int symbol[4];
__global__ void kernel(int *out) { *out = 1; }
__global__ void meeting(int *out) { *out = 1; }
static void host_function(int *) {}
static std::atomic<bool> released;
static void hold(void *)
{
    while (!released.load())
        std::this_thread::yield();
}

// A handle that was one once.
static cudaStream_t old_stream()
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamDestroy(stream));
    return stream;
}

static cudaEvent_t old_event()
{
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventDestroy(event));
    return event;
}

static void devices()
{
    cudaDeviceProp properties;
    int value;
    size_t size;
    R(cudaErrorInvalidDevice, cudaSetDevice(1));
    R(cudaErrorInvalidDevice, cudaSetDevice(-1));
    R(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, 7));
    R(cudaErrorInvalidValue, cudaGetDevice(nullptr));
    R(cudaErrorInvalidValue, cudaGetDeviceCount(nullptr));
    R(cudaErrorInvalidValue, cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    R(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 3));
    R(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
    R(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&size, (cudaLimit)999));
    R(cudaErrorUnsupportedLimit, cudaDeviceSetLimit((cudaLimit)999, 1));
    R(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&value, 0, 5));
    R(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
    R(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(0, 1));   // the flags are reserved
    R(cudaErrorInvalidValue, cudaRuntimeGetVersion(nullptr));
}

static void memory(int *device)
{
    int host[64] = {}, *pointer, *pinned;
    char *pitched;
    size_t pitch, size;
    void *address;
    R(cudaErrorInvalidValue, cudaMalloc((void **)nullptr, 16));
    R(cudaErrorMemoryAllocation, cudaMalloc(&pointer, (size_t)1 << 50));
    R(cudaErrorInvalidValue, cudaFree(host));
    R(cudaErrorInvalidValue, cudaFree(device + 1));
    CHECK(cudaMalloc(&pointer, 4096));
    CHECK(cudaFree(pointer));
    R(cudaErrorInvalidValue, cudaFree(pointer));
    R(cudaErrorInvalidValue, cudaMallocHost((void **)nullptr, 16));
    R(cudaErrorInvalidValue, cudaFreeHost(host));
    R(cudaErrorInvalidValue, cudaHostAlloc(&pinned, 16, 0xff00));
    CHECK(cudaMallocHost(&pinned, 4096));
    R(cudaErrorInvalidValue, cudaHostGetDevicePointer(&pointer, host, 0));
    R(cudaErrorInvalidValue, cudaHostGetDevicePointer(&pointer, pinned, 1));
    unsigned flags;
    R(cudaErrorInvalidValue, cudaHostGetFlags(&flags, host));
    R(cudaErrorInvalidValue, cudaHostRegister(nullptr, 16, 0));
    R(cudaErrorInvalidValue, cudaHostRegister(host, 0, 0));
    R(cudaErrorInvalidValue, cudaHostRegister(host, sizeof host, 0xff00));
    CHECK(cudaHostRegister(host, sizeof host, 0));
    R(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(host, sizeof host, 0));
    CHECK(cudaHostUnregister(host));
    R(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(host));
    R(cudaErrorInvalidValue, cudaMallocManaged(&pointer, 0));
    R(cudaErrorInvalidValue, cudaMallocManaged(&pointer, 16, 0x40));
    R(cudaErrorInvalidValue, cudaMallocPitch((void **)nullptr, &pitch, 16, 16));
    R(cudaErrorInvalidValue, cudaMallocPitch(&pitched, nullptr, 16, 16));

    R(cudaErrorInvalidValue, cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice));
    R(cudaErrorInvalidValue, cudaMemcpy(device, nullptr, 4, cudaMemcpyHostToDevice));
    R(cudaErrorInvalidMemcpyDirection, cudaMemcpy(device, host, 4, (cudaMemcpyKind)17));
    R(cudaErrorInvalidMemcpyDirection, cudaMemcpyAsync(device, host, 4, (cudaMemcpyKind)-1, 0));
    R(cudaErrorInvalidValue, cudaMemcpy(device, host, (size_t)1 << 40, cudaMemcpyHostToDevice));
    R(cudaErrorInvalidValue, cudaMemcpy(host, pointer, 4, cudaMemcpyDeviceToHost));   // freed above
    R(cudaErrorInvalidResourceHandle, cudaMemcpyAsync(device, host, 4, cudaMemcpyHostToDevice, old_stream()));
    R(cudaErrorInvalidPitchValue, cudaMemcpy2D(device, 4, host, 16, 8, 2, cudaMemcpyHostToDevice));
    R(cudaErrorInvalidPitchValue, cudaMemcpy2D(device, 16, host, 4, 8, 2, cudaMemcpyHostToDevice));
    R(cudaErrorInvalidMemcpyDirection, cudaMemcpy2D(device, 16, host, 16, 8, 2, (cudaMemcpyKind)9));
    R(cudaErrorInvalidValue, cudaMemset(nullptr, 0, 4));
    R(cudaErrorInvalidValue, cudaMemset(device, 0, (size_t)1 << 40));
    R(cudaErrorInvalidValue, cudaMemset2D(device, 4, 0, 8, 2));
    R(cudaErrorInvalidDevice, cudaMemcpyPeer(device, 0, device, 9, 4));

    R(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(host, host, 4));
    R(cudaErrorInvalidValue, cudaMemcpyToSymbol(symbol, host, 20));
    R(cudaErrorInvalidValue, cudaMemcpyFromSymbol(host, symbol, 8, 12));
    R(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(symbol, host, 4, 0, cudaMemcpyDeviceToHost));
    R(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, host));
    R(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, host));

    cudaMemLocation location = {};
    location.type = cudaMemLocationTypeDevice;
    R(cudaErrorInvalidValue, cudaMemPrefetchAsync(device, 4096, location, 0));
    R(cudaErrorInvalidValue, cudaMemAdvise(device, 4096, cudaMemAdviseSetReadMostly, location));
    R(cudaErrorInvalidValue, cudaPointerGetAttributes(nullptr, device));
    cudaArray_t array;
    cudaChannelFormatDesc odd = {7, 0, 0, 0, cudaChannelFormatKindUnsigned}, plain = cudaCreateChannelDesc<float>();
    R(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &odd, 16, 16));
    R(cudaErrorInvalidValue, cudaMallocArray(nullptr, &plain, 16, 16));
    cudaMemPool_t pool;
    cudaMemPoolProps properties = {};
    R(cudaErrorInvalidValue, cudaMallocAsync((void **)nullptr, 16, 0));
    R(cudaErrorInvalidValue, cudaFreeAsync(host, 0));
    R(cudaErrorInvalidValue, cudaMemPoolCreate(&pool, &properties));   // of no type
    R(cudaErrorInvalidValue, cudaMemPoolDestroy(nullptr));
    CHECK(cudaFreeHost(pinned));
}

static void streams(int *device)
{
    cudaStream_t stream;
    cudaEvent_t event, timed, other, untimed;
    float time;
    int priority;
    R(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
    R(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 77));
    R(cudaErrorInvalidResourceHandle, cudaStreamDestroy(nullptr));
    R(cudaErrorInvalidResourceHandle, cudaStreamDestroy(old_stream()));
    R(cudaErrorInvalidResourceHandle, cudaStreamQuery(old_stream()));
    R(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(old_stream()));
    R(cudaErrorInvalidResourceHandle, cudaStreamGetPriority(old_stream(), &priority));
    R(cudaErrorInvalidValue, cudaEventCreate(nullptr));
    R(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, 0xff00));
    R(cudaErrorInvalidResourceHandle, cudaEventRecord(nullptr, 0));
    R(cudaErrorInvalidResourceHandle, cudaEventSynchronize(nullptr));
    R(cudaErrorInvalidResourceHandle, cudaEventDestroy(nullptr));
    R(cudaErrorInvalidResourceHandle, cudaEventQuery(old_event()));
    R(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(0, nullptr, 0));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&timed));
    CHECK(cudaEventCreate(&other));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    R(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&time, timed, other));   // never recorded
    CHECK(cudaEventRecord(timed, stream));
    CHECK(cudaEventRecord(untimed, stream));
    R(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&time, timed, untimed));
    R(cudaErrorInvalidValue, cudaEventElapsedTime(nullptr, timed, timed));
    R(cudaErrorInvalidValue, cudaStreamWaitEvent(stream, timed, 0x70));
    R(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, nullptr, nullptr));
    R(cudaErrorInvalidValue, cudaStreamAddCallback(stream, nullptr, nullptr, 0));
    CHECK(cudaLaunchHostFunc(stream, hold, nullptr));
    CHECK(cudaEventRecord(other, stream));
    R(cudaErrorNotReady, cudaStreamQuery(stream));
    R(cudaErrorNotReady, cudaEventQuery(other));
    R(cudaErrorNotReady, cudaEventElapsedTime(&time, timed, other));
    released = true;
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&time, timed, other));
    R(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, device, 0, cudaMemAttachSingle));
    CHECK(cudaStreamDestroy(stream));
}

static void launches(int *device)
{
    void *arguments[] = {&device};
    int blocks;
    cudaFuncAttributes attributes;
    L(cudaErrorInvalidConfiguration, kernel<<<0, 32>>>(device));
    L(cudaErrorInvalidConfiguration, kernel<<<1, 0>>>(device));
    L(cudaErrorInvalidConfiguration, kernel<<<1, 1025>>>(device));
    L(cudaErrorInvalidConfiguration, kernel<<<1, dim3(1, 1, 65)>>>(device));
    L(cudaErrorInvalidConfiguration, kernel<<<1, dim3(64, 32)>>>(device));
    L(cudaErrorInvalidConfiguration, kernel<<<dim3(1, 65536), 32>>>(device));
    L(cudaErrorInvalidConfiguration, kernel<<<dim3(1, 1, 65536), 32>>>(device));
    L(cudaErrorInvalidConfiguration, kernel<<<0x80000000u, 32>>>(device));
    L(cudaErrorInvalidValue, kernel<<<1, 32, 64 << 10>>>(device));
    L(cudaErrorInvalidResourceHandle, kernel<<<1, 32, 0, old_stream()>>>(device));
    R(cudaErrorInvalidDeviceFunction, cudaLaunchKernel((const void *)host_function, 1, 32, arguments));
    R(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&attributes, (const void *)host_function));
    R(cudaErrorInvalidValue, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    R(cudaErrorInvalidValue, cudaFuncSetAttribute(kernel, (cudaFuncAttribute)99, 1));
    R(cudaErrorInvalidDeviceFunction,
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)host_function, 32, 0));
    R(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 0, 0));
    R(cudaErrorCooperativeLaunchTooLarge, cudaLaunchCooperativeKernel(meeting, 1 << 20, 128, arguments));
}

static void captures(int *device)
{
    cudaStream_t stream, side;
    cudaEvent_t event;
    cudaGraph_t graph = nullptr, other;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&side));
    CHECK(cudaEventCreate(&event));
    R(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    R(cudaErrorInvalidValue, cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)9));
    R(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    R(cudaErrorIllegalState, cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphDestroy(graph));

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    R(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
    R(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(device, 0, 4, stream));
    R(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    R(cudaErrorStreamCaptureImplicit, cudaMemsetAsync(device, 0, 4, 0));   // the legacy stream
    R(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    void *memory;
    R(cudaErrorStreamCaptureUnsupported, cudaMalloc(&memory, 16));   // may synchronise
    R(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(event, stream));
    R(cudaErrorCapturedEvent, cudaEventSynchronize(event));
    (void)cudaStreamEndCapture(stream, &graph);
    (void)cudaGetLastError();

    CHECK(cudaEventDestroy(event));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaStreamWaitEvent(side, event, 0));
    CHECK(cudaMemsetAsync(device, 0, 4, side));
    R(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(side, &graph));   // not where it began
    (void)cudaStreamEndCapture(stream, &graph);
    (void)cudaGetLastError();

    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaStreamWaitEvent(side, event, 0));
    CHECK(cudaMemsetAsync(device, 0, 4, side));
    R(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph));

    CHECK(cudaGraphCreate(&graph, 0));
    R(cudaErrorInvalidValue, cudaGraphCreate(nullptr, 0));
    R(cudaErrorInvalidValue, cudaGraphCreate(&other, 1));
    R(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, nullptr, 0));
    R(cudaErrorInvalidValue, cudaGraphLaunch(nullptr, stream));
    R(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, nullptr, nullptr, 0));
    R(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, nullptr, 1));
    R(cudaErrorInvalidValue, cudaGraphDestroy(nullptr));
    CHECK(cudaGraphDestroy(graph));
}

int main()
{
    wrong_calls_before_init();
    int *device;
    CHECK(cudaMalloc(&device, 4096));
    devices();
    memory(device);
    streams(device);
    launches(device);
    captures(device);
    wrong_calls_driver();
    EXPECT(std::strcmp(cudaGetErrorString((cudaError_t)99999), "unrecognized error code") == 0);

    // After all of it the device works.
    kernel<<<1, 1>>>(device);
    int one = 0;
    CHECK(cudaMemcpy(&one, device, sizeof one, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(one, 1, 0);
    return ladder_result("wrong_calls");
}
