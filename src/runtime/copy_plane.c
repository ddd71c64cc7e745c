#include "driver/abi/api_memory.h"
#include "runtime/abi/api_copy.h"
#include "runtime/array.h"
#include "runtime/copy.h"
#include "runtime/runtime.h"

/* One side of a two-dimensional copy: rows of memory, or a place in an array. */
struct side {
    const void *pointer;
    size_t pitch;            /* bytes from row to row */
    cudaArray_const_t array; /* NULL for memory */
    size_t x;                /* bytes */
    size_t y;                /* rows */
};

struct plane {
    struct side to;
    struct side from;
    size_t width;  /* bytes */
    size_t height; /* rows */
    enum cudaMemcpyKind kind;
};

static cudaError_t describe(const struct plane *plane, CUDA_MEMCPY2D *copy)
{
    const struct side *to = &plane->to, *from = &plane->from;
    CUmemorytype from_type, to_type;
    if (!copy_types(plane->kind, &from_type, &to_type))
        return cudaErrorInvalidMemcpyDirection;
    /* An array is on the device. */
    if ((from->array != NULL && from_type == CU_MEMORYTYPE_HOST) ||
        (to->array != NULL && to_type == CU_MEMORYTYPE_HOST))
        return cudaErrorInvalidMemcpyDirection;
    if ((from->array == NULL && plane->height > 1 && from->pitch < plane->width) ||
        (to->array == NULL && plane->height > 1 && to->pitch < plane->width))
        return cudaErrorInvalidPitchValue;
    *copy = (CUDA_MEMCPY2D){
        .srcXInBytes = from->x,
        .srcY = from->y,
        .srcMemoryType = from->array != NULL ? CU_MEMORYTYPE_ARRAY : from_type,
        .srcHost = from->pointer,
        .srcDevice = runtime_pointer(from->pointer),
        .srcArray = array_handle(from->array),
        .srcPitch = from->pitch,
        .dstXInBytes = to->x,
        .dstY = to->y,
        .dstMemoryType = to->array != NULL ? CU_MEMORYTYPE_ARRAY : to_type,
        .dstHost = (void *)(uintptr_t)to->pointer,
        .dstDevice = runtime_pointer(to->pointer),
        .dstArray = array_handle(to->array),
        .dstPitch = to->pitch,
        .WidthInBytes = plane->width,
        .Height = plane->height,
    };
    return cudaSuccess;
}

static cudaError_t copy_plane(const struct plane *plane, struct copy_order order)
{
    CUDA_MEMCPY2D copy;
    cudaError_t error = describe(plane, &copy);
    if (error != cudaSuccess || plane->width == 0 || plane->height == 0)
        return error;
    return (cudaError_t)(order.wait ? cuMemcpy2DUnaligned_v2(&copy) : cuMemcpy2DAsync_v2(&copy, order.stream));
}

static cudaError_t enter_and_copy(const struct plane *plane, struct copy_order order)
{
    cudaError_t error = runtime_enter();
    return runtime_done(error == cudaSuccess ? copy_plane(plane, order) : error);
}

static const struct copy_order now = {.wait = true};

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    struct plane plane = {{.pointer = dst, .pitch = dpitch}, {.pointer = src, .pitch = spitch}, width, height, kind};
    return enter_and_copy(&plane, now);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    struct plane plane = {{.pointer = dst, .pitch = dpitch}, {.pointer = src, .pitch = spitch}, width, height, kind};
    return enter_and_copy(&plane, (struct copy_order){.stream = stream});
}

static cudaError_t array_copy(const struct plane *plane, struct copy_order order, bool arrays_given)
{
    return arrays_given ? enter_and_copy(plane, order) : runtime_done(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    struct plane plane = {
        {.array = dst, .x = wOffset, .y = hOffset}, {.pointer = src, .pitch = spitch}, width, height, kind};
    return array_copy(&plane, now, dst != NULL);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    struct plane plane = {
        {.array = dst, .x = wOffset, .y = hOffset}, {.pointer = src, .pitch = spitch}, width, height, kind};
    return array_copy(&plane, (struct copy_order){.stream = stream}, dst != NULL);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                  size_t width, size_t height, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    struct plane plane = {
        {.pointer = dst, .pitch = dpitch}, {.array = src, .x = wOffset, .y = hOffset}, width, height, kind};
    return array_copy(&plane, now, src != NULL);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                       size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    struct plane plane = {
        {.pointer = dst, .pitch = dpitch}, {.array = src, .x = wOffset, .y = hOffset}, width, height, kind};
    return array_copy(&plane, (struct copy_order){.stream = stream}, src != NULL);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                     size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                     enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    struct plane plane = {{.array = dst, .x = wOffsetDst, .y = hOffsetDst},
                          {.array = src, .x = wOffsetSrc, .y = hOffsetSrc},
                          width,
                          height,
                          kind};
    return array_copy(&plane, now, dst != NULL && src != NULL);
}

/* Bytes of an array row, 0 for memory: one row without end. */
static cudaError_t row_bytes(const struct side *side, size_t *bytes)
{
    *bytes = 0;
    if (side->array == NULL)
        return cudaSuccess;
    CUDA_ARRAY3D_DESCRIPTOR shape;
    size_t element;
    cudaError_t error = array_describe(side->array, &shape, &element);
    if (error == cudaSuccess && shape.Width * element == 0)
        error = cudaErrorInvalidValue;
    *bytes = error == cudaSuccess ? shape.Width * element : 0;
    return error;
}

static size_t left_in_row(const struct side *side, size_t row, size_t left)
{
    return row == 0 || row - side->x > left ? left : row - side->x;
}

static void advance(struct side *side, size_t row, size_t bytes)
{
    if (row == 0) {
        side->pointer = (const char *)side->pointer + bytes;
        return;
    }
    side->x += bytes;
    if (side->x == row) {
        side->x = 0;
        side->y++;
    }
}

/* The old way to fill an array: bytes run on from the end of a row to the begin of the next. */
static cudaError_t copy_run(struct side to, struct side from, size_t count, enum cudaMemcpyKind kind,
                            struct copy_order order, bool arrays_given)
{
    size_t to_row, from_row;
    cudaError_t error = arrays_given ? runtime_enter() : cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = row_bytes(&to, &to_row);
    if (error == cudaSuccess)
        error = row_bytes(&from, &from_row);
    if (error == cudaSuccess && ((to_row > 0 && to.x >= to_row) || (from_row > 0 && from.x >= from_row)))
        error = cudaErrorInvalidValue;
    while (error == cudaSuccess && count > 0) {
        size_t bytes = left_in_row(&from, from_row, left_in_row(&to, to_row, count));
        struct plane plane = {to, from, bytes, 1, kind};
        error = copy_plane(&plane, order);
        advance(&to, to_row, bytes);
        advance(&from, from_row, bytes);
        count -= bytes;
    }
    return runtime_done(error);
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                              enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return copy_run((struct side){.array = dst, .x = wOffset, .y = hOffset}, (struct side){.pointer = src}, count, kind,
                    now, dst != NULL);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    return copy_run((struct side){.array = dst, .x = wOffset, .y = hOffset}, (struct side){.pointer = src}, count, kind,
                    (struct copy_order){.stream = stream}, dst != NULL);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return copy_run((struct side){.pointer = dst}, (struct side){.array = src, .x = wOffset, .y = hOffset}, count, kind,
                    now, src != NULL);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    RUNTIME_CALL;
    return copy_run((struct side){.pointer = dst}, (struct side){.array = src, .x = wOffset, .y = hOffset}, count, kind,
                    (struct copy_order){.stream = stream}, src != NULL);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                   size_t wOffsetSrc, size_t hOffsetSrc, size_t count, enum cudaMemcpyKind kind)
{
    RUNTIME_CALL;
    return copy_run((struct side){.array = dst, .x = wOffsetDst, .y = hOffsetDst},
                    (struct side){.array = src, .x = wOffsetSrc, .y = hOffsetSrc}, count, kind, now,
                    dst != NULL && src != NULL);
}
