// The driver API alone: a module from a file's bytes, a launch by parameters and by the extra buffer, its variables.
// functional: driver.cubin driver.fatbin driver.ptx
// detailed: driver.fatbin
#include "ladder_driver.cuh"
#include <fstream>
#include <iterator>
#include <string>

static std::vector<char> read(const char *program, const char *name)
{
    std::string path(program);
    path = path.substr(0, path.rfind('/') + 1) + name;
    std::ifstream file(path, std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT(!bytes.empty());
    bytes.push_back(0);   // PTX is a text
    return bytes;
}

static void run(CUmodule module, CUcontext context)
{
    CUfunction vecadd, missing;
    DRIVER(cuModuleGetFunction(&vecadd, module, "driver_vecadd"));
    EXPECT(cuModuleGetFunction(&missing, module, "no_such_kernel") == CUDA_ERROR_NOT_FOUND);
    const int n = 1000;
    float a[n], b[n], c[n];
    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 0.25f * (float)i;
    }
    CUdeviceptr da, db, dc;
    DRIVER(cuMemAlloc(&da, sizeof a));
    DRIVER(cuMemAlloc(&db, sizeof b));
    DRIVER(cuMemAlloc(&dc, sizeof c));
    DRIVER(cuMemcpyHtoD(da, a, sizeof a));
    DRIVER(cuMemcpyHtoD(db, b, sizeof b));
    for (int form = 0; form < 2; form++) {
        char tag = (char)(form + 1);
        struct {
            CUdeviceptr a, b;
            char tag;
            CUdeviceptr c;
            int n;
        } packed = {da, db, tag, dc, n};
        size_t size = offsetof(decltype(packed), n) + sizeof(int);
        int count = n;
        void *parameters[] = {&da, &db, &tag, &dc, &count};
        void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                         CU_LAUNCH_PARAM_END};
        DRIVER(cuMemsetD32(dc, 0, n));
        DRIVER(cuLaunchKernel(vecadd, 8, 1, 1, 128, 1, 1, 0, nullptr, form ? nullptr : parameters,
                              form ? extra : nullptr));
        DRIVER(cuCtxSynchronize());
        DRIVER(cuMemcpyDtoH(c, dc, sizeof c));
        for (int i = 0; i < n; i++)
            EXPECT_EQUAL(c[i], a[i] + b[i] * (float)tag + 100, i);
    }
    CUdeviceptr bias;
    size_t bytes = 0;
    DRIVER(cuModuleGetGlobal(&bias, &bytes, module, "driver_bias"));
    EXPECT_EQUAL(bytes, 4, 0);
    float told = 0;
    DRIVER(cuMemcpyDtoH(&told, bias, 4));
    EXPECT_EQUAL(told, 100, 0);
    int registers = 0, version = 0, major = 0, minor = 0;
    CUdevice device;
    DRIVER(cuCtxGetDevice(&device));
    DRIVER(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    DRIVER(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    DRIVER(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, vecadd));
    DRIVER(cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_BINARY_VERSION, vecadd));
    EXPECT(registers > 0 && registers < 64);
    EXPECT(version / 10 == major && version % 10 <= minor);
    CUcontext current;
    DRIVER(cuCtxGetCurrent(&current));
    EXPECT(current == context);
    DRIVER(cuMemFree(da));
    DRIVER(cuMemFree(db));
    DRIVER(cuMemFree(dc));
}

int main(int argc, char **argv)
{
    DRIVER(cuInit(0));
    int version = 0, count = 0;
    DRIVER(cuDriverGetVersion(&version));
    EXPECT(version >= 13000);
    DRIVER(cuDeviceGetCount(&count));
    EXPECT_EQUAL(count, 1, 0);
    CUdevice device;
    CUcontext context;
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuCtxCreate(&context, nullptr, 0, device));
    for (int i = 1; i < argc; i++) {
        std::vector<char> image = read(argv[0], argv[i]);
        CUmodule module;
        CUresult result = cuModuleLoadData(&module, image.data());
        if (result == CUDA_ERROR_NO_BINARY_FOR_GPU && std::strstr(argv[i], ".cubin"))
            continue;   // the cubin is for another architecture
        if (result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND && std::strstr(argv[i], ".ptx"))
            continue;   // neither nvJitLink nor ptxas is here
        DRIVER(result);
        run(module, context);
        DRIVER(cuModuleUnload(module));
    }
    DRIVER(cuCtxDestroy(context));
    return ladder_result("driver");
}
