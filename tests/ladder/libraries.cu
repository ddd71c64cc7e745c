// Kernels and variables found by name in a loaded library, entry points of the driver, and launches with attributes.
// functional:
#include "ladder_driver.cuh"
#include <fstream>
#include <iterator>
#include <string>

__global__ void scaled(int *out, int factor) { out[threadIdx.x] = factor * (int)threadIdx.x; }

static void by_library(const char *program)
{
    std::string path(program);
    std::ifstream file(path.substr(0, path.rfind('/') + 1) + "driver.fatbin", std::ios::binary);
    std::vector<char> image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT(!image.empty());
    cudaLibrary_t library;
    CHECK(cudaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    cudaKernel_t kernel, missing;
    CHECK(cudaLibraryGetKernel(&kernel, library, "driver_vecadd"));
    EXPECT_ERROR(cudaLibraryGetKernel(&missing, library, "nothing"), cudaErrorSymbolNotFound);
    (void)cudaGetLastError();
    unsigned count = 0;
    CHECK(cudaLibraryGetKernelCount(&count, library));
    EXPECT_EQUAL(count, 1, 0);
    float *bias, five = 5, host[64], *a;
    size_t bytes = 0;
    CHECK(cudaLibraryGetGlobal((void **)&bias, &bytes, library, "driver_bias"));
    EXPECT_EQUAL(bytes, 4, 0);
    CHECK(cudaMemcpy(bias, &five, sizeof five, cudaMemcpyHostToDevice));
    for (int i = 0; i < 64; i++)
        host[i] = (float)i;
    CHECK(cudaMalloc(&a, sizeof host));
    CHECK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    char tag = 2;
    int n = 64;
    void *arguments[] = {&a, &a, &tag, &a, &n};
    CHECK(cudaLaunchKernel((const void *)kernel, 1, 64, arguments));
    CHECK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        EXPECT_EQUAL(host[i], 3 * i + 5, i);
    CHECK(cudaLibraryUnload(library));
    CHECK(cudaFree(a));
}

static void entry_points()
{
    typedef CUresult (*attribute)(int *, CUdevice_attribute, CUdevice);
    void *pointer = nullptr;
    cudaDriverEntryPointQueryResult status;
    CHECK(cudaGetDriverEntryPointByVersion("cuDeviceGetAttribute", &pointer, 12000, cudaEnableDefault, &status));
    EXPECT(status == cudaDriverEntryPointSuccess && pointer);
    int warp = 0;
    if (pointer)
        EXPECT(((attribute)pointer)(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0) == CUDA_SUCCESS);
    EXPECT_EQUAL(warp, 32, 0);
    CHECK(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &pointer, 12000, cudaEnableDefault, &status));
    EXPECT(status == cudaDriverEntryPointSymbolNotFound && !pointer);
    CUdriverProcAddressQueryResult found;
    DRIVER(cuGetProcAddress("cuLaunchKernel", &pointer, 4000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &found));
    EXPECT(found == CU_GET_PROC_ADDRESS_SUCCESS && pointer);
}

static void attributes()
{
    int *out, got[32];
    CHECK(cudaMalloc(&out, sizeof got));
    cudaLaunchAttribute list[2] = {};
    list[0].id = cudaLaunchAttributePriority;
    list[0].val.priority = -1;
    list[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    list[1].val.programmaticStreamSerializationAllowed = 1;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 32;
    config.stream = stream;
    config.attrs = list;
    config.numAttrs = 2;
    for (int factor = 1; factor < 4; factor++)
        CHECK(cudaLaunchKernelEx(&config, scaled, out, factor));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        EXPECT_EQUAL(got[i], 3 * i, i);
    const char *name = nullptr;
    CHECK(cudaFuncGetName(&name, (const void *)scaled));
    EXPECT(name && std::strstr(name, "scaled"));
}

int main(int, char **argv)
{
    CHECK(cudaInitDevice(0, 0, 0));
    by_library(argv[0]);
    entry_points();
    attributes();
    unsigned flags = 9;
    CHECK(cudaGetDeviceFlags(&flags));
    char bus[32];
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    int device = -1;
    CHECK(cudaDeviceGetByPCIBusId(&device, bus));
    EXPECT_EQUAL(device, 0, 0);
    cudaDeviceProp wanted = {};
    CHECK(cudaChooseDevice(&device, &wanted));
    EXPECT_EQUAL(device, 0, 1);
    return ladder_result("libraries");
}
