// What the CUDA runtime knows of a GPU, as the beginning of a configuration file; docs/add-your-gpu.md says how to go
// on.
//
//   nvcc -o query validate/micro/query.cu && ./query > my-gpu.toml
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static int device = 0;

static int attribute(cudaDeviceAttr which)
{
    int value = 0;
    cudaError_t error = cudaDeviceGetAttribute(&value, which, device);
    if (error != cudaSuccess) {
        fprintf(stderr, "query: attribute %d: %s\n", (int)which, cudaGetErrorString(error));
        exit(2);
    }
    return value;
}

static void line(const char *key, const char *value, const char *source)
{
    char left[128];
    snprintf(left, sizeof left, "%s = %s", key, value);
    printf("%-31s # device query%s%s\n", left, source[0] ? ": " : "", source);
}

static void number(const char *key, double value, const char *source)
{
    char text[64];
    snprintf(text, sizeof text, "%.10g", value);
    line(key, text, source);
}

static void print_gpu(const cudaDeviceProp *p)
{
    size_t available = 0, total = 0;
    char name[300];
    if (cudaMemGetInfo(&available, &total) != cudaSuccess)
        available = p->totalGlobalMem;
    snprintf(name, sizeof name, "\"%.60s\"", p->name);
    printf("\n[gpu]\n");
    line("name", name, "");
    number("sms", attribute(cudaDevAttrMultiProcessorCount), "");
    number("clock", attribute(cudaDevAttrClockRate) / 1e3, "highest clock; put the clock here at which you measure");
    number("memory", (double)(available >> 20) / 1024, "cudaMemGetInfo");
}

static void print_sm(const cudaDeviceProp *p)
{
    int threads = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    printf("\n[sm]\n");
    number("warps", threads / 32, "");
    number("threads", threads, "");
    number("ctas", attribute(cudaDevAttrMaxBlocksPerMultiprocessor), "");
    number("registers", attribute(cudaDevAttrMaxRegistersPerMultiprocessor), "");
    number("shared", attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor), "");
    number("shared_per_cta", (double)p->sharedMemPerBlockOptin, "");
    number("shared_reserved", attribute(cudaDevAttrReservedSharedMemoryPerBlock), "");
}

int main(int argc, char **argv)
{
    cudaDeviceProp p;
    if (argc > 1)
        device = atoi(argv[1]);
    cudaError_t error = cudaSetDevice(device);
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&p, device);
    if (error != cudaSuccess) {
        fprintf(stderr, "query: device %d: %s\n", device, cudaGetErrorString(error));
        return 2;
    }
    int bus = attribute(cudaDevAttrGlobalMemoryBusWidth);
    double clock = attribute(cudaDevAttrMemoryClockRate) / 1e3;
    printf("# %s, %d bits of memory at a clock of %g MHz.\n", p.name, bus, clock);
    printf("inherits = \"sm_%d%d\"\n", p.major, p.minor);
    print_gpu(&p);
    print_sm(&p);
    printf("\n[l2]\n");
    number("size", attribute(cudaDevAttrL2CacheSize), "");
    printf("\n[dram]\n");
    number("bandwidth", 2 * clock * 1e6 * bus / 8 / 1e9, "two transfers a clock; compare with the data sheet");
    return 0;
}
