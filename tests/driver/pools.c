/* Memory in the order of streams. */
#include <pthread.h>

#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

enum { MIB = 1 << 20 };

/* A device that has no more than this: any host has addresses for it, under Valgrind too. */
static CUcontext open_context(void)
{
    setenv("SUBCORE_SET", "gpu.memory=4", 1);
    return rig_context("rtx-a6000");
}

static cuuint64_t attribute(CUmemoryPool pool, CUmemPool_attribute which)
{
    cuuint64_t value = 99;
    SUCCEEDS(cuMemPoolGetAttribute(pool, which, &value));
    return value;
}

static size_t free_bytes(void)
{
    size_t left = 0, total = 0;
    SUCCEEDS(cuMemGetInfo_v2(&left, &total));
    return left;
}

static CUmemoryPool make_pool(size_t most)
{
    CUmemPoolProps properties = {
        .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, .maxSize = most};
    CUmemoryPool pool = NULL;
    SUCCEEDS(cuMemPoolCreate(&pool, &properties));
    return pool;
}

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool open;
};

/* A host function: nothing behind it in its stream runs until the gate opens. */
static void wait_at(void *argument)
{
    struct gate *gate = argument;
    pthread_mutex_lock(&gate->lock);
    while (!gate->open)
        pthread_cond_wait(&gate->opened, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

static void open_gate(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->open = true;
    pthread_cond_signal(&gate->opened);
    pthread_mutex_unlock(&gate->lock);
}

static void memory_lives_until_its_free_is_reached_in_the_stream(void **state)
{
    (void)state;
    CUcontext context = open_context();
    struct gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    CUstream stream = NULL;
    CUmemoryPool pool = NULL;
    CUdeviceptr p = 0, q = 0, base = 0;
    unsigned char *pinned = NULL;
    SUCCEEDS(cuDeviceGetDefaultMemPool(&pool, 0));
    SUCCEEDS(cuMemHostAlloc((void **)&pinned, 16, 0));
    SUCCEEDS(cuStreamCreate(&stream, 1));
    SUCCEEDS(cuMemAllocAsync(&p, 1000, stream));
    SUCCEEDS(cuMemGetAddressRange_v2(&base, NULL, p + 999));
    assert_int_equal(base, p);
    SUCCEEDS(cuLaunchHostFunc(stream, wait_at, &gate));
    SUCCEEDS(cuMemsetD8Async(p, 42, 1000, stream));
    SUCCEEDS(cuMemcpyDtoHAsync_v2(pinned, p + 990, 10, stream));
    SUCCEEDS(cuMemFreeAsync(p, stream));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(p, stream));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(p));
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 1024);
    open_gate(&gate);
    SUCCEEDS(cuStreamSynchronize(stream));
    assert_int_equal(pinned[9], 42);
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 1024);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(p, stream));
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocAsync(&q, SIZE_MAX - 4096, stream));
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocAsync(&q, SIZE_MAX, stream));
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 1024);
    SUCCEEDS(cuMemAllocAsync(&q, 1000, stream));
    SUCCEEDS(cuMemFree_v2(q));
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT), 0);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_pool_keeps_what_its_threshold_says(void **state)
{
    (void)state;
    CUcontext context = open_context();
    size_t before = free_bytes();
    CUmemoryPool pool = make_pool(0);
    CUdeviceptr p = 0;
    cuuint64_t threshold = 64 * MIB, zero = 0, one = 1;
    SUCCEEDS(cuMemAllocFromPoolAsync(&p, 40 * MIB, pool, NULL));
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 64 * MIB);
    assert_int_equal(free_bytes(), before - 64 * MIB);
    SUCCEEDS(cuMemFreeAsync(p, NULL));
    SUCCEEDS(cuStreamSynchronize(NULL));
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 0);
    assert_int_equal(free_bytes(), before);
    SUCCEEDS(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD), 64 * MIB);
    SUCCEEDS(cuMemAllocFromPoolAsync(&p, 100 * MIB, pool, NULL));
    SUCCEEDS(cuMemFreeAsync(p, NULL));
    SUCCEEDS(cuStreamSynchronize(NULL));
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 64 * MIB);
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), 128 * MIB);
    assert_int_equal(free_bytes(), before - 64 * MIB);
    SUCCEEDS(cuMemPoolTrimTo(pool, 33 * MIB));
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 64 * MIB);
    SUCCEEDS(cuMemPoolTrimTo(pool, 32 * MIB));
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), 32 * MIB);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &one));
    SUCCEEDS(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &zero));
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), 32 * MIB);
    SUCCEEDS(cuMemPoolDestroy(pool));
    assert_int_equal(free_bytes(), before);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(pool));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void a_pool_is_no_larger_than_it_was_made(void **state)
{
    (void)state;
    CUcontext context = open_context();
    CUmemoryPool pool = make_pool(MIB);
    CUdeviceptr p = 0, q = 0;
    SUCCEEDS(cuMemAllocFromPoolAsync(&p, MIB - 512, pool, NULL));
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&q, 513, pool, NULL));
    SUCCEEDS(cuMemAllocFromPoolAsync(&q, 512, pool, NULL));
    assert_int_equal(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT), MIB);
    SUCCEEDS(cuMemFreeAsync(q, NULL));
    SUCCEEDS(cuMemAllocFromPoolAsync(&q, 512, pool, NULL)); /* waits for the free */
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&q, SIZE_MAX, pool, NULL));
    SUCCEEDS(cuMemPoolDestroy(pool)); /* lives on until its memory is freed */
    SUCCEEDS(cuMemsetD8_v2(p, 1, MIB - 512));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&q, 1, pool, NULL));
    SUCCEEDS(cuMemFreeAsync(p, NULL));
    SUCCEEDS(cuMemFree_v2(q));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void memory_is_used_again_and_again(void **state)
{
    (void)state;
    CUcontext context = open_context();
    CUstream stream = NULL;
    SUCCEEDS(cuStreamCreate(&stream, 0));
    for (int i = 0; i < 100; i++) { /* 100 GiB on a device of 4 */
        CUdeviceptr p = 0;
        SUCCEEDS(cuMemAllocAsync(&p, (size_t)1 << 30, stream));
        SUCCEEDS(cuMemsetD8Async(p, (unsigned char)i, 16, stream));
        SUCCEEDS(cuMemFreeAsync(p, stream));
    }
    CUdeviceptr all = 0;
    SUCCEEDS(cuMemAlloc_v2(&all, (size_t)3 << 30));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void the_device_has_a_default_pool_and_a_current_one(void **state)
{
    (void)state;
    CUcontext context = open_context();
    CUmemoryPool first = NULL, now = NULL, own = make_pool(0);
    CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, other = {CU_MEM_LOCATION_TYPE_DEVICE, 1},
                  host = {CU_MEM_LOCATION_TYPE_HOST, 0};
    CUmemAllocationType pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
    CUdeviceptr p = 0;
    SUCCEEDS(cuDeviceGetDefaultMemPool(&first, 0));
    SUCCEEDS(cuDeviceGetMemPool(&now, 0));
    assert_ptr_equal(first, now);
    SUCCEEDS(cuDeviceSetMemPool(0, own));
    SUCCEEDS(cuDeviceGetMemPool(&now, 0));
    assert_ptr_equal(now, own);
    SUCCEEDS(cuMemAllocAsync(&p, 100, NULL));
    SUCCEEDS(cuPointerGetAttribute(&now, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
    assert_ptr_equal(now, own);
    SUCCEEDS(cuMemPoolDestroy(own));
    SUCCEEDS(cuMemGetMemPool(&now, &device, pinned));
    assert_ptr_equal(now, first);
    SUCCEEDS(cuMemSetMemPool(&device, pinned, first));
    SUCCEEDS(cuMemGetDefaultMemPool(&now, &device, pinned));
    assert_ptr_equal(now, first);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(first));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceSetMemPool(0, (CUmemoryPool)(void *)&p));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetMemPool(&now, 1));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetDefaultMemPool(&now, -1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetDefaultMemPool(NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuMemGetMemPool(&now, &other, pinned));
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuMemGetMemPool(&now, &host, pinned));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemGetMemPool(&now, &device, CU_MEM_ALLOCATION_TYPE_INVALID));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void properties_and_access_of_pools_are_checked(void **state)
{
    (void)state;
    CUcontext context = open_context();
    CUmemPoolProps good = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    CUmemPoolProps bad = good;
    CUmemoryPool pool = make_pool(0), other = NULL;
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    CUdeviceptr p = 0;
    int on = 1, flag = 0;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(NULL, &good));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&other, NULL));
    bad.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&other, &bad));
    bad = good, bad.location.id = 3;
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuMemPoolCreate(&other, &bad));
    bad = good, bad.location.type = CU_MEM_LOCATION_TYPE_INVALID;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&other, &bad));
    bad = good, bad.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuMemPoolCreate(&other, &bad));
    SUCCEEDS(cuMemPoolSetAccess(pool, &access, 1));
    SUCCEEDS(cuMemPoolGetAccess(&flags, pool, &access.location));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAccess(pool, &access, 1));
    access.location.id = 1;
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuMemPoolSetAccess(pool, &access, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAccess(pool, NULL, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAccess(NULL, pool, &access.location));
    SUCCEEDS(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &flag));
    assert_int_equal(flag, 1);
    on = 0;
    SUCCEEDS(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &on));
    SUCCEEDS(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, &flag));
    assert_int_equal(flag, 0);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &on));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAttribute(pool, (CUmemPool_attribute)99, &flag));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPoolTrimTo(NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocAsync(&p, 0, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocAsync(NULL, 1, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuMemAllocAsync(&p, 1, (CUstream)(void *)&on));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(0, NULL));
    SUCCEEDS(cuMemAlloc_v2(&p, 100)); /* of no pool: may be freed in a stream, too */
    SUCCEEDS(cuMemFreeAsync_ptsz(p, NULL));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(memory_lives_until_its_free_is_reached_in_the_stream), UNIT(a_pool_keeps_what_its_threshold_says),
           UNIT(a_pool_is_no_larger_than_it_was_made), UNIT(memory_is_used_again_and_again),
           UNIT(the_device_has_a_default_pool_and_a_current_one), UNIT(properties_and_access_of_pools_are_checked))
