/* Memory of every kind in kernels, the costs of copies, and many threads at once. */
#include <pthread.h>
#include <sys/mman.h>

#include "driver/abi/api_memory.h"
#include "driver/abi/api_module.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

enum { COUNT = 5000, BYTES = COUNT * (int)sizeof(float), MIB = 1 << 20 };

struct program {
    CUcontext context;
    CUmodule module;
    CUfunction saxpy;
};

static struct program open_program(void)
{
    char path[4096];
    struct program p = {.context = rig_context("rtx-a6000")};
    SUCCEEDS(cuModuleLoad(&p.module, unit_path(path, "examples/cubin/saxpy.sm_86.cubin")));
    SUCCEEDS(cuModuleGetFunction(&p.saxpy, p.module, "saxpy"));
    return p;
}

/* y = alpha x + y */
static CUresult saxpy(const struct program *p, float alpha, CUdeviceptr x, CUdeviceptr y, unsigned count,
                      CUstream stream)
{
    void *parameters[] = {&alpha, &x, &y, &count};
    return cuLaunchKernel(p->saxpy, 8, 1, 1, 128, 1, 1, 0, stream, parameters, NULL);
}

static void fill(float *values, float first)
{
    for (int i = 0; i < COUNT; i++)
        values[i] = first + (float)i;
}

/* Runs y = 2 x + y with both in memory of a kind, written and read by copies. */
static void compute(const struct program *p, CUdeviceptr x, CUdeviceptr y)
{
    static float a[COUNT], b[COUNT];
    fill(a, 1);
    fill(b, 100);
    SUCCEEDS(cuMemcpy(x, (uintptr_t)a, BYTES));
    SUCCEEDS(cuMemcpy(y, (uintptr_t)b, BYTES));
    SUCCEEDS(saxpy(p, 2, x, y, COUNT, NULL));
    SUCCEEDS(cuMemcpy((uintptr_t)b, y, BYTES));
    for (int i = 0; i < COUNT; i++)
        assert_true(b[i] == 2 * (float)(1 + i) + (float)(100 + i));
}

static void kernels_read_and_write_memory_of_every_kind(void **state)
{
    (void)state;
    struct program p = open_program();
    CUdeviceptr x = 0, y = 0;
    void *host = NULL;
    CUmemGenericAllocationHandle handle = 0;
    CUmemAllocationProp on_device = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                     .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemAccessDesc access = {on_device.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    SUCCEEDS(cuMemAlloc_v2(&x, BYTES));
    SUCCEEDS(cuMemAlloc_v2(&y, BYTES));
    compute(&p, x, y);
    SUCCEEDS(cuMemAllocManaged(&y, BYTES, 1));
    compute(&p, x, y);
    SUCCEEDS(cuMemHostAlloc(&host, BYTES, 0));
    compute(&p, (uintptr_t)host, y);
    compute(&p, x, (uintptr_t)host);
    SUCCEEDS(cuMemAllocAsync(&y, BYTES, NULL));
    compute(&p, x, y);
    SUCCEEDS(cuMemAddressReserve(&y, 2 * MIB, 0, 0, 0));
    SUCCEEDS(cuMemCreate(&handle, 2 * MIB, &on_device, 0));
    SUCCEEDS(cuMemMap(y, 2 * MIB, 0, handle, 0));
    SUCCEEDS(cuMemSetAccess(y, 2 * MIB, &access, 1));
    compute(&p, x, y + 512);
    SUCCEEDS(cuMemUnmap(y, 2 * MIB));
    SUCCEEDS(cuMemRelease(handle));
    SUCCEEDS(cuMemAddressFree(y, 2 * MIB));
    char *own = malloc(2 * BYTES + 64);
    assert_non_null(own);
    SUCCEEDS(cuMemHostRegister_v2(own + 12, 2 * BYTES, 0));
    compute(&p, (uintptr_t)own + 12, (uintptr_t)own + 12 + BYTES);
    compute(&p, x, (uintptr_t)own + 12);
    SUCCEEDS(cuMemHostUnregister(own + 12));
    free(own);
    SUCCEEDS(cuCtxDestroy_v2(p.context));
}

static void the_host_writes_and_reads_what_kernels_share_with_it(void **state)
{
    (void)state;
    struct program p = open_program();
    CUdeviceptr x = 0;
    float *y = NULL;
    float *own = mmap(NULL, 2 * (size_t)MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(own, MAP_FAILED);
    SUCCEEDS(cuMemAllocManaged(&x, BYTES, 1));
    SUCCEEDS(cuMemHostAlloc((void **)&y, BYTES, 0));
    SUCCEEDS(cuMemHostRegister_v2(own, BYTES, 0));
    for (int round = 1; round <= 3; round++) {
        fill((float *)(uintptr_t)x, (float)round);
        fill(y, 0);
        fill(own, 7);
        SUCCEEDS(saxpy(&p, 3, x, (uintptr_t)y, COUNT, NULL));
        SUCCEEDS(saxpy(&p, 1, (uintptr_t)y, (uintptr_t)own, COUNT, NULL));
        SUCCEEDS(cuCtxSynchronize());
        for (int i = 0; i < COUNT; i++) {
            assert_true(y[i] == 3 * (float)(round + i) + (float)i);
            assert_true(own[i] == y[i] + (float)(7 + i));
        }
    }
    SUCCEEDS(cuMemHostUnregister(own));
    munmap(own, 2 * (size_t)MIB);
    SUCCEEDS(cuCtxDestroy_v2(p.context));
}

enum wild { FREED, PAST_THE_END, NOT_MAPPED, NO_ACCESS, NOT_REGISTERED, NOWHERE, WILDS };

static CUdeviceptr wild_address(enum wild which)
{
    static float host[COUNT];
    CUdeviceptr p = 0;
    CUmemGenericAllocationHandle handle = 0;
    CUmemAllocationProp on_device = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                     .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    switch (which) {
    case FREED:
        SUCCEEDS(cuMemAlloc_v2(&p, BYTES));
        SUCCEEDS(cuMemFree_v2(p));
        return p;
    case PAST_THE_END: SUCCEEDS(cuMemAlloc_v2(&p, BYTES - 4)); return p;
    case NOT_MAPPED: SUCCEEDS(cuMemAddressReserve(&p, 2 * MIB, 0, 0, 0)); return p;
    case NO_ACCESS:
        SUCCEEDS(cuMemAddressReserve(&p, 2 * MIB, 0, 0, 0));
        SUCCEEDS(cuMemCreate(&handle, 2 * MIB, &on_device, 0));
        SUCCEEDS(cuMemMap(p, 2 * MIB, 0, handle, 0));
        return p;
    case NOT_REGISTERED: return (uintptr_t)host;
    default: return 0x1234560;
    }
}

static void wild_pointers_end_the_context_and_leave_the_program_alone(void **state)
{
    (void)state;
    for (int which = 0; which < WILDS; which++) {
        struct program p = open_program();
        CUdeviceptr x = 0, y, more = 0;
        static float host[COUNT];
        SUCCEEDS(cuMemAlloc_v2(&x, BYTES));
        y = wild_address((enum wild)which);
        SUCCEEDS(saxpy(&p, 1, x, y, COUNT, NULL));
        ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
        ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc_v2(&more, 16));
        ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemcpyDtoH_v2(host, x, BYTES));
        ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemsetD8_v2(x, 1, 1));
        ANSWERS(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemFree_v2(x));
        cuCtxDestroy_v2(p.context);
        p = open_program(); /* another context works */
        SUCCEEDS(cuMemAlloc_v2(&x, BYTES));
        SUCCEEDS(cuMemAlloc_v2(&y, BYTES));
        compute(&p, x, y);
        SUCCEEDS(cuCtxDestroy_v2(p.context));
    }
}

static float between(CUevent first, CUevent second)
{
    float milliseconds = -1;
    SUCCEEDS(cuEventElapsedTime_v2(&milliseconds, first, second));
    return milliseconds;
}

static void copies_take_the_links_time(void **state)
{
    (void)state;
    setenv("SUBCORE_SET", "host.link_in=20\nhost.link_out=10\nhost.copy_latency=5\ndram.bandwidth=500", 1);
    CUcontext context = rig_context("rtx-a6000");
    enum { LARGE = 20000000 };
    CUdeviceptr a = 0, b = 0;
    void *pinned = NULL;
    CUevent mark[6];
    SUCCEEDS(cuMemAlloc_v2(&a, LARGE));
    SUCCEEDS(cuMemAlloc_v2(&b, LARGE));
    SUCCEEDS(cuMemHostAlloc(&pinned, LARGE, 0));
    for (int i = 0; i < 6; i++)
        SUCCEEDS(cuEventCreate(&mark[i], 0));
    SUCCEEDS(cuEventRecord(mark[0], NULL));
    SUCCEEDS(cuMemcpyHtoDAsync_v2(a, pinned, LARGE, NULL));
    SUCCEEDS(cuEventRecord(mark[1], NULL));
    SUCCEEDS(cuMemcpyDtoHAsync_v2(pinned, a, LARGE, NULL));
    SUCCEEDS(cuEventRecord(mark[2], NULL));
    SUCCEEDS(cuMemcpyDtoDAsync_v2(b, a, LARGE, NULL));
    SUCCEEDS(cuEventRecord(mark[3], NULL));
    SUCCEEDS(cuMemsetD8Async(b, 1, LARGE, NULL));
    SUCCEEDS(cuEventRecord(mark[4], NULL));
    SUCCEEDS(cuMemcpyHtoDAsync_v2(a, pinned, 1, NULL));
    SUCCEEDS(cuEventRecord(mark[5], NULL));
    SUCCEEDS(cuCtxSynchronize());
    assert_float_equal(between(mark[0], mark[1]), 1.005, 1e-5); /* 20 MB at 20 GB/s, and 5 us */
    assert_float_equal(between(mark[1], mark[2]), 2.005, 1e-5);
    assert_float_equal(between(mark[2], mark[3]), 0.08, 1e-5); /* there and back at 500 GB/s */
    assert_float_equal(between(mark[3], mark[4]), 0.04, 1e-5);
    assert_float_equal(between(mark[4], mark[5]), 0.005, 1e-5);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

struct worker {
    struct program *program;
    unsigned seed;
    bool right;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    uint64_t random = w->seed;
    CUstream stream = NULL;
    w->right = cuCtxSetCurrent(w->program->context) == CUDA_SUCCESS && cuStreamCreate(&stream, 1) == CUDA_SUCCESS;
    for (int i = 0; i < 40 && w->right; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        unsigned count = 1 + (unsigned)(random >> 40) % COUNT;
        size_t bytes = count * sizeof(float);
        CUdeviceptr x = 0, y = 0;
        float *host = NULL;
        bool managed = random >> 60 & 1, async = random >> 61 & 1;
        w->right = cuMemHostAlloc((void **)&host, bytes, 0) == CUDA_SUCCESS &&
                   (async ? cuMemAllocAsync(&x, bytes, stream) : cuMemAlloc_v2(&x, bytes)) == CUDA_SUCCESS &&
                   (managed ? cuMemAllocManaged(&y, bytes, 1) : cuMemAlloc_v2(&y, bytes)) == CUDA_SUCCESS;
        for (unsigned k = 0; k < count && w->right; k++)
            host[k] = (float)(k + w->seed);
        w->right = w->right && cuMemcpyHtoDAsync_v2(x, host, bytes, stream) == CUDA_SUCCESS &&
                   cuMemsetD32Async(y, 0, count, stream) == CUDA_SUCCESS &&
                   saxpy(w->program, (float)i, x, y, count, stream) == CUDA_SUCCESS &&
                   cuMemcpyDtoHAsync_v2(host, y, bytes, stream) == CUDA_SUCCESS &&
                   cuStreamSynchronize(stream) == CUDA_SUCCESS;
        for (unsigned k = 0; k < count && w->right; k++)
            w->right = host[k] == (float)i * (float)(k + w->seed);
        w->right = w->right && (async ? cuMemFreeAsync(x, stream) : cuMemFree_v2(x)) == CUDA_SUCCESS &&
                   cuMemFree_v2(y) == CUDA_SUCCESS && cuMemFreeHost(host) == CUDA_SUCCESS;
    }
    cuStreamDestroy_v2(stream);
    return NULL;
}

static void eight_threads_allocate_copy_compute_and_free(void **state)
{
    (void)state;
    struct program p = open_program();
    size_t before = 0, after = 0, total = 0;
    pthread_t thread[8];
    struct worker worker[8];
    SUCCEEDS(cuMemGetInfo_v2(&before, &total));
    for (unsigned i = 0; i < 8; i++) {
        worker[i] = (struct worker){&p, i * 1000 + 1, false};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &worker[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(thread[i], NULL);
        assert_true(worker[i].right);
    }
    SUCCEEDS(cuCtxSynchronize());
    SUCCEEDS(cuMemGetInfo_v2(&after, &total));
    assert_int_equal(after, before);
    SUCCEEDS(cuCtxDestroy_v2(p.context));
}

UNIT_TESTS(UNIT(copies_take_the_links_time), UNIT(kernels_read_and_write_memory_of_every_kind),
           UNIT(the_host_writes_and_reads_what_kernels_share_with_it),
           UNIT(wild_pointers_end_the_context_and_leave_the_program_alone),
           UNIT(eight_threads_allocate_copy_compute_and_free))
