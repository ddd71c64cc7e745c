/* Batches of copies, prefetches and discards. */
#include "driver/abi/api_memory.h"
#include "driver/abi/api_stream.h"
#include "tests/driver/rig.h"

enum { COUNT = 3, BYTES = 4096 };

struct rig {
    CUcontext context;
    CUstream stream;
    unsigned char *host, *pinned;
    CUdeviceptr device, managed;
};

static struct rig open_rig(void)
{
    struct rig r = {.context = rig_context("rtx-a6000"), .host = malloc(BYTES)};
    assert_non_null(r.host);
    for (int i = 0; i < BYTES; i++)
        r.host[i] = (unsigned char)(i * 7 + 1);
    SUCCEEDS(cuStreamCreate(&r.stream, 0));
    SUCCEEDS(cuMemHostAlloc((void **)&r.pinned, BYTES, 0));
    SUCCEEDS(cuMemAlloc_v2(&r.device, BYTES));
    SUCCEEDS(cuMemAllocManaged(&r.managed, BYTES, 1));
    return r;
}

static void close_rig(struct rig *r)
{
    SUCCEEDS(cuCtxDestroy_v2(r->context));
    free(r->host);
}

static void a_batch_copies_between_all_kinds_of_memory(void **state)
{
    (void)state;
    struct rig r = open_rig();
    unsigned char back[8], *copy = malloc(BYTES);
    assert_non_null(copy);
    memcpy(copy, r.host, BYTES);
    CUdeviceptr to[COUNT] = {r.device, r.managed + 1, (uintptr_t)r.pinned + 2};
    CUdeviceptr from[COUNT] = {(uintptr_t)copy, (uintptr_t)copy + 50, (uintptr_t)copy + 60};
    size_t bytes[COUNT] = {100, 7, 9}, first[2] = {0, 1}, failed = 99;
    CUmemcpyAttributes attributes[2] = {{.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL},
                                        {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM}};
    SUCCEEDS(cuMemcpyBatchAsync(to, from, bytes, COUNT, attributes, first, 2, &failed, r.stream));
    assert_int_equal(failed, SIZE_MAX);
    memset(copy, 0, 50); /* the first has been read already */
    SUCCEEDS(cuStreamSynchronize(r.stream));
    SUCCEEDS(cuMemcpyDtoH_v2(back, r.device + 92, 8));
    assert_memory_equal(back, r.host + 92, 8);
    SUCCEEDS(cuMemcpyDtoH_v2(back, r.device, 8));
    assert_memory_equal(back, r.host, 8);
    assert_memory_equal((unsigned char *)(uintptr_t)r.managed + 1, r.host + 50, 7);
    assert_memory_equal(r.pinned + 2, r.host + 60, 9);
    SUCCEEDS(cuMemcpyBatchAsync_v2(from, to, bytes, COUNT, attributes, first, 1, r.stream));
    SUCCEEDS(cuStreamSynchronize(r.stream));
    assert_memory_equal(copy, r.host, 100);
    free(copy);
    close_rig(&r);
}

static void a_wrong_batch_tells_where(void **state)
{
    (void)state;
    struct rig r = open_rig();
    CUdeviceptr to[COUNT] = {r.device, r.device, r.device + BYTES};
    CUdeviceptr from[COUNT] = {(uintptr_t)r.host, (uintptr_t)r.host, (uintptr_t)r.host};
    size_t bytes[COUNT] = {1, 1, 1}, first[2] = {0, 1}, failed = 99;
    CUmemcpyAttributes attributes[2] = {{.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY},
                                        {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_ANY}};
    ANSWERS(CUDA_ERROR_INVALID_VALUE,
            cuMemcpyBatchAsync(to, from, bytes, COUNT, attributes, first, 2, &failed, r.stream));
    assert_int_equal(failed, 2);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync(to, from, bytes, 2, attributes, first, 2, &failed, NULL));
    assert_int_equal(failed, SIZE_MAX);
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync(to, from, bytes, 0, attributes, first, 2, &failed, r.stream));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync(to, from, bytes, 2, attributes, first, 3, &failed, r.stream));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync(to, from, bytes, 2, NULL, first, 1, &failed, r.stream));
    first[0] = 1;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync(to, from, bytes, 2, attributes, first, 1, &failed, r.stream));
    first[0] = 0, first[1] = 0;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync(to, from, bytes, 2, attributes, first, 2, &failed, r.stream));
    attributes[0].srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync(to, from, bytes, 2, attributes, first, 1, &failed, r.stream));
    close_rig(&r);
}

static void boxes_count_elements_where_there_are_arrays(void **state)
{
    (void)state;
    struct rig r = open_rig();
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {8, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUarray array = NULL;
    SUCCEEDS(cuArray3DCreate_v2(&array, &descriptor));
    CUDA_MEMCPY3D_BATCH_OP op[2] = {{.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, .extent = {8, 4, 1}},
                                    {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, .extent = {3, 2, 1}}};
    op[0].src.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    op[0].src.op.ptr.ptr = (uintptr_t)r.host;
    op[0].dst.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    op[0].dst.op.array.array = array;
    op[1].src.type = CU_MEMCPY_OPERAND_TYPE_ARRAY;
    op[1].src.op.array.array = array;
    op[1].src.op.array.offset = (CUoffset3D){2, 1, 0};
    op[1].dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    op[1].dst.op.ptr.ptr = (uintptr_t)r.pinned;
    op[1].dst.op.ptr.rowLength = 5;
    size_t failed = 99;
    SUCCEEDS(cuMemcpy3DBatchAsync(2, op, &failed, 0, r.stream));
    SUCCEEDS(cuStreamSynchronize(r.stream));
    for (int y = 0; y < 2; y++)
        assert_memory_equal(r.pinned + y * 20, r.host + (1 + y) * 32 + 8, 12);
    assert_int_equal(r.pinned[12], 0);
    op[1].extent.width = 7;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync(2, op, &failed, 0, r.stream));
    assert_int_equal(failed, 1);
    op[1].extent = (CUextent3D){0, 1, 1};
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync_v2(2, op, 0, r.stream));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync_v2(1, op, 1, r.stream));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync_v2(1, op, 0, NULL));
    SUCCEEDS(cuMemcpy3DBatchAsync_v2_ptsz(1, op, 0, r.stream));
    close_rig(&r);
}

static void prefetches_go_where_each_is_told(void **state)
{
    (void)state;
    struct rig r = open_rig();
    CUdeviceptr more = 0;
    SUCCEEDS(cuMemAllocManaged(&more, BYTES, 1));
    CUdeviceptr ranges[2] = {r.managed, more};
    size_t bytes[2] = {BYTES, 10}, first[2] = {0, 1};
    CUmemLocation where[2] = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, {CU_MEM_LOCATION_TYPE_HOST, 0}};
    int place = 99;
    SUCCEEDS(cuMemPrefetchBatchAsync(ranges, bytes, 2, where, first, 2, 0, r.stream));
    SUCCEEDS(cuMemRangeGetAttribute(&place, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, r.managed, BYTES));
    assert_int_equal(place, 0);
    SUCCEEDS(cuMemRangeGetAttribute(&place, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, more, 1));
    assert_int_equal(place, -1);
    SUCCEEDS(cuMemDiscardBatchAsync(ranges, bytes, 2, 0, r.stream));
    SUCCEEDS(cuMemDiscardAndPrefetchBatchAsync(ranges, bytes, 2, where, first, 1, 0, r.stream));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemDiscardBatchAsync(ranges, bytes, 2, 1, r.stream));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemDiscardBatchAsync(ranges, bytes, 2, 0, NULL));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchBatchAsync(ranges, bytes, 2, where, NULL, 2, 0, r.stream));
    ranges[1] = r.device;
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchBatchAsync(ranges, bytes, 2, where, first, 2, 0, r.stream));
    ANSWERS(CUDA_ERROR_INVALID_VALUE, cuMemDiscardBatchAsync(ranges, bytes, 2, 0, r.stream));
    close_rig(&r);
}

UNIT_TESTS(UNIT(a_batch_copies_between_all_kinds_of_memory), UNIT(a_wrong_batch_tells_where),
           UNIT(boxes_count_elements_where_there_are_arrays), UNIT(prefetches_go_where_each_is_told))
