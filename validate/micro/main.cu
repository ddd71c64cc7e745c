// Runs the measurements on a real GPU and prints the tables that `subcore measure` prints. Build and run it here:
//
//     nvcc main.cu *.c -o measure-gpu -lcuda -lm
//     ./measure-gpu a100 [NAME...] > a100.txt
//
// The first argument is the GPU's name among the references. The kernels are those of cubin/, the same that the
// simulator runs. Lock the SM clock before: the cycles of latencies beyond the L1 depend on it.

#include <cuda.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include "measure.h"
#include "table.h"
}

static CUmodule module;

static bool good(CUresult result, const char *what)
{
    const char *text = "unknown error";
    if (result == CUDA_SUCCESS)
        return true;
    cuGetErrorString(result, &text);
    fprintf(stderr, "%s: %s\n", what, text);
    return false;
}

static uint64_t device_alloc(void *, uint64_t bytes)
{
    CUdeviceptr address;
    if (!good(cuMemAlloc(&address, bytes), "memory"))
        return 0;
    return good(cuMemsetD8(address, 0, bytes), "memory") ? address : 0;
}

static void device_release(void *, uint64_t address) { good(cuMemFree(address), "memory"); }

static bool device_write(void *, uint64_t to, const void *from, uint64_t bytes)
{
    return good(cuMemcpyHtoD(to, from, bytes), "write");
}

static bool device_read(void *, void *to, uint64_t from, uint64_t bytes)
{
    return good(cuMemcpyDtoH(to, from, bytes), "read");
}

static bool device_launch(void *, const char *kernel, unsigned ctas, unsigned threads, unsigned shared_bytes,
                          const void *parameters, size_t bytes)
{
    CUfunction function;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)parameters, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    return good(cuModuleGetFunction(&function, module, kernel), kernel) &&
           good(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                   CU_SHAREDMEM_CARVEOUT_MAX_L1),
                kernel) &&
           good(cuLaunchKernel(function, ctas, 1, 1, threads, 1, 1, shared_bytes, NULL, NULL, extra), kernel) &&
           good(cuCtxSynchronize(), kernel);
}

static int attribute(CUdevice device, CUdevice_attribute which)
{
    int value = 0;
    good(cuDeviceGetAttribute(&value, which, device), "attribute");
    return value;
}

// The newest code that the GPU runs.
static bool load(CUdevice device)
{
    static const int built[] = {120, 100, 90, 86, 80, 75};
    int major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    int minor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    for (int arch : built) {
        char path[64];
        if (arch / 10 != major || arch % 10 > minor)
            continue;
        snprintf(path, sizeof path, "cubin/measure.sm_%d.cubin", arch);
        return good(cuModuleLoad(&module, path), path);
    }
    fprintf(stderr, "no code for compute capability %d.%d\n", major, minor);
    return false;
}

static struct measure_gpu describe(CUdevice device, const char *name)
{
    struct measure_gpu gpu = {};
    size_t bytes = 0;
    snprintf(gpu.name, sizeof gpu.name, "%s", name);
    good(cuDeviceTotalMem(&bytes, device), "memory");
    int major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    int minor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    gpu.memory = bytes;
    gpu.sms = (unsigned)attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    gpu.clock = attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000.0;
    gpu.dram = 2e-6 * attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) *
               attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8;
    gpu.l2 = (uint64_t)attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    gpu.l1 = major == 7 ? 96 << 10 : major == 8 && minor > 0 ? 128 << 10 : major == 8 ? 192 << 10 :
             major == 12 ? 128 << 10 : 256 << 10;
    gpu.warps = (unsigned)attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / 32;
    return gpu;
}

// reference.tsv beside the program; without it nothing is judged.
static struct references read_references(void)
{
    struct references references = {};
    char error[128], *text = (char *)malloc(1 << 20);
    FILE *file = fopen("reference.tsv", "rb");
    if (file && text && !references_read(&references, text, fread(text, 1, 1 << 20, file), error, sizeof error))
        fprintf(stderr, "reference.tsv: %s\n", error);
    if (file)
        fclose(file);
    free(text);
    return references;
}

static bool wanted(const struct measure *measure, int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], measure->name) == 0)
            return true;
    return argc <= 2;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    if (argc < 2) {
        fprintf(stderr, "usage: measure-gpu GPU [NAME...]\n");
        return 2;
    }
    if (!good(cuInit(0), "driver") || !good(cuDeviceGet(&device, 0), "GPU") ||
        !good(cuDevicePrimaryCtxRetain(&context, device), "GPU") || !good(cuCtxSetCurrent(context), "GPU") ||
        !load(device))
        return 2;
    struct measure_device gpu = {NULL, describe(device, argv[1]), device_alloc, device_release, device_write,
                                 device_read, device_launch};
    struct references references = read_references();
    struct table_count verdicts = {};
    size_t count;
    const struct measure *const *all = measure_list(&count);
    for (size_t i = 0; i < count; i++) {
        struct measure_run run;
        if (!wanted(all[i], argc, argv))
            continue;
        if (measure_run(&run, all[i], &gpu, false))
            table_text(&run, &references, &verdicts, stdout);
        else
            fprintf(stderr, "%s: %s\n", all[i]->name, run.error);
        measure_run_free(&run);
    }
    references_free(&references);
    return 0;
}
