// The driver's rows of wrong_calls.cu.
#include "wrong_calls.cuh"

__global__ void driver_kernel(int *out) { *out = 1; }

void wrong_calls_before_init()
{
    int count;
    CUdevice device;
    CUcontext context;
    CUdeviceptr pointer;
    D(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGetCount(&count));
    D(CUDA_ERROR_NOT_INITIALIZED, cuDeviceGet(&device, 0));
    D(CUDA_ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&context));
    D(CUDA_ERROR_NOT_INITIALIZED, cuMemAlloc(&pointer, 4));
    D(CUDA_ERROR_INVALID_VALUE, cuInit(1));
    D(CUDA_SUCCESS, cuInit(0));
    // Without a context.
    CUmodule module;
    CUstream stream;
    CUevent event;
    D(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&pointer, 4));
    D(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    D(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice(&device));
    D(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(&context));
    D(CUDA_ERROR_INVALID_CONTEXT, cuModuleLoadData(&module, "x"));
    D(CUDA_ERROR_INVALID_CONTEXT, cuStreamCreate(&stream, 0));
    D(CUDA_ERROR_INVALID_CONTEXT, cuEventCreate(&event, 0));
    D(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));   // nobody has retained it
}

static void devices()
{
    CUdevice device;
    int value;
    size_t size;
    CUcontext context;
    const char *text = "";
    D(CUDA_ERROR_INVALID_VALUE, cuDeviceGet(nullptr, 0));
    D(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 5));
    D(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, -1));
    D(CUDA_ERROR_INVALID_VALUE, cuDeviceGetCount(nullptr));
    D(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(nullptr, 10, 0));
    D(CUDA_ERROR_INVALID_VALUE, cuDeviceGetAttribute(&value, (CUdevice_attribute)5000, 0));
    D(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 7));
    D(CUDA_ERROR_INVALID_VALUE, cuDeviceTotalMem(nullptr, 0));
    D(CUDA_ERROR_INVALID_DEVICE, cuDeviceTotalMem(&size, 3));
    D(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRetain(&context, 8));
    D(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(nullptr, nullptr, 0, 0));
    D(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(&context, nullptr, 0xff000000, 0));
    D(CUDA_ERROR_INVALID_DEVICE, cuCtxCreate(&context, nullptr, 0, 9));
    D(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxGetLimit(&size, (CUlimit)999));
    D(CUDA_ERROR_UNSUPPORTED_LIMIT, cuCtxSetLimit((CUlimit)999, 1));
    D(CUDA_ERROR_INVALID_VALUE, cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE));
    D(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)99999, &text));
    ladder().checks++;
    ladder().wrong += text != nullptr;
    D(CUDA_ERROR_INVALID_VALUE, cuGetErrorString((CUresult)99999, &text));
}

static void memory()
{
    CUdeviceptr pointer, other, device;
    size_t pitch;
    void *host;
    int words[64];
    DRIVER(cuMemAlloc(&device, 4096));
    D(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&pointer, 0));
    D(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(nullptr, 4));
    D(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&pointer, (size_t)1 << 50));
    D(CUDA_ERROR_INVALID_VALUE, cuMemFree((CUdeviceptr)words));
    D(CUDA_ERROR_INVALID_VALUE, cuMemFree(device + 4));
    D(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&pointer, &pitch, 64, 4, 5));
    D(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc(&host, 64, 0xff00));
    D(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&pointer, 64, 0));
    D(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&pointer, 0, CU_MEM_ATTACH_GLOBAL));
    D(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(0, words, 4));
    D(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(nullptr, device, 4));
    D(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD(device, 0x1000, 4));
    D(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(device + 1, 0, 4));
    D(CUDA_ERROR_INVALID_VALUE, cuMemsetD16(device + 1, 0, 4));
    D(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(device, 0, (size_t)1 << 40));
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = words;
    copy.srcPitch = 8;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = device;
    copy.dstPitch = 16;
    copy.WidthInBytes = 16;
    copy.Height = 2;
    D(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&copy));   // wider than the source's pitch
    D(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer(&pointer, words, 0));
    D(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(words));
    unsigned type;
    D(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)words));
    D(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device));
    D(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&other, &pitch, 0x1000));
    CUarray array;
    CUDA_ARRAY3D_DESCRIPTOR shape = {};
    shape.Height = 4;
    shape.Format = CU_AD_FORMAT_FLOAT;
    shape.NumChannels = 1;
    D(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&array, &shape));   // of no width
    shape.Width = 4;
    shape.NumChannels = 3;
    D(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&array, &shape));
    D(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&pointer, 0, 0, 0, 0));
    D(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&pointer, 1000, 0, 0, 0));
    DRIVER(cuMemAddressReserve(&pointer, 32 << 20, 0, 0, 0));
    CUmemAllocationProp property = {};
    property.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    property.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemGenericAllocationHandle piece;
    D(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&piece, 1000, &property, 0));
    D(CUDA_ERROR_INVALID_VALUE, cuMemRelease(0x1234));
    D(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(pointer, 32 << 20));   // nothing is mapped
    DRIVER(cuMemAddressFree(pointer, 32 << 20));
    DRIVER(cuMemFree(device));
}

static void modules()
{
    static const char junk[64] = {1, 2, 3}, ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n.entry x( { }\n";
    CUmodule module;
    CUlibrary library;
    CUfunction function;
    cudaFunction_t known;
    CHECK(cudaGetFuncBySymbol(&known, (const void *)driver_kernel));
    function = (CUfunction)known;
    CUmodule own;
    DRIVER(cuFuncGetModule(&own, function));
    CUdeviceptr address;
    size_t size;
    int value;
    D(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&module, nullptr));
    D(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, junk));
    D(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/no/such/file.cubin"));
    CUresult jit = cuModuleLoadData(&module, ptx);
    if (jit != CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
        D(CUDA_ERROR_INVALID_PTX, jit);
    D(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&function, own, "no_such_kernel"));
    D(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&address, &size, own, "no_such_variable"));
    D(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&function, own, nullptr));
    D(CUDA_ERROR_INVALID_VALUE,
      cuLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
    function = (CUfunction)known;
    D(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&value, (CUfunction_attribute)999, function));
    D(CUDA_ERROR_INVALID_HANDLE, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr));
    D(CUDA_ERROR_INVALID_VALUE, cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS, 10));   // is read-only
    D(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, function, 0, 0));
}

static void launches()
{
    cudaFunction_t known;
    CHECK(cudaGetFuncBySymbol(&known, (const void *)driver_kernel));
    CUfunction f = (CUfunction)known;
    CUdeviceptr out;
    DRIVER(cuMemAlloc(&out, 64));
    void *arguments[] = {&out};
    size_t size = sizeof out;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &out, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    D(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(nullptr, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0));
    D(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, 0, arguments, 0));
    D(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 32, 33, 1, 0, 0, arguments, 0));
    D(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 70000, 1, 32, 1, 1, 0, 0, arguments, 0));
    D(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 1 << 20, 0, arguments, 0));
    D(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, arguments, extra));   // both forms
    D(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, nullptr, nullptr));
    DRIVER(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, nullptr, extra));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuMemFree(out));
}

static void streams()
{
    CUstream stream;
    CUevent event, unrecorded;
    float time;
    D(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&stream, 0x40));
    D(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(nullptr, 0));
    D(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy(nullptr));
    D(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery((CUstream)0x12345678));
    D(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&event, 0x80));
    D(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(nullptr, 0));
    D(CUDA_ERROR_INVALID_HANDLE, cuEventQuery((CUevent)0x12345678));
    DRIVER(cuEventCreate(&unrecorded, 0));
    D(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&time, unrecorded, unrecorded));
    D(CUDA_ERROR_INVALID_HANDLE, cuStreamWaitEvent(0, nullptr, 0));
    D(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture(0, CU_STREAM_CAPTURE_MODE_GLOBAL));
    DRIVER(cuEventDestroy(unrecorded));
    D(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy(unrecorded));
}

void wrong_calls_driver()
{
    devices();
    memory();
    modules();
    launches();
    streams();
}
