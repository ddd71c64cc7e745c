/* Addresses and memory apart. */
#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

#define UNIT_BYTES ((size_t)2 << 20)

static const CUmemAllocationProp on_device = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                              .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};

static CUmemGenericAllocationHandle make(size_t bytes)
{
    CUmemGenericAllocationHandle handle = 0;
    SUCCEEDS(cuMemCreate(&handle, bytes, &on_device, 0));
    return handle;
}

static CUdeviceptr reserve(size_t bytes)
{
    CUdeviceptr p = 0;
    SUCCEEDS(cuMemAddressReserve(&p, bytes, 0, 0, 0));
    return p;
}

static CUresult allow(CUdeviceptr p, size_t bytes, CUmemAccess_flags flags)
{
    CUmemAccessDesc desc = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
    return cuMemSetAccess(p, bytes, &desc, 1);
}

static const CUmemAccess_flags none = CU_MEM_ACCESS_FLAGS_PROT_NONE, both = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;

static void memory_keeps_its_bytes_from_address_to_address(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr p = reserve(4 * UNIT_BYTES), q = reserve(UNIT_BYTES);
    CUmemGenericAllocationHandle a = make(UNIT_BYTES), b = make(2 * UNIT_BYTES);
    unsigned char byte = 0, bytes[3] = {1, 2, 3}, back[3];
    SUCCEEDS(cuMemMap(p, UNIT_BYTES, 0, a, 0));
    SUCCEEDS(cuMemMap(p + UNIT_BYTES, 2 * UNIT_BYTES, 0, b, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(p, 1, 1)); /* no access yet */
    SUCCEEDS(allow(p, 3 * UNIT_BYTES, both));
    SUCCEEDS(cuMemsetD8_v2(p, 7, 3 * UNIT_BYTES)); /* over the border of two mappings */
    SUCCEEDS(cuMemcpyHtoD_v2(p + UNIT_BYTES - 1, bytes, 3));
    SUCCEEDS(cuMemcpyDtoH_v2(back, p + UNIT_BYTES - 1, 3));
    assert_memory_equal(back, bytes, 3);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(p, 7, 3 * UNIT_BYTES + 1));
    SUCCEEDS(cuMemMap(q, UNIT_BYTES, 0, a, 0)); /* the same memory at two places */
    SUCCEEDS(allow(q, UNIT_BYTES, both));
    SUCCEEDS(cuMemsetD8_v2(q + 5, 9, 1));
    SUCCEEDS(cuMemcpyDtoH_v2(&byte, p + 5, 1));
    assert_int_equal(byte, 9);
    SUCCEEDS(cuMemUnmap(p, UNIT_BYTES));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(&byte, p + 5, 1));
    SUCCEEDS(cuMemUnmap(q, UNIT_BYTES));
    SUCCEEDS(cuMemMap(p + 3 * UNIT_BYTES, UNIT_BYTES, 0, a, 0));
    SUCCEEDS(allow(p + 3 * UNIT_BYTES, UNIT_BYTES, both));
    SUCCEEDS(cuMemcpyDtoH_v2(&byte, p + 3 * UNIT_BYTES + 5, 1));
    assert_int_equal(byte, 9);
    SUCCEEDS(cuMemUnmap(p + UNIT_BYTES, 3 * UNIT_BYTES));
    SUCCEEDS(cuMemRelease(a));
    SUCCEEDS(cuMemRelease(b));
    SUCCEEDS(cuMemAddressFree(p, 4 * UNIT_BYTES));
    SUCCEEDS(cuMemAddressFree(q, UNIT_BYTES));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void memory_lives_as_long_as_a_handle_or_a_mapping(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    size_t before = 0, now = 0, total = 0;
    SUCCEEDS(cuMemGetInfo_v2(&before, &total));
    CUdeviceptr p = reserve(UNIT_BYTES);
    SUCCEEDS(cuMemGetInfo_v2(&now, &total));
    assert_int_equal(now, before);
    CUmemGenericAllocationHandle a = make(UNIT_BYTES), same = 0;
    SUCCEEDS(cuMemGetInfo_v2(&now, &total));
    assert_int_equal(now, before - UNIT_BYTES);
    SUCCEEDS(cuMemMap(p, UNIT_BYTES, 0, a, 0));
    SUCCEEDS(cuMemRelease(a));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemRelease(a));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, UNIT_BYTES, 0, a, 0));
    SUCCEEDS(allow(p, UNIT_BYTES, both));
    SUCCEEDS(cuMemsetD8_v2(p, 1, UNIT_BYTES));
    SUCCEEDS(cuMemRetainAllocationHandle(&same, (void *)(uintptr_t)(p + 77)));
    assert_int_equal(same, a);
    SUCCEEDS(cuMemUnmap(p, UNIT_BYTES));
    SUCCEEDS(cuMemGetInfo_v2(&now, &total));
    assert_int_equal(now, before - UNIT_BYTES);
    SUCCEEDS(cuMemRelease(same));
    SUCCEEDS(cuMemGetInfo_v2(&now, &total));
    assert_int_equal(now, before);
    SUCCEEDS(cuMemAddressFree(p, UNIT_BYTES));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(p, UNIT_BYTES));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void access_is_given_and_taken(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr p = reserve(2 * UNIT_BYTES), plain = 0;
    CUmemGenericAllocationHandle a = make(2 * UNIT_BYTES);
    CUmemLocation device = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, other = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
    unsigned long long flags = 99;
    SUCCEEDS(cuMemMap(p, UNIT_BYTES, 0, a, 0));
    SUCCEEDS(cuMemGetAccess(&flags, &device, p));
    assert_int_equal(flags, none);
    SUCCEEDS(allow(p, UNIT_BYTES, both));
    SUCCEEDS(cuMemGetAccess(&flags, &device, p + UNIT_BYTES - 1));
    assert_int_equal(flags, both);
    SUCCEEDS(cuMemsetD8_v2(p, 5, 1));
    SUCCEEDS(allow(p, UNIT_BYTES, none));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(p, 5, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, allow(p, 2 * UNIT_BYTES, both)); /* not mapped to its end */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, allow(p + UNIT_BYTES, UNIT_BYTES, both));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, allow(p, UNIT_BYTES, (CUmemAccess_flags)2));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess(p, UNIT_BYTES, NULL, 1));
    CUmemAccessDesc wrong = {other, both};
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuMemSetAccess(p, UNIT_BYTES, &wrong, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemGetAccess(&flags, &device, p + UNIT_BYTES));
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuMemGetAccess(&flags, &other, p));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemGetAccess(NULL, &device, p));
    SUCCEEDS(cuMemAlloc_v2(&plain, 10));
    SUCCEEDS(cuMemGetAccess(&flags, &device, plain));
    assert_int_equal(flags, both);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, allow(plain, 10, both));
    SUCCEEDS(cuMemUnmap(p, UNIT_BYTES));
    SUCCEEDS(cuMemRelease(a));
    SUCCEEDS(cuMemAddressFree(p, 2 * UNIT_BYTES));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void sizes_and_places_are_checked(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr p = reserve(3 * UNIT_BYTES), q = 0;
    CUmemGenericAllocationHandle a = make(2 * UNIT_BYTES), bad = 0;
    CUmemAllocationProp prop = on_device;
    size_t granularity = 0;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&q, 0, 0, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&q, 100, 0, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&q, UNIT_BYTES, 3, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&q, UNIT_BYTES, 0, 0, 1));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(NULL, UNIT_BYTES, 0, 0, 0));
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemAddressReserve(&q, (size_t)1 << 50, 0, 0, 0));
    SUCCEEDS(cuMemAddressReserve(&q, UNIT_BYTES, 16 * UNIT_BYTES, 0, 0));
    assert_int_equal(q % (16 * UNIT_BYTES), 0);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(p, UNIT_BYTES));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(p + UNIT_BYTES, 2 * UNIT_BYTES));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&bad, 100, &prop, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&bad, 0, &prop, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&bad, UNIT_BYTES, NULL, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemCreate(NULL, UNIT_BYTES, &prop, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&bad, UNIT_BYTES, &prop, 1));
    ANSWERS(CUDA_ERROR_OUT_OF_MEMORY, cuMemCreate(&bad, (size_t)49 << 30, &prop, 0));
    prop.location.id = 1;
    ANSWERS(CUDA_ERROR_INVALID_DEVICE, cuMemCreate(&bad, UNIT_BYTES, &prop, 0));
    prop = on_device, prop.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&bad, UNIT_BYTES, &prop, 0));
    prop = on_device, prop.location.type = CU_MEM_LOCATION_TYPE_HOST;
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuMemCreate(&bad, UNIT_BYTES, &prop, 0));
    prop = on_device, prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    ANSWERS(CUDA_ERROR_NOT_SUPPORTED, cuMemCreate(&bad, UNIT_BYTES, &prop, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, UNIT_BYTES, 0, 0, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, UNIT_BYTES, 0, (uintptr_t)&a, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, UNIT_BYTES / 2, 0, a, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, 3 * UNIT_BYTES, 0, a, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p + 2 * UNIT_BYTES, 2 * UNIT_BYTES, 0, a, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, 2 * UNIT_BYTES, UNIT_BYTES, a, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, UNIT_BYTES, 0, a, 1));
    SUCCEEDS(cuMemMap(p, UNIT_BYTES, UNIT_BYTES, a, 0));
    SUCCEEDS(cuMemMap(p + 2 * UNIT_BYTES, UNIT_BYTES, 0, a, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p + UNIT_BYTES, 2 * UNIT_BYTES, 0, a, 0)); /* partly taken */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, UNIT_BYTES, 0, a, 0));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(p, 3 * UNIT_BYTES)); /* there is a hole */
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(p + UNIT_BYTES, UNIT_BYTES));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(p, 3 * UNIT_BYTES));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemRetainAllocationHandle(&bad, (void *)(uintptr_t)(p + UNIT_BYTES)));
    SUCCEEDS(cuMemUnmap(p, UNIT_BYTES));
    SUCCEEDS(cuMemUnmap(p + 2 * UNIT_BYTES, UNIT_BYTES));
    SUCCEEDS(cuMemGetAllocationGranularity(&granularity, &on_device, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    assert_int_equal(granularity, UNIT_BYTES);
    ANSWERS(CUDA_ERROR_INVALID_VALUE,
            cuMemGetAllocationGranularity(&granularity, &on_device, (CUmemAllocationGranularity_flags)2));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemGetAllocationGranularity(NULL, &on_device, 0));
    SUCCEEDS(cuMemGetAllocationPropertiesFromHandle(&prop, a));
    assert_memory_equal(&prop, &on_device, sizeof prop);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemGetAllocationPropertiesFromHandle(&prop, 7));
    SUCCEEDS(cuMemRelease(a));
    SUCCEEDS(cuMemAddressFree(p, 3 * UNIT_BYTES));
    SUCCEEDS(cuMemAddressFree(q, UNIT_BYTES));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(memory_keeps_its_bytes_from_address_to_address), UNIT(memory_lives_as_long_as_a_handle_or_a_mapping),
           UNIT(access_is_given_and_taken), UNIT(sizes_and_places_are_checked))
