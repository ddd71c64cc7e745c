/* Sets of linear memory. */
#include "driver/abi/api_memory.h"
#include "driver/capture/submit.h"
#include "driver/memory/allocation.h"
#include "driver/memory/copy.h"
#include "driver/queue/queue.h"
#include "driver/queue/stream.h"

/* Only a synchronous set of pinned host memory is waited for (the API's rules of synchronisation), and memory that asks
 * for it. */
static bool waits(const struct driver *driver, uint64_t address, enum copy_manner manner)
{
    const struct allocation *found = allocation_find(driver, address);
    bool host = found && (found->kind == ALLOCATION_PINNED || found->kind == ALLOCATION_REGISTERED);
    return found && (found->synchronous || (host && manner == COPY_SYNCHRONOUS));
}

static CUresult submit(struct call *call, const CUDA_MEMSET_NODE_PARAMS *set, CUstream handle, bool per_thread,
                       enum copy_manner manner)
{
    struct CUstream_st *stream = stream_find(call, handle, per_thread);
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    struct command command;
    CUresult result = set_make(call->driver, set, &command);
    if (result != CUDA_SUCCESS || command.kind == COMMAND_EMPTY)
        return result;
    if (waits(call->driver, set->dst, manner) && !stream->capture)
        return stream_submit_and_wait(stream, &command);
    return stream_submit(stream, &command);
}

static CUresult set_call(const char *name, const CUDA_MEMSET_NODE_PARAMS *set, CUstream stream, bool per_thread,
                         enum copy_manner manner)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = submit(&call, set, stream, per_thread, manner);
    return call_end(&call, result);
}

/* A row of elements of that many bytes. */
static CUresult line(const char *name, CUdeviceptr to, unsigned value, unsigned bytes, size_t count, CUstream stream,
                     bool per_thread, enum copy_manner manner)
{
    CUDA_MEMSET_NODE_PARAMS set = {.dst = to, .value = value, .elementSize = bytes, .width = count, .height = 1};
    return set_call(name, &set, stream, per_thread, manner);
}

static CUresult rows(const char *name, CUdeviceptr to, size_t pitch, unsigned value, unsigned bytes, size_t width,
                     size_t height, CUstream stream, bool per_thread, enum copy_manner manner)
{
    CUDA_MEMSET_NODE_PARAMS set = {to, pitch, value, bytes, width, height};
    return set_call(name, &set, stream, per_thread, manner);
}

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N)
{
    return line(__func__, dstDevice, uc, 1, N, NULL, false, COPY_SYNCHRONOUS);
}

CUresult cuMemsetD8_v2_ptds(CUdeviceptr dstDevice, unsigned char uc, size_t N)
{
    return line(__func__, dstDevice, uc, 1, N, NULL, true, COPY_SYNCHRONOUS);
}

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
    return line(__func__, dstDevice, uc, 1, N, hStream, false, COPY_ASYNCHRONOUS);
}

CUresult cuMemsetD8Async_ptsz(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream)
{
    return line(__func__, dstDevice, uc, 1, N, hStream, true, COPY_ASYNCHRONOUS);
}

CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height)
{
    return rows(__func__, dstDevice, dstPitch, uc, 1, Width, Height, NULL, false, COPY_SYNCHRONOUS);
}

CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height)
{
    return rows(__func__, dstDevice, dstPitch, uc, 1, Width, Height, NULL, true, COPY_SYNCHRONOUS);
}

CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height,
                           CUstream hStream)
{
    return rows(__func__, dstDevice, dstPitch, uc, 1, Width, Height, hStream, false, COPY_ASYNCHRONOUS);
}

CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height,
                                CUstream hStream)
{
    return rows(__func__, dstDevice, dstPitch, uc, 1, Width, Height, hStream, true, COPY_ASYNCHRONOUS);
}

CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N)
{
    return line(__func__, dstDevice, us, 2, N, NULL, false, COPY_SYNCHRONOUS);
}

CUresult cuMemsetD16_v2_ptds(CUdeviceptr dstDevice, unsigned short us, size_t N)
{
    return line(__func__, dstDevice, us, 2, N, NULL, true, COPY_SYNCHRONOUS);
}

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
{
    return line(__func__, dstDevice, us, 2, N, hStream, false, COPY_ASYNCHRONOUS);
}

CUresult cuMemsetD16Async_ptsz(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream)
{
    return line(__func__, dstDevice, us, 2, N, hStream, true, COPY_ASYNCHRONOUS);
}

CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height)
{
    return rows(__func__, dstDevice, dstPitch, us, 2, Width, Height, NULL, false, COPY_SYNCHRONOUS);
}

CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height)
{
    return rows(__func__, dstDevice, dstPitch, us, 2, Width, Height, NULL, true, COPY_SYNCHRONOUS);
}

CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height,
                            CUstream hStream)
{
    return rows(__func__, dstDevice, dstPitch, us, 2, Width, Height, hStream, false, COPY_ASYNCHRONOUS);
}

CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height,
                                 CUstream hStream)
{
    return rows(__func__, dstDevice, dstPitch, us, 2, Width, Height, hStream, true, COPY_ASYNCHRONOUS);
}

CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N)
{
    return line(__func__, dstDevice, ui, 4, N, NULL, false, COPY_SYNCHRONOUS);
}

CUresult cuMemsetD32_v2_ptds(CUdeviceptr dstDevice, unsigned int ui, size_t N)
{
    return line(__func__, dstDevice, ui, 4, N, NULL, true, COPY_SYNCHRONOUS);
}

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
{
    return line(__func__, dstDevice, ui, 4, N, hStream, false, COPY_ASYNCHRONOUS);
}

CUresult cuMemsetD32Async_ptsz(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream)
{
    return line(__func__, dstDevice, ui, 4, N, hStream, true, COPY_ASYNCHRONOUS);
}

CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height)
{
    return rows(__func__, dstDevice, dstPitch, ui, 4, Width, Height, NULL, false, COPY_SYNCHRONOUS);
}

CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height)
{
    return rows(__func__, dstDevice, dstPitch, ui, 4, Width, Height, NULL, true, COPY_SYNCHRONOUS);
}

CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height,
                            CUstream hStream)
{
    return rows(__func__, dstDevice, dstPitch, ui, 4, Width, Height, hStream, false, COPY_ASYNCHRONOUS);
}

CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height,
                                 CUstream hStream)
{
    return rows(__func__, dstDevice, dstPitch, ui, 4, Width, Height, hStream, true, COPY_ASYNCHRONOUS);
}
