/* Managed memory, with its queries and advice. */
#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

enum { PAGE = 4096, CPU = -1, NOWHERE = -2 };

static int asked(CUmem_range_attribute attribute, CUdeviceptr p, size_t bytes)
{
    int value = 99;
    SUCCEEDS(cuMemRangeGetAttribute(&value, sizeof value, attribute, p, bytes));
    return value;
}

static void host_and_device_see_the_same_bytes(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr p = 0;
    SUCCEEDS(cuMemAllocManaged(&p, 3 * PAGE, 1));
    unsigned char *host = (unsigned char *)(uintptr_t)p, back[4];
    assert_int_equal(host[3 * PAGE - 1], 0);
    host[10] = 5;
    SUCCEEDS(cuMemcpyDtoH_v2(back, p + 10, 1));
    assert_int_equal(back[0], 5);
    SUCCEEDS(cuMemsetD8_v2(p + 11, 6, 3));
    SUCCEEDS(cuCtxSynchronize());
    assert_int_equal(host[13], 6);
    assert_int_equal(host[14], 0);
    SUCCEEDS(cuMemcpyHtoD_v2(p, "abc", 3));
    assert_memory_equal(host, "abc", 3);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&p, 0, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&p, 1, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&p, 1, 4));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(NULL, 1, 1));
    SUCCEEDS(cuMemFree_v2((uintptr_t)host));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2((uintptr_t)host));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void advice_is_kept_page_by_page(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr p = 0;
    CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0};
    int who[3] = {0};
    SUCCEEDS(cuMemAllocManaged(&p, 4 * PAGE, 1));
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 4 * PAGE), 0);
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 4 * PAGE), NOWHERE);
    SUCCEEDS(cuMemAdvise_v2(p + PAGE + 5, 1, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p + PAGE, PAGE), 1);
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p + PAGE, PAGE + 1), 0);
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p + PAGE - 1, 2), 0);
    SUCCEEDS(cuMemAdvise(p, 4 * PAGE, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 77));
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p + PAGE, PAGE), 0);
    SUCCEEDS(cuMemAdvise(p, 2 * PAGE, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CPU));
    SUCCEEDS(cuMemAdvise_v2(p + 2 * PAGE, PAGE, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 2 * PAGE), CPU);
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, p, 2 * PAGE), CU_MEM_LOCATION_TYPE_HOST);
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p + 2 * PAGE, PAGE), 0);
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, p + 2 * PAGE, PAGE), 0);
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, 3 * PAGE), NOWHERE);
    SUCCEEDS(cuMemAdvise(p, PAGE, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, CPU));
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, p, PAGE), NOWHERE);
    SUCCEEDS(cuMemAdvise_v2(p, PAGE, CU_MEM_ADVISE_SET_ACCESSED_BY, host));
    SUCCEEDS(cuMemAdvise_v2(p, 2 * PAGE, CU_MEM_ADVISE_SET_ACCESSED_BY, device));
    SUCCEEDS(cuMemRangeGetAttribute(who, sizeof who, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, PAGE));
    assert_true(who[0] == CPU && who[1] == 0 && who[2] == NOWHERE);
    SUCCEEDS(cuMemRangeGetAttribute(who, sizeof who, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, 2 * PAGE));
    assert_true(who[0] == 0 && who[1] == NOWHERE && who[2] == NOWHERE);
    SUCCEEDS(cuMemAdvise(p, 2 * PAGE, CU_MEM_ADVISE_UNSET_ACCESSED_BY, 0));
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, PAGE), CPU);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void prefetches_are_remembered(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr p = 0;
    CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
    SUCCEEDS(cuMemAllocManaged(&p, 2 * PAGE, 2));
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, PAGE), NOWHERE);
    SUCCEEDS(cuMemPrefetchAsync(p, 2 * PAGE, 0, NULL));
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, 2 * PAGE), 0);
    SUCCEEDS(cuMemPrefetchAsync_v2(p, 1, host, 0, NULL));
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, PAGE), CPU);
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, p, 2 * PAGE), NOWHERE);
    SUCCEEDS(cuMemPrefetchAsync_v2_ptsz(p, PAGE, device, 0, NULL));
    SUCCEEDS(cuMemPrefetchAsync_ptsz(p, PAGE, CPU, NULL));
    assert_int_equal(asked(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, p, PAGE), CU_MEM_LOCATION_TYPE_HOST);
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuMemPrefetchAsync(p, 1, 1, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(p, 0, 0, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(p, 2 * PAGE + 1, 0, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync_v2(p, 1, device, 1, NULL));
    ANSWERS(CUDA_ERROR_INVALID_HANDLE, cuMemPrefetchAsync(p, 1, 0, (CUstream)(void *)&p));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void only_managed_memory_takes_advice(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr p = 0, managed = 0;
    CUmemLocation nowhere = {CU_MEM_LOCATION_TYPE_INVALID, 0};
    int value;
    void *data[2] = {&value, &value};
    size_t sizes[2] = {4, 4};
    CUmem_range_attribute which[2] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY};
    SUCCEEDS(cuMemAlloc_v2(&p, PAGE));
    SUCCEEDS(cuMemAllocManaged(&managed, PAGE, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(p, 1, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(managed, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(managed, PAGE + 1, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(managed, 1, (CUmem_advise)9, 0));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuMemAdvise(managed, 1, CU_MEM_ADVISE_SET_ACCESSED_BY, 5));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAdvise_v2(managed, 1, CU_MEM_ADVISE_SET_ACCESSED_BY, nowhere));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(p, 1, 0, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(&value, 4, which[0], p, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(&value, 3, which[0], managed, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(&value, 8, which[0], managed, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(&value, 0, which[1], managed, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(NULL, 4, which[0], managed, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(&value, 4, (CUmem_range_attribute)50, managed, 1));
    SUCCEEDS(cuMemRangeGetAttributes(data, sizes, which, 2, managed, 1));
    assert_int_equal(value, NOWHERE);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttributes(data, sizes, which, 0, managed, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttributes(NULL, sizes, which, 2, managed, 1));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(host_and_device_see_the_same_bytes), UNIT(advice_is_kept_page_by_page), UNIT(prefetches_are_remembered),
           UNIT(only_managed_memory_takes_advice))
