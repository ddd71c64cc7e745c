// A kernel compiled while the program runs, by NVRTC: to a cubin where that is possible, and to PTX.
// functional:
#include "ladder_driver.cuh"
#include <nvrtc.h>
#include <string>

static const char source[] = R"(
template <typename T> __global__ void power(T *data, int exponent)
{
    T result = 1;
    for (int i = 0; i < exponent; i++)
        result *= data[threadIdx.x];
    data[threadIdx.x] = result;
}
)";

static void nvrtc(nvrtcResult result)
{
    if (result != NVRTC_SUCCESS) {
        std::fprintf(stderr, "nvrtc: %s\n", nvrtcGetErrorString(result));
        std::exit(1);
    }
}

static void run(bool cubin)
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    std::string target = (cubin ? "-arch=sm_" : "-arch=compute_") + std::to_string(10 * device.major + device.minor);
    const char *options[] = {target.c_str()};
    nvrtcProgram program;
    nvrtc(nvrtcCreateProgram(&program, source, "power.cu", 0, nullptr, nullptr));
    nvrtc(nvrtcAddNameExpression(program, "power<unsigned>"));
    nvrtc(nvrtcCompileProgram(program, 1, options));
    const char *name;
    nvrtc(nvrtcGetLoweredName(program, "power<unsigned>", &name));
    size_t size = 0;
    nvrtc(cubin ? nvrtcGetCUBINSize(program, &size) : nvrtcGetPTXSize(program, &size));
    std::vector<char> image(size);
    nvrtc(cubin ? nvrtcGetCUBIN(program, image.data()) : nvrtcGetPTX(program, image.data()));

    CUmodule module;
    CUfunction power;
    char log[1024] = "";
    CUjit_option option[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *value[] = {log, (void *)sizeof log};
    CUresult result = cuModuleLoadDataEx(&module, image.data(), 2, option, value);
    if (!cubin && result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND)
        return;
    DRIVER(result);
    DRIVER(cuModuleGetFunction(&power, module, name));
    unsigned host[64], *data;
    int exponent = 5;
    for (unsigned i = 0; i < 64; i++)
        host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    void *arguments[] = {&data, &exponent};
    DRIVER(cuLaunchKernel(power, 1, 1, 1, 64, 1, 1, 0, 0, arguments, 0));
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 64; i++)
        EXPECT_EQUAL(host[i], i * i * i * i * i, i);
    nvrtc(nvrtcDestroyProgram(&program));
    DRIVER(cuModuleUnload(module));
}

int main()
{
    CHECK(cudaFree(0));
    run(true);
    run(false);
    return ladder_result("nvrtc");
}
