/* A program that uses the driver API, for the tests of `subcore exec`: y = a * x + y, as its words ask for.
 *
 *   cuda_program WORD...    cubin: from the cubins of the examples; ptx: from PTX text; wild: through a wild pointer;
 *                           long: for some seconds; load:FILE: from that cubin. Each prints its result. leave: launches
 *                           a long kernel and ends at once. exit:N ends with N, abort by a signal.
 *                           stream: in a stream of its own. fork: a child ends with 0, then the program goes on.
 *                           graph: as a graph of a set and the kernel, launched twice.
 *                           kernel:FILE:NAME:CTAS:THREADS: this kernel of a cubin with two arrays of 1024 integers,
 *                           0, 1, 2 ... and zeros, which it gives back behind it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/abi/api_device.h"
#include "driver/abi/api_graph.h"
#include "driver/abi/api_memory.h"
#include "driver/abi/api_module.h"
#include "driver/abi/api_stream.h"

enum { COUNT = 1000, THREADS = 128, NON_BLOCKING = 1 };

static const char ptx[] = ".version 6.4\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)\n"
                          "{\n"
                          ".reg .pred %p; .reg .f32 %f<4>; .reg .b32 %r<5>; .reg .b64 %d<5>;\n"
                          "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
                          "mad.lo.s32 %r3, %r0, %r1, %r2;\n"
                          "ld.param.u32 %r4, [n];\n"
                          "setp.ge.u32 %p, %r3, %r4;\n"
                          "@%p bra done;\n"
                          "ld.param.f32 %f0, [a]; ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y];\n"
                          "mul.wide.u32 %d2, %r3, 4; add.s64 %d3, %d0, %d2; add.s64 %d4, %d1, %d2;\n"
                          "ld.global.f32 %f1, [%d3]; ld.global.f32 %f2, [%d4];\n"
                          "fma.rn.f32 %f3, %f0, %f1, %f2;\n"
                          "st.global.f32 [%d4], %f3;\n"
                          "done: ret;\n"
                          "}\n";

static const char *name_of(CUresult result)
{
    const char *name = "?";
    cuGetErrorName(result, &name);
    return name;
}

static void need(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    printf("%s: %s\n", what, name_of(result));
    exit(9);
}

static CUmodule load_cubin(CUdevice device)
{
    int major, minor;
    char path[4096];
    CUmodule module;
    need(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device), "attribute");
    need(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device), "attribute");
    snprintf(path, sizeof path, "%s/examples/cubin/saxpy.sm_%d%d.cubin", getenv("SUBCORE_ROOT"), major, minor);
    need(cuModuleLoad(&module, path), path);
    return module;
}

static CUdeviceptr upload(float value)
{
    CUdeviceptr address;
    float host[COUNT];
    for (int i = 0; i < COUNT; i++)
        host[i] = value * (float)i;
    need(cuMemAlloc_v2(&address, sizeof host), "cuMemAlloc");
    need(cuMemcpyHtoD_v2(address, host, sizeof host), "cuMemcpyHtoD");
    return address;
}

static void launch(CUmodule module, CUdeviceptr x, CUdeviceptr y, unsigned ctas, CUstream stream)
{
    CUfunction saxpy;
    float a = 2;
    unsigned count = COUNT;
    void *parameters[] = {&a, &x, &y, &count};
    need(cuModuleGetFunction(&saxpy, module, "saxpy"), "cuModuleGetFunction");
    need(cuLaunchKernel(saxpy, ctas, 1, 1, THREADS, 1, 1, 0, stream, parameters, NULL), "cuLaunchKernel");
}

static const char *check(CUdeviceptr y)
{
    float host[COUNT];
    need(cuMemcpyDtoH_v2(host, y, sizeof host), "cuMemcpyDtoH");
    for (int i = 0; i < COUNT; i++)
        if (host[i] != 5 * (float)i)
            return "wrong";
    return "right";
}

static void fork_child(void)
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(0);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        puts("fork: it failed");
}

/* FILE:NAME:CTAS:THREADS */
static void run_kernel(const char *word)
{
    enum { INTS = 1024, TEXT = 4096 };
    char file[TEXT], name[TEXT];
    unsigned ctas, threads;
    int host[INTS];
    CUmodule module;
    CUfunction function;
    CUdeviceptr x, y;
    if (sscanf(word, "%4095[^:]:%4095[^:]:%u:%u", file, name, &ctas, &threads) != 4)
        exit(9);
    for (int i = 0; i < INTS; i++)
        host[i] = i;
    need(cuModuleLoad(&module, file), file);
    need(cuModuleGetFunction(&function, module, name), name);
    need(cuMemAlloc_v2(&x, sizeof host), "cuMemAlloc");
    need(cuMemAlloc_v2(&y, sizeof host), "cuMemAlloc");
    need(cuMemcpyHtoD_v2(x, host, sizeof host), "cuMemcpyHtoD");
    need(cuMemsetD8_v2(y, 0, sizeof host), "cuMemsetD8");
    void *parameters[] = {&x, &y};
    need(cuLaunchKernel(function, ctas, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL), "cuLaunchKernel");
    printf("%s: %s\n", name, name_of(cuStreamSynchronize(NULL)));
    cuMemFree_v2(x);
    cuMemFree_v2(y);
}

/* The set takes the sum of the kernel before away. */
static void run_graph(CUdevice device)
{
    CUmodule module = load_cubin(device);
    CUdeviceptr x = upload(1), y = upload(3);
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    need(cuStreamCreate(&stream, NON_BLOCKING), "cuStreamCreate");
    need(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
    need(cuMemsetD8Async(y, 0, COUNT * sizeof(float), stream), "cuMemsetD8Async");
    launch(module, x, y, (COUNT + THREADS - 1) / THREADS, stream);
    need(cuStreamEndCapture(stream, &graph), "cuStreamEndCapture");
    need(cuGraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiate");
    need(cuGraphLaunch(exec, stream), "cuGraphLaunch");
    need(cuGraphLaunch(exec, stream), "cuGraphLaunch");
    printf("graph: %s\n", name_of(cuStreamSynchronize(stream)));
}

/* Words that launch nothing. */
static bool ends_or_forks(const char *word)
{
    if (strncmp(word, "exit:", 5) == 0)
        exit(atoi(word + 5));
    if (strcmp(word, "abort") == 0)
        abort();
    if (strcmp(word, "fork") == 0)
        fork_child();
    return strcmp(word, "fork") == 0;
}

static void act(const char *word, CUdevice device)
{
    CUmodule module;
    CUstream stream = NULL;
    bool waits = strcmp(word, "leave") != 0, is_long = strcmp(word, "long") == 0 || !waits;
    if (ends_or_forks(word))
        return;
    if (strcmp(word, "graph") == 0) {
        run_graph(device);
        return;
    }
    if (strncmp(word, "kernel:", 7) == 0) {
        run_kernel(word + 7);
        return;
    }
    if (strcmp(word, "ptx") == 0)
        need(cuModuleLoadData(&module, ptx), "cuModuleLoadData");
    else if (strncmp(word, "load:", 5) == 0)
        need(cuModuleLoad(&module, word + 5), "cuModuleLoad");
    else
        module = load_cubin(device);
    CUdeviceptr x = upload(1), y = upload(3);
    unsigned ctas = is_long ? 2000000000 : (COUNT + THREADS - 1) / THREADS;
    if (is_long) {
        puts("waiting");
        fflush(stdout);
    }
    if (strcmp(word, "stream") == 0)
        need(cuStreamCreate(&stream, 0), "cuStreamCreate");
    launch(module, x, strcmp(word, "wild") == 0 ? 64 : y, ctas, stream);
    if (!waits)
        exit(0);
    CUresult result = cuStreamSynchronize(NULL);
    printf("%s: %s\n", word, result == CUDA_SUCCESS ? check(y) : name_of(result));
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    need(cuInit(0), "cuInit");
    need(cuDeviceGet(&device, 0), "cuDeviceGet");
    need(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    need(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    for (int i = 1; i < argc; i++)
        act(argv[i], device);
    return 0;
}
