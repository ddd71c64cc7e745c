/* Sets of linear memory. */
#include "driver/abi/api_memory.h"
#include "driver/capture/submit.h"
#include "driver/memory/allocation.h"
#include "driver/memory/copy.h"
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

/* A row of elements with that many bytes. */
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

/* The functions for elements of one size: waiting or not, and on the legacy or the thread's own default stream. */
#define LINE_FUNCTIONS(bits, type)                                                                                     \
    CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count)                                            \
    {                                                                                                                  \
        return line(__func__, to, value, bits / 8, count, NULL, false, COPY_SYNCHRONOUS);                              \
    }                                                                                                                  \
    CUresult cuMemsetD##bits##_v2_ptds(CUdeviceptr to, type value, size_t count)                                       \
    {                                                                                                                  \
        return line(__func__, to, value, bits / 8, count, NULL, true, COPY_SYNCHRONOUS);                               \
    }                                                                                                                  \
    CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, CUstream stream)                         \
    {                                                                                                                  \
        return line(__func__, to, value, bits / 8, count, stream, false, COPY_ASYNCHRONOUS);                           \
    }                                                                                                                  \
    CUresult cuMemsetD##bits##Async_ptsz(CUdeviceptr to, type value, size_t count, CUstream stream)                    \
    {                                                                                                                  \
        return line(__func__, to, value, bits / 8, count, stream, true, COPY_ASYNCHRONOUS);                            \
    }

#define ROWS_FUNCTIONS(bits, type)                                                                                     \
    CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height)             \
    {                                                                                                                  \
        return rows(__func__, to, pitch, value, bits / 8, width, height, NULL, false, COPY_SYNCHRONOUS);               \
    }                                                                                                                  \
    CUresult cuMemsetD2D##bits##_v2_ptds(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height)        \
    {                                                                                                                  \
        return rows(__func__, to, pitch, value, bits / 8, width, height, NULL, true, COPY_SYNCHRONOUS);                \
    }                                                                                                                  \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height,           \
                                      CUstream stream)                                                                 \
    {                                                                                                                  \
        return rows(__func__, to, pitch, value, bits / 8, width, height, stream, false, COPY_ASYNCHRONOUS);            \
    }                                                                                                                  \
    CUresult cuMemsetD2D##bits##Async_ptsz(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height,      \
                                           CUstream stream)                                                            \
    {                                                                                                                  \
        return rows(__func__, to, pitch, value, bits / 8, width, height, stream, true, COPY_ASYNCHRONOUS);             \
    }

LINE_FUNCTIONS(8, unsigned char)
LINE_FUNCTIONS(16, unsigned short)
LINE_FUNCTIONS(32, unsigned int)
ROWS_FUNCTIONS(8, unsigned char)
ROWS_FUNCTIONS(16, unsigned short)
ROWS_FUNCTIONS(32, unsigned int)
