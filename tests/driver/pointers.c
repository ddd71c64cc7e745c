/* Every kind of pointer: its attributes. */
#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

static uint64_t number_of(CUpointer_attribute attribute, CUdeviceptr p)
{
    uint64_t value = 99;
    SUCCEEDS(cuPointerGetAttribute(&value, attribute, p));
    return value;
}

static unsigned word_of(CUpointer_attribute attribute, CUdeviceptr p)
{
    unsigned value = 99;
    SUCCEEDS(cuPointerGetAttribute(&value, attribute, p));
    return value;
}

/* Facts that hold for every address. */
static void common(CUcontext context, CUdeviceptr p, CUdeviceptr base, size_t bytes, unsigned type)
{
    assert_int_equal(number_of(CU_POINTER_ATTRIBUTE_CONTEXT, p), (uintptr_t)context);
    assert_int_equal(word_of(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p), type);
    assert_int_equal(number_of(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p), p);
    assert_int_equal(number_of(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p), base);
    assert_int_equal(number_of(CU_POINTER_ATTRIBUTE_RANGE_SIZE, p), bytes);
    assert_int_equal(word_of(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p), 0);
    assert_int_equal(word_of(CU_POINTER_ATTRIBUTE_MAPPED, p), 1);
    assert_int_equal(word_of(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p), CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_int_equal(number_of(CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, p), 0);
    assert_int_equal(word_of(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p), 0);
}

static void each_kind_of_memory_is_recognised(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr device = 0, managed = 0, pooled = 0, host;
    void *pinned = NULL;
    static char registered[9000];
    CUmemoryPool pool = NULL;
    SUCCEEDS(cuMemAlloc_v2(&device, 1000));
    SUCCEEDS(cuMemAllocManaged(&managed, 1001, 1));
    SUCCEEDS(cuMemHostAlloc(&pinned, 1002, 0));
    SUCCEEDS(cuMemHostRegister_v2(registered, sizeof registered, 0));
    SUCCEEDS(cuMemAllocAsync(&pooled, 1003, NULL));
    SUCCEEDS(cuDeviceGetDefaultMemPool(&pool, 0));
    common(context, device + 7, device, 1000, CU_MEMORYTYPE_DEVICE);
    common(context, managed + 1000, managed, 1001, CU_MEMORYTYPE_DEVICE);
    common(context, (uintptr_t)pinned, (uintptr_t)pinned, 1002, CU_MEMORYTYPE_HOST);
    common(context, (uintptr_t)registered + 8999, (uintptr_t)registered, 9000, CU_MEMORYTYPE_HOST);
    common(context, pooled, pooled, 1003, CU_MEMORYTYPE_DEVICE);
    assert_int_equal(word_of(CU_POINTER_ATTRIBUTE_IS_MANAGED, managed), 1);
    assert_int_equal(word_of(CU_POINTER_ATTRIBUTE_IS_MANAGED, device), 0);
    assert_int_equal(word_of(CU_POINTER_ATTRIBUTE_IS_MANAGED, (uintptr_t)pinned), 0);
    assert_int_equal(number_of(CU_POINTER_ATTRIBUTE_HOST_POINTER, managed + 3), managed + 3);
    assert_int_equal(number_of(CU_POINTER_ATTRIBUTE_HOST_POINTER, (uintptr_t)pinned + 3), (uintptr_t)pinned + 3);
    assert_int_equal(number_of(CU_POINTER_ATTRIBUTE_HOST_POINTER, (uintptr_t)registered), (uintptr_t)registered);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, device));
    assert_int_equal(number_of(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, pooled), (uintptr_t)pool);
    assert_int_equal(number_of(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, device), 0);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void buffers_have_numbers_that_are_not_used_again(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr a = 0, b = 0;
    SUCCEEDS(cuMemAlloc_v2(&a, 64));
    SUCCEEDS(cuMemAlloc_v2(&b, 64));
    uint64_t first = number_of(CU_POINTER_ATTRIBUTE_BUFFER_ID, a),
             second = number_of(CU_POINTER_ATTRIBUTE_BUFFER_ID, b);
    assert_true(first != 0 && second != 0 && first != second);
    assert_int_equal(number_of(CU_POINTER_ATTRIBUTE_BUFFER_ID, a + 63), first);
    SUCCEEDS(cuMemFree_v2(a));
    CUdeviceptr again = 0;
    SUCCEEDS(cuMemAlloc_v2(&again, 64));
    assert_int_equal(again, a);
    assert_true(number_of(CU_POINTER_ATTRIBUTE_BUFFER_ID, again) != first);
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void pointers_of_nobody_are_an_error_alone_and_nothing_among_others(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    int local = 0, ordinal = 99;
    CUdeviceptr gone = 0, unknown[2] = {(uintptr_t)&local, 0};
    CUcontext owner = context;
    unsigned type = 99, managed = 99;
    uint64_t device = 99, host = 99;
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_CONTEXT,        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_HOST_POINTER,
                                   CU_POINTER_ATTRIBUTE_IS_MANAGED,     CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *data[] = {&owner, &type, &device, &host, &managed, &ordinal};
    SUCCEEDS(cuMemAlloc_v2(&gone, 64));
    SUCCEEDS(cuMemFree_v2(gone));
    unknown[1] = gone;
    for (int i = 0; i < 2; i++) {
        owner = context, type = managed = 99, ordinal = 99, device = host = 99;
        ANSWERS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&device, which[2], unknown[i]));
        ANSWERS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, which[1], unknown[i]));
        SUCCEEDS(cuPointerGetAttributes(6, which, data, unknown[i]));
        assert_null(owner);
        assert_int_equal(type, 0);
        assert_int_equal(device, 0);
        assert_int_equal(host, unknown[i]);
        assert_int_equal(managed, 0);
        assert_int_equal(ordinal, -2);
    }
    SUCCEEDS(cuMemAlloc_v2(&gone, 64));
    SUCCEEDS(cuPointerGetAttributes(6, which, data, gone + 1));
    assert_ptr_equal(owner, context);
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    assert_int_equal(device, gone + 1);
    assert_int_equal(host, 0);
    assert_int_equal(ordinal, 0);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttributes(0, which, data, gone));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttributes(6, NULL, data, gone));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttributes(6, which, NULL, gone));
    which[3] = (CUpointer_attribute)99;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttributes(6, which, data, gone));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, (CUpointer_attribute)0, gone));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, gone));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

static void memory_can_be_told_to_synchronise(void **state)
{
    (void)state;
    CUcontext context = rig_context("rtx-a6000");
    CUdeviceptr p = 0;
    unsigned on = 1;
    SUCCEEDS(cuMemAlloc_v2(&p, 64));
    assert_int_equal(word_of(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p), 0);
    SUCCEEDS(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    assert_int_equal(word_of(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p), 1);
    SUCCEEDS(cuMemsetD8_v2(p, 1, 64));
    SUCCEEDS(cuStreamQuery(NULL));
    on = 0;
    SUCCEEDS(cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    assert_int_equal(word_of(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p), 0);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuPointerSetAttribute(NULL, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, (uintptr_t)&on));
    SUCCEEDS(cuCtxDestroy_v2(context));
}

UNIT_TESTS(UNIT(each_kind_of_memory_is_recognised), UNIT(buffers_have_numbers_that_are_not_used_again),
           UNIT(pointers_of_nobody_are_an_error_alone_and_nothing_among_others),
           UNIT(memory_can_be_told_to_synchronise))
