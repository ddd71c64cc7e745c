#include "driver/abi/api_memory.h"
#include "runtime/abi/api_copy.h"
#include "runtime/runtime.h"

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
    RUNTIME_CALL;
    if (count == 0)
        return runtime_done(runtime_enter());
    RUNTIME_RETURN(cuMemsetD8_v2(runtime_pointer(devPtr), (unsigned char)value, count));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    RUNTIME_CALL;
    if (count == 0)
        return runtime_done(runtime_enter());
    RUNTIME_RETURN(cuMemsetD8Async(runtime_pointer(devPtr), (unsigned char)value, count, stream));
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height)
{
    RUNTIME_CALL;
    if (width == 0 || height == 0)
        return runtime_done(runtime_enter());
    RUNTIME_RETURN(cuMemsetD2D8_v2(runtime_pointer(devPtr), pitch, (unsigned char)value, width, height));
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    RUNTIME_CALL;
    if (width == 0 || height == 0)
        return runtime_done(runtime_enter());
    RUNTIME_RETURN(cuMemsetD2D8Async(runtime_pointer(devPtr), pitch, (unsigned char)value, width, height, stream));
}

/* Layers one after the other. Layers that follow each other without rows between are one plane. */
static cudaError_t set_box(struct cudaPitchedPtr box, int value, struct cudaExtent extent, bool wait,
                           cudaStream_t stream)
{
    size_t layer;
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
        return runtime_done(runtime_enter());
    if (extent.height > box.ysize || __builtin_mul_overflow(box.pitch, box.ysize, &layer))
        return runtime_done(cudaErrorInvalidValue);
    bool dense = extent.height == box.ysize;
    size_t rows = dense ? extent.height * extent.depth : extent.height, layers = dense ? 1 : extent.depth;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < layers && error == cudaSuccess; i++) {
        char *at = (char *)box.ptr + i * layer;
        error = wait ? cudaMemset2D(at, box.pitch, value, extent.width, rows)
                     : cudaMemset2DAsync(at, box.pitch, value, extent.width, rows, stream);
    }
    return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent)
{
    RUNTIME_CALL;
    return set_box(pitchedDevPtr, value, extent, true, NULL);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    RUNTIME_CALL;
    return set_box(pitchedDevPtr, value, extent, false, stream);
}
