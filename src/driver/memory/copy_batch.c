/* Batches of copies. They are submitted one after the other: the order within a batch is free, so this one is as good
 * as any. A batch whose copy k is wrong has submitted the copies before it. */
#include <stdint.h>

#include "driver/abi/api_memory.h"
#include "driver/memory/array.h"
#include "driver/memory/copy.h"
#include "driver/queue/stream.h"

enum { FLAGS = 1 /* CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE, a hint */ };

static bool manner_of(CUmemcpySrcAccessOrder order, enum copy_manner *manner)
{
    switch (order) {
    case CU_MEMCPY_SRC_ACCESS_ORDER_STREAM: *manner = COPY_IN_STREAM; return true;
    case CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL: *manner = COPY_DURING_CALL; return true;
    case CU_MEMCPY_SRC_ACCESS_ORDER_ANY: *manner = COPY_ASYNCHRONOUS; return true;
    default: return false;
    }
}

/* Batches are not for the legacy stream. */
static CUresult check_stream(struct call *call, CUstream handle, bool per_thread)
{
    const struct CUstream_st *stream = stream_find(call, handle, per_thread);
    return !stream ? CUDA_ERROR_INVALID_HANDLE : stream->legacy ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

struct batch {
    const CUdeviceptr *to, *from;
    const size_t *bytes;
    size_t count;
    const CUmemcpyAttributes *attributes;
    const size_t *first; /* copy that an attribute begins with */
    size_t attribute_count;
};

static bool batch_right(const struct batch *b)
{
    if (!b->to || !b->from || !b->bytes || b->count == 0 || !b->attributes || !b->first || b->attribute_count == 0 ||
        b->attribute_count > b->count || b->first[0] != 0)
        return false;
    for (size_t i = 0; i < b->attribute_count; i++) {
        enum copy_manner manner;
        if (!manner_of(b->attributes[i].srcAccessOrder, &manner) || (b->attributes[i].flags & ~(unsigned)FLAGS) != 0 ||
            b->first[i] >= b->count || (i > 0 && b->first[i] <= b->first[i - 1]))
            return false;
    }
    return true;
}

static CUresult submit(struct call *call, const struct batch *b, size_t *fail, CUstream stream, bool per_thread)
{
    if (fail)
        *fail = SIZE_MAX;
    CUresult result = check_stream(call, stream, per_thread);
    if (result == CUDA_SUCCESS && !batch_right(b))
        result = CUDA_ERROR_INVALID_VALUE;
    size_t attribute = 0;
    for (size_t i = 0; i < b->count && result == CUDA_SUCCESS; i++) {
        if (attribute + 1 < b->attribute_count && b->first[attribute + 1] == i)
            attribute++;
        enum copy_manner manner = COPY_IN_STREAM;
        manner_of(b->attributes[attribute].srcAccessOrder, &manner);
        CUDA_MEMCPY3D box =
            copy_linear(CU_MEMORYTYPE_UNIFIED, b->to[i], CU_MEMORYTYPE_UNIFIED, b->from[i], b->bytes[i]);
        result = copy_submit(call, &box, stream, per_thread, manner);
        if (result != CUDA_SUCCESS && fail)
            *fail = i;
    }
    return result;
}

static CUresult batch(const char *name, const struct batch *b, size_t *fail, CUstream stream, bool per_thread)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = submit(&call, b, fail, stream, per_thread);
    return call_end(&call, result);
}

CUresult cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                            CUstream hStream)
{
    struct batch b = {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs};
    return batch(__func__, &b, failIdx, hStream, false);
}

CUresult cuMemcpyBatchAsync_ptsz(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                 CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                                 CUstream hStream)
{
    struct batch b = {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs};
    return batch(__func__, &b, failIdx, hStream, true);
}

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, CUstream hStream)
{
    struct batch b = {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs};
    return batch(__func__, &b, NULL, hStream, false);
}

CUresult cuMemcpyBatchAsync_v2_ptsz(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                    CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, CUstream hStream)
{
    struct batch b = {dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs};
    return batch(__func__, &b, NULL, hStream, true);
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Extents and offsets count elements: of the arrays, or bytes where there are none. 0: the arrays differ, or are no
 * arrays. */
static size_t element_of(const struct driver *driver, const CUDA_MEMCPY3D_BATCH_OP *op)
{
    const CUmemcpy3DOperand *side[] = {&op->src, &op->dst};
    size_t element = 0;
    for (int i = 0; i < 2; i++) {
        if (side[i]->type != CU_MEMCPY_OPERAND_TYPE_ARRAY)
            continue;
        const struct CUarray_st *array = side[i]->op.array.array;
        if (!handle_is(driver->handles, HANDLE_ARRAY, array) || (element && element != array->layout.element))
            return 0;
        element = array->layout.element;
    }
    return element ? element : 1;
}

/* One side of the box; false for an operand of no known type. */
static bool operand(const CUmemcpy3DOperand *side, size_t element, const CUextent3D *extent, CUmemorytype *type,
                    CUdeviceptr *address, CUarray *array, size_t offset[3], size_t pitch[2])
{
    if (side->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        *type = CU_MEMORYTYPE_ARRAY;
        *array = side->op.array.array;
        offset[0] = side->op.array.offset.x;
        offset[1] = side->op.array.offset.y;
        offset[2] = side->op.array.offset.z;
        return !__builtin_mul_overflow(offset[0], element, &offset[0]);
    }
    *type = CU_MEMORYTYPE_UNIFIED;
    *address = side->op.ptr.ptr;
    size_t row = side->op.ptr.rowLength ? side->op.ptr.rowLength : extent->width;
    pitch[1] = side->op.ptr.layerHeight ? side->op.ptr.layerHeight : extent->height;
    return side->type == CU_MEMCPY_OPERAND_TYPE_POINTER && row >= extent->width && pitch[1] >= extent->height &&
           !__builtin_mul_overflow(row, element, &pitch[0]);
}

static CUresult submit_box(struct call *call, const CUDA_MEMCPY3D_BATCH_OP *op, CUstream stream, bool per_thread)
{
    enum copy_manner manner;
    size_t element = element_of(call->driver, op), from[3] = {0}, to[3] = {0}, from_pitch[2] = {0}, to_pitch[2] = {0};
    CUDA_MEMCPY3D box = {.Height = op->extent.height, .Depth = op->extent.depth};
    if (element == 0 || !manner_of(op->srcAccessOrder, &manner) || (op->flags & ~(unsigned)FLAGS) != 0 ||
        op->extent.width == 0 || op->extent.height == 0 || op->extent.depth == 0 ||
        __builtin_mul_overflow(op->extent.width, element, &box.WidthInBytes) ||
        !operand(&op->src, element, &op->extent, &box.srcMemoryType, &box.srcDevice, &box.srcArray, from, from_pitch) ||
        !operand(&op->dst, element, &op->extent, &box.dstMemoryType, &box.dstDevice, &box.dstArray, to, to_pitch))
        return CUDA_ERROR_INVALID_VALUE;
    box.srcXInBytes = from[0], box.srcY = from[1], box.srcZ = from[2];
    box.dstXInBytes = to[0], box.dstY = to[1], box.dstZ = to[2];
    box.srcPitch = from_pitch[0], box.srcHeight = from_pitch[1];
    box.dstPitch = to_pitch[0], box.dstHeight = to_pitch[1];
    return copy_submit(call, &box, stream, per_thread, manner);
}

static CUresult boxes(const char *name, size_t count, const CUDA_MEMCPY3D_BATCH_OP *list, size_t *fail,
                      unsigned long long flags, CUstream stream, bool per_thread)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (fail)
        *fail = SIZE_MAX;
    if (result == CUDA_SUCCESS)
        result = check_stream(&call, stream, per_thread);
    if (result == CUDA_SUCCESS && (count == 0 || !list || flags != 0))
        result = CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
        result = submit_box(&call, &list[i], stream, per_thread);
        if (result != CUDA_SUCCESS && fail)
            *fail = i;
    }
    return call_end(&call, result);
}

CUresult cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx, unsigned long long flags,
                              CUstream hStream)
{
    return boxes(__func__, numOps, opList, failIdx, flags, hStream, false);
}

CUresult cuMemcpy3DBatchAsync_ptsz(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                                   unsigned long long flags, CUstream hStream)
{
    return boxes(__func__, numOps, opList, failIdx, flags, hStream, true);
}

CUresult cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags,
                                 CUstream hStream)
{
    return boxes(__func__, numOps, opList, NULL, flags, hStream, false);
}

CUresult cuMemcpy3DBatchAsync_v2_ptsz(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags,
                                      CUstream hStream)
{
    return boxes(__func__, numOps, opList, NULL, flags, hStream, true);
}
