/* Memory that is allocated and freed in the order of streams. */
#include "driver/abi/api_memory.h"
#include "driver/capture/capture.h"
#include "driver/capture/submit.h"
#include "driver/memory/allocations.h"
#include "driver/memory/graph_memory.h"
#include "driver/memory/memory_call.h"
#include "driver/memory/pool.h"
#include "driver/queue/queue.h"
#include "driver/queue/stream.h"
#include "exec/memory/undefined.h"

static CUresult take(struct call *call, struct CUmemPoolHandle_st *pool, uint64_t bytes, CUdeviceptr *out)
{
    struct driver *driver = call->driver;
    CUresult result = call_pause(call);
    if (result != CUDA_SUCCESS)
        return result;
    if (!pool_is(driver, pool)) /* meanwhile another thread has destroyed it */
        return CUDA_ERROR_INVALID_VALUE;
    if (!pool_take(driver, pool, bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct allocation new = {.bytes = bytes, .kind = ALLOCATION_DEVICE, .context = call->context, .pool = pool};
    new.base = memory_alloc_aligned(driver_memory(driver), bytes, device_alignment(bytes));
    if (new.base != 0 && allocation_add(driver, &new)) {
        memory_undefine(driver_memory(driver), new.base, bytes);
        *out = new.base;
        return CUDA_SUCCESS;
    }
    if (new.base != 0)
        memory_free(driver_memory(driver), new.base);
    pool_give(driver, pool, bytes);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

/* Frees that are in flight are waited for when memory is short. */
static CUresult take_patiently(struct call *call, struct CUmemPoolHandle_st *pool, uint64_t bytes, CUdeviceptr *out)
{
    CUresult result = take(call, pool, bytes, out);
    if (result != CUDA_ERROR_OUT_OF_MEMORY || bytes > device_memory_bytes(&call->driver->device))
        return result;
    if (pools_leaving(call->driver))
        queue_wait_context(call->context);
    pools_trim(call->driver);
    return take(call, pool, bytes, out);
}

static CUresult allocate(struct call *call, CUdeviceptr *out, uint64_t bytes, struct CUmemPoolHandle_st *pool,
                         CUstream handle, bool per_thread)
{
    struct CUstream_st *stream = stream_find(call, handle, per_thread);
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!out || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUdeviceptr address = 0;
    CUresult result = take_patiently(call, pool, bytes, &address);
    if (result != CUDA_SUCCESS)
        return result;
    stream = stream_find(call, handle, per_thread);
    if (stream && stream->capture) {
        allocation_at(call->driver, address)->graph = true;
        result = capture_alloc(stream, address, bytes, &pool->properties);
    }
    if (result == CUDA_SUCCESS)
        *out = address;
    return result;
}

CUresult graph_memory_take(struct call *call, size_t bytes, CUdeviceptr *address)
{
    struct CUmemPoolHandle_st *pool = pool_current(call->driver);
    CUresult result = pool ? take_patiently(call, pool, bytes, address) : CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS)
        allocation_at(call->driver, *address)->graph = true;
    return result;
}

bool graph_memory_is(const struct driver *driver, CUdeviceptr address)
{
    const struct allocation *found = allocation_find(driver, address);
    return found && found->graph && found->base == address;
}

static CUresult from_current(const char *name, CUdeviceptr *out, size_t bytes, CUstream stream, bool per_thread)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    struct CUmemPoolHandle_st *pool = result == CUDA_SUCCESS ? pool_current(call.driver) : NULL;
    if (result == CUDA_SUCCESS)
        result = pool ? allocate(&call, out, bytes, pool, stream, per_thread) : CUDA_ERROR_OUT_OF_MEMORY;
    return call_end(&call, result);
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    return from_current(__func__, dptr, bytesize, hStream, false);
}

CUresult cuMemAllocAsync_ptsz(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    return from_current(__func__, dptr, bytesize, hStream, true);
}

static CUresult from_pool(const char *name, CUdeviceptr *out, size_t bytes, CUmemoryPool pool, CUstream stream,
                          bool per_thread)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = pool_is(call.driver, pool) ? allocate(&call, out, bytes, pool, stream, per_thread)
                                            : CUDA_ERROR_INVALID_VALUE;
    return call_end(&call, result);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream)
{
    return from_pool(__func__, dptr, bytesize, pool, hStream, false);
}

CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream)
{
    return from_pool(__func__, dptr, bytesize, pool, hStream, true);
}

static CUresult free_later(struct call *call, CUdeviceptr address, CUstream handle, bool per_thread)
{
    struct CUstream_st *stream = stream_find(call, handle, per_thread);
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    struct allocation *found = allocation_from(call->driver, address, ALLOCATION_DEVICE);
    if (!found || found->leaving || (stream->capture && !found->graph))
        return CUDA_ERROR_INVALID_VALUE;
    if (found->graph && !stream->capture)
        return CUDA_SUCCESS; /* driver/memory/graph_memory.h */
    struct command command = {.kind = COMMAND_FREE, .free_address = address};
    if (stream->capture)
        return stream_submit(stream, &command);
    found->leaving = true;
    if (found->pool)
        found->pool->leaving++;
    CUresult result = stream_submit(stream, &command);
    found = result != CUDA_SUCCESS ? allocation_from(call->driver, address, ALLOCATION_DEVICE) : NULL;
    if (found && found->leaving) {
        found->leaving = false;
        if (found->pool)
            found->pool->leaving--;
    }
    return result;
}

static CUresult free_async(const char *name, CUdeviceptr address, CUstream stream, bool per_thread)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = free_later(&call, address, stream, per_thread);
    return call_end(&call, result);
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) { return free_async(__func__, dptr, hStream, false); }
CUresult cuMemFreeAsync_ptsz(CUdeviceptr dptr, CUstream hStream) { return free_async(__func__, dptr, hStream, true); }

CUresult pool_free_execute(struct execution *execution)
{
    struct driver *driver = execution->driver;
    struct allocation *found = allocation_from(driver, execution->command->free_address, ALLOCATION_DEVICE);
    if (found && found->leaving)
        allocation_release(driver, found);
    return CUDA_SUCCESS;
}
