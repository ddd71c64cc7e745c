/* A program that marks its work with NVTX, for the tests of `subcore exec`. It is compiled with NVIDIA's header, which
 * loads the library that NVTX_INJECTION64_PATH names.
 *
 *   nvtx_program WORD...   push:NAME, pop: a range of the thread; push:DOMAIN@NAME, pop:DOMAIN: in a domain
 *                          wide:NAME, registered:NAME: the same with other kinds of names
 *                          start:NAME, end: a range of the process; mark:NAME
 *                          launch: saxpy; elsewhere: the same in another thread; stream: in its own stream; copy; wait
 */
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/abi/api_device.h"
#include "driver/abi/api_memory.h"
#include "driver/abi/api_module.h"
#include "driver/abi/api_stream.h"

enum { COUNT = 1024, THREADS = 128, NON_BLOCKING = 1 };

struct program {
    CUcontext context;
    CUmodule module;
    CUdeviceptr x, y;
    nvtxRangeId_t started;
};

static void need(CUresult result, const char *what)
{
    if (result == CUDA_SUCCESS)
        return;
    printf("%s: %d\n", what, (int)result);
    exit(9);
}

static void launch(const struct program *p, CUstream stream)
{
    CUfunction saxpy;
    float a = 2;
    unsigned count = COUNT;
    CUdeviceptr x = p->x, y = p->y;
    void *parameters[] = {&a, &x, &y, &count};
    need(cuModuleGetFunction(&saxpy, p->module, "saxpy"), "cuModuleGetFunction");
    need(cuLaunchKernel(saxpy, COUNT / THREADS, 1, 1, THREADS, 1, 1, 0, stream, parameters, NULL), "cuLaunchKernel");
}

static void *launch_elsewhere(void *argument)
{
    const struct program *p = argument;
    need(cuCtxSetCurrent(p->context), "cuCtxSetCurrent");
    launch(p, NULL);
    return NULL;
}

/* DOMAIN@NAME, or NAME in the default domain. */
static nvtxDomainHandle_t domain_of(const char *text, const char **name)
{
    char domain[64];
    const char *at = strchr(text, '@');
    *name = at ? at + 1 : text;
    snprintf(domain, sizeof domain, "%.*s", at ? (int)(at - text) : 0, text);
    return at ? nvtxDomainCreateA(domain) : NULL;
}

static void push(const char *text, bool registered)
{
    const char *name;
    nvtxDomainHandle_t domain = domain_of(text, &name);
    nvtxEventAttributes_t event = {.version = NVTX_VERSION, .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE};
    event.messageType = registered ? NVTX_MESSAGE_TYPE_REGISTERED : NVTX_MESSAGE_TYPE_ASCII;
    if (registered)
        event.message.registered = nvtxDomainRegisterStringA(domain, name);
    else
        event.message.ascii = name;
    printf("level %d\n", nvtxDomainRangePushEx(domain, &event));
}

static void push_wide(const char *text)
{
    wchar_t name[64];
    size_t at = 0;
    for (; text[at] && at < 63; at++)
        name[at] = text[at] == '_' ? 0x20ac : (wchar_t)text[at]; /* the euro sign */
    name[at] = 0;
    printf("level %d\n", nvtxRangePushW(name));
}

static void act(struct program *p, const char *word)
{
    const char *colon = strchr(word, ':'), *text = colon ? colon + 1 : "";
    size_t length = colon ? (size_t)(colon - word) : strlen(word);
    CUstream stream;
    pthread_t thread;
    uint32_t copy[COUNT];
    if (strncmp(word, "push", length) == 0)
        push(text, false);
    else if (strncmp(word, "registered", length) == 0)
        push(text, true);
    else if (strncmp(word, "wide", length) == 0)
        push_wide(text);
    else if (strncmp(word, "pop", length) == 0)
        printf("level %d\n", *text ? nvtxDomainRangePop(nvtxDomainCreateA(text)) : nvtxRangePop());
    else if (strncmp(word, "start", length) == 0)
        p->started = nvtxRangeStartA(text);
    else if (strncmp(word, "end", length) == 0)
        nvtxRangeEnd(p->started);
    else if (strncmp(word, "mark", length) == 0)
        nvtxMarkA(text);
    else if (strncmp(word, "launch", length) == 0)
        launch(p, NULL);
    else if (strncmp(word, "copy", length) == 0)
        need(cuMemcpyDtoH_v2(copy, p->y, sizeof copy), "cuMemcpyDtoH");
    else if (strncmp(word, "wait", length) == 0)
        need(cuCtxSynchronize(), "cuCtxSynchronize");
    else if (strncmp(word, "stream", length) == 0) {
        need(cuStreamCreate(&stream, NON_BLOCKING), "cuStreamCreate");
        launch(p, stream);
    } else if (pthread_create(&thread, NULL, launch_elsewhere, p) == 0)
        pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    struct program p = {0};
    CUdevice device;
    char path[4096];
    int major, minor;
    need(cuInit(0), "cuInit");
    need(cuDeviceGet(&device, 0), "cuDeviceGet");
    need(cuDevicePrimaryCtxRetain(&p.context, device), "cuDevicePrimaryCtxRetain");
    need(cuCtxSetCurrent(p.context), "cuCtxSetCurrent");
    need(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device), "attribute");
    need(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device), "attribute");
    snprintf(path, sizeof path, "%s/examples/cubin/saxpy.sm_%d%d.cubin", getenv("SUBCORE_ROOT"), major, minor);
    need(cuModuleLoad(&p.module, path), path);
    need(cuMemAlloc_v2(&p.x, COUNT * sizeof(float)), "cuMemAlloc");
    need(cuMemAlloc_v2(&p.y, COUNT * sizeof(float)), "cuMemAlloc");
    for (int i = 1; i < argc; i++)
        act(&p, argv[i]);
    need(cuCtxSynchronize(), "cuCtxSynchronize");
    return 0;
}
