/* Memory of the device and the host: allocated, freed, asked about. */
#include "driver/abi/api_memory.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

enum { MIB = 1 << 20 };

/* A device that has no more than this: any host has addresses for it, under Valgrind too. */
static CUcontext open_context(void)
{
    setenv("SUBCORE_SET", "gpu.memory=1", 1);
    return rig_context("rtx-a6000");
}

static CUdeviceptr allocate(size_t bytes)
{
    CUdeviceptr p = 0;
    SUCCEEDS(cuMemAlloc_v2(&p, bytes));
    assert_int_not_equal(p, 0);
    return p;
}

static size_t free_bytes(void)
{
    size_t left = 0, total = 0;
    SUCCEEDS(cuMemGetInfo_v2(&left, &total));
    assert_true(left <= total);
    return left;
}

static void memory_is_aligned_by_its_size_and_zero_addresses_are_freed(void **state)
{
    (void)state;
    CUcontext context = open_context();
    CUdeviceptr small = allocate(1), other = allocate(700), large = allocate(MIB);
    assert_int_equal(small % 512, 0);
    assert_int_equal(other % 512, 0);
    assert_int_equal(large % (2 * MIB), 0);
    assert_true(small + 1 <= other || other + 700 <= small);
    SUCCEEDS(cuMemFree_v2(small));
    SUCCEEDS(cuMemFree_v2(other));
    SUCCEEDS(cuMemFree_v2(large));
    SUCCEEDS(cuMemFree_v2(0));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void what_cannot_be_allocated_or_freed_is_refused(void **state)
{
    (void)state;
    CUcontext context = open_context();
    CUdeviceptr p = 77;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(&p, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(NULL, 16));
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&p, (size_t)1 << 50));
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&p, SIZE_MAX));
    assert_int_equal(p, 77);
    CUdeviceptr good = allocate(4096);
    char local;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(good + 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(good + 8192));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2((CUdeviceptr)(uintptr_t)&local));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(UINT64_MAX));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(1));
    SUCCEEDS(cuMemFree_v2(good));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(good));
    SUCCEEDS(cuCtxDestroy_v2(context));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc_v2(&p, 16));
    ANSWERS(CUDA_ERROR_INVALID_CONTEXT, cuMemFree_v2(good));
}

static void free_memory_adds_up_and_running_out_is_not_sticky(void **state)
{
    (void)state;
    CUcontext context = open_context();
    size_t total = 0, left = 0;
    SUCCEEDS(cuMemGetInfo_v2(&left, &total));
    assert_int_equal(total, (size_t)1 << 30);
    CUdeviceptr most = allocate(left - 64 * MIB), p = 0;
    assert_int_equal(free_bytes(), 64 * MIB);
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&p, 65 * MIB));
    CUdeviceptr rest = allocate(64 * MIB);
    assert_int_equal(free_bytes(), 0);
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&p, 1));
    SUCCEEDS(cuMemFree_v2(most));
    SUCCEEDS(cuMemFree_v2(rest));
    assert_int_equal(free_bytes(), left);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemGetInfo_v2(NULL, &total));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemGetInfo_v2(&left, NULL));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_context_takes_all_its_memory_with_it(void **state)
{
    (void)state;
    CUcontext first = open_context();
    size_t before = free_bytes();
    CUcontext second = open_context();
    CUdeviceptr device = allocate(3 * MIB), managed = 0, async = 0;
    void *pinned = NULL;
    CUarray array = NULL;
    CUmipmappedArray mipmap = NULL;
    static char registered[2 * 4096];
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {64, 64, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    SUCCEEDS(cuMemAllocManaged(&managed, 100, 1));
    SUCCEEDS(cuMemHostAlloc(&pinned, 5000, 0));
    SUCCEEDS(cuMemHostRegister_v2(registered, sizeof registered, 0));
    SUCCEEDS(cuMemAllocAsync(&async, 1000, NULL));
    SUCCEEDS(cuArray3DCreate_v2(&array, &descriptor));
    SUCCEEDS(cuMipmappedArrayCreate(&mipmap, &descriptor, 4));
    assert_true(free_bytes() < before);
    SUCCEEDS(cuCtxDestroy_v2(second));
    SUCCEEDS(cuCtxSetCurrent(first));
    assert_int_equal(free_bytes(), before);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(device));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(managed));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(pinned));
    ANSWERS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(registered));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(async, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(array));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(mipmap));
    SUCCEEDS(cuCtxDestroy_v2(first));
}

static void pitched_memory_has_rows_of_whole_lines(void **state)
{
    (void)state;
    CUcontext context = open_context();
    CUdeviceptr p = 0;
    size_t pitch = 0, bytes = 0;
    SUCCEEDS(cuMemAllocPitch_v2(&p, &pitch, 513, 7, 4));
    assert_int_equal(pitch, 1024);
    SUCCEEDS(cuMemGetAddressRange_v2(NULL, &bytes, p));
    assert_int_equal(bytes, 7 * 1024);
    SUCCEEDS(cuMemFree_v2(p));
    SUCCEEDS(cuMemAllocPitch_v2(&p, &pitch, 512, 1, 16));
    assert_int_equal(pitch, 512);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch_v2(&p, &pitch, 512, 1, 3));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch_v2(&p, &pitch, 0, 1, 4));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch_v2(&p, &pitch, 1, 0, 4));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch_v2(NULL, &pitch, 1, 1, 4));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch_v2(&p, NULL, 1, 1, 4));
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocPitch_v2(&p, &pitch, SIZE_MAX, 1, 4));
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocPitch_v2(&p, &pitch, (size_t)1 << 33, (size_t)1 << 33, 4));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void an_address_leads_to_its_allocation(void **state)
{
    (void)state;
    CUcontext context = open_context();
    CUdeviceptr p = allocate(1000), base = 0;
    size_t bytes = 0;
    SUCCEEDS(cuMemGetAddressRange_v2(&base, &bytes, p + 999));
    assert_int_equal(base, p);
    assert_int_equal(bytes, 1000);
    SUCCEEDS(cuMemGetAddressRange_v2(NULL, NULL, p));
    ANSWERS(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange_v2(&base, &bytes, p + 1000));
    ANSWERS(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange_v2(&base, &bytes, 0));
    ANSWERS(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange_v2(&base, &bytes, (CUdeviceptr)(uintptr_t)&bytes));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void pinned_memory_is_the_same_for_host_and_device(void **state)
{
    (void)state;
    CUcontext context = open_context();
    unsigned char *host = NULL, back[3] = {0};
    void *other = NULL;
    CUdeviceptr device = 0;
    unsigned flags = 99;
    SUCCEEDS(cuMemHostAlloc((void **)&host, 10000, 1 | 2 | 4));
    SUCCEEDS(cuMemAllocHost_v2(&other, 1));
    for (int i = 0; i < 10000; i++)
        assert_int_equal(host[i], 0);
    SUCCEEDS(cuMemHostGetDevicePointer_v2(&device, host + 5, 0));
    assert_int_equal(device, (uintptr_t)host + 5);
    SUCCEEDS(cuMemsetD8_v2(device, 7, 2));
    assert_int_equal(host[4], 0);
    assert_int_equal(host[5], 7);
    assert_int_equal(host[6], 7);
    assert_int_equal(host[7], 0);
    host[7] = 9;
    SUCCEEDS(cuMemcpyDtoH_v2(back, device, 3));
    assert_int_equal(back[0], 7);
    assert_int_equal(back[2], 9);
    SUCCEEDS(cuMemHostGetFlags(&flags, host + 17));
    assert_int_equal(flags, 7);
    SUCCEEDS(cuMemHostGetFlags(&flags, other));
    assert_int_equal(flags, 0);
    SUCCEEDS(cuMemFreeHost(host));
    SUCCEEDS(cuMemFreeHost(other));
    SUCCEEDS(cuMemFreeHost(NULL));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void what_is_wrong_with_host_memory_is_told(void **state)
{
    (void)state;
    CUcontext context = open_context();
    void *p = NULL;
    char local;
    unsigned flags;
    CUdeviceptr device = allocate(4096), seen;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc(&p, 16, 8));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc(&p, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc(NULL, 16, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocHost_v2(NULL, 16));
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemHostAlloc(&p, (size_t)1 << 55, 0));
    SUCCEEDS(cuMemHostAlloc(&p, 16, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost((char *)p + 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(&local));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost((void *)(uintptr_t)device));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2((uintptr_t)p));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2(&seen, p, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2(NULL, p, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostGetDevicePointer_v2(&seen, &local, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags(&flags, &local));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags(NULL, p));
    SUCCEEDS(cuMemFreeHost(p));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(p));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostUnregister(NULL));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void memory_of_the_program_is_registered_once(void **state)
{
    (void)state;
    CUcontext context = open_context();
    char *p = malloc(10000);
    void *pinned = NULL;
    CUdeviceptr device = allocate(4096), seen = 0;
    unsigned flags = 0;
    assert_non_null(p);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2(NULL, 16, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2(p, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2(p, 16, 16));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2((void *)(uintptr_t)device, 16, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2(p, SIZE_MAX, 0));
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuMemHostRegister_v2(p, 16, 4));
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuMemHostRegister_v2(p, 16, 8));
    ANSWERS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(p));
    SUCCEEDS(cuMemHostRegister_v2(p + 3, 9000, 1 | 2));
    ANSWERS(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(p + 3, 9000, 0));
    ANSWERS(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(p, 4, 0));
    ANSWERS(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(p + 9002, 10, 0));
    SUCCEEDS(cuMemHostRegister_v2(p, 3, 0));
    SUCCEEDS(cuMemHostUnregister(p));
    SUCCEEDS(cuMemHostGetFlags(&flags, p + 100));
    assert_int_equal(flags, 3);
    SUCCEEDS(cuMemHostGetDevicePointer_v2(&seen, p + 100, 0));
    assert_int_equal(seen, (uintptr_t)p + 100);
    ANSWERS(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(p + 4));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(p + 3));
    memset(p, 1, 10000);
    SUCCEEDS(cuMemsetD8_v2((uintptr_t)p + 3, 2, 9000));
    assert_int_equal(p[2], 1);
    assert_int_equal(p[3], 2);
    assert_int_equal(p[9002], 2);
    assert_int_equal(p[9003], 1);
    SUCCEEDS(cuMemHostUnregister(p + 3));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2((uintptr_t)p + 3, 2, 1));
    SUCCEEDS(cuMemHostAlloc(&pinned, 16, 0));
    ANSWERS(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister_v2(pinned, 16, 0));
    free(p);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void memory_that_is_not_there_cannot_be_registered(void **state)
{
    (void)state;
    CUcontext context = open_context();
    char *p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_int_equal(munmap(p + 8192, 4096), 0);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemHostRegister_v2(p, 8193, 0));
    SUCCEEDS(cuMemHostRegister_v2(p, 8192, 0));
    SUCCEEDS(cuMemHostUnregister(p));
    munmap(p, 8192);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void the_host_cannot_touch_memory_of_the_device(void **state)
{
    (void)state;
    CUcontext context = open_context();
    CUdeviceptr p = allocate(4096);
    for (int write = 0; write < 2; write++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            volatile char *bad = (volatile char *)(uintptr_t)p;
            signal(SIGSEGV, SIG_DFL);
            if (write)
                *bad = 1;
            _exit(*bad == 0 ? 3 : 4);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGSEGV);
    }
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(memory_is_aligned_by_its_size_and_zero_addresses_are_freed),
           UNIT(what_cannot_be_allocated_or_freed_is_refused), UNIT(free_memory_adds_up_and_running_out_is_not_sticky),
           UNIT(a_context_takes_all_its_memory_with_it), UNIT(pitched_memory_has_rows_of_whole_lines),
           UNIT(an_address_leads_to_its_allocation), UNIT(pinned_memory_is_the_same_for_host_and_device),
           UNIT(what_is_wrong_with_host_memory_is_told), UNIT(memory_of_the_program_is_registered_once),
           UNIT(memory_that_is_not_there_cannot_be_registered), UNIT(the_host_cannot_touch_memory_of_the_device))
