/* Linear memory of the device. */
#include "base/bits.h"
#include "driver/abi/api_memory.h"
#include "driver/capture/capture.h"
#include "driver/memory/allocations.h"
#include "driver/memory/memory_call.h"
#include "driver/memory/pool.h"
#include "driver/memory/virtual.h"
#include "driver/queue/queue.h"
#include "exec/memory/undefined.h"

enum { PITCH_ALIGNMENT = 512 /* CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT */ };

static CUresult take(struct call *call, uint64_t bytes, CUdeviceptr *out)
{
    struct driver *driver = call->driver;
    CUresult result = call_pause_uncaptured(call);
    if (result != CUDA_SUCCESS)
        return result;
    struct memory *memory = driver_memory(driver);
    if (bytes > device_free_bytes(driver))
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct allocation new = {.bytes = bytes, .kind = ALLOCATION_DEVICE, .context = call->context};
    new.base = memory_alloc_aligned(memory, bytes, device_alignment(bytes));
    if (new.base != 0 && allocation_add(driver, &new)) {
        memory_undefine(memory, new.base, bytes);
        *out = new.base;
        return CUDA_SUCCESS;
    }
    if (new.base != 0)
        memory_free(memory, new.base);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

/* When memory is short, others get the reserve of pools and the memory that streams have yet to free. */
static CUresult allocate(struct call *call, uint64_t bytes, CUdeviceptr *out)
{
    CUresult result = take(call, bytes, out);
    if (result != CUDA_ERROR_OUT_OF_MEMORY || bytes > device_memory_bytes(&call->driver->device))
        return result;
    pools_trim(call->driver);
    if (bytes > device_free_bytes(call->driver) && pools_leaving(call->driver))
        queue_wait_context(call->context);
    pools_trim(call->driver);
    return take(call, bytes, out);
}

CUresult cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = !dptr || bytesize == 0 ? CUDA_ERROR_INVALID_VALUE : allocate(&call, bytesize, dptr);
    return call_end(&call, result);
}

static CUresult allocate_pitch(struct call *call, CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                               unsigned element)
{
    if (!out || !pitch || width == 0 || height == 0 || (element != 4 && element != 8 && element != 16))
        return CUDA_ERROR_INVALID_VALUE;
    size_t row, bytes;
    if (__builtin_add_overflow(width, (size_t)PITCH_ALIGNMENT - 1, &row))
        return CUDA_ERROR_OUT_OF_MEMORY;
    row = row / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
    if (__builtin_mul_overflow(row, height, &bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = allocate(call, bytes, out);
    if (result == CUDA_SUCCESS)
        *pitch = row;
    return result;
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                            unsigned int ElementSizeBytes)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = allocate_pitch(&call, dptr, pPitch, WidthInBytes, Height, ElementSizeBytes);
    return call_end(&call, result);
}

/* Of the device or managed, and from its beginning (NULL: no such memory). */
static struct allocation *freeable(struct driver *driver, CUdeviceptr address)
{
    struct allocation *found = allocation_from(driver, address, ALLOCATION_DEVICE);
    if (!found)
        found = allocation_from(driver, address, ALLOCATION_MANAGED);
    return found && !found->leaving && !found->variable ? found : NULL;
}

/* Memory of pools is freed without a wait for its users: the documentation leaves that to the program. This waits
 * for running work in any case. */
static CUresult free_device(struct call *call, CUdeviceptr address)
{
    if (address == 0)
        return CUDA_SUCCESS;
    struct allocation *found = freeable(call->driver, address);
    if (!found)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = capture_forbid(call);
    if (result != CUDA_SUCCESS || found->graph) /* driver/memory/graph_memory.h */
        return result;
    uint64_t id = found->id;
    if (!found->pool && found->context)
        queue_wait_context(found->context);
    queue_pause(call->driver);
    found = freeable(call->driver, address);
    if (!found || found->id != id) /* meanwhile another thread has freed it */
        return CUDA_ERROR_INVALID_VALUE;
    allocation_release(call->driver, found);
    return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr dptr)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CLEANUP);
    if (result == CUDA_SUCCESS)
        result = free_device(&call, dptr);
    return call_end(&call, result);
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && (!free || !total))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) {
        *free = device_free_bytes(call.driver);
        *total = device_memory_bytes(&call.driver->device);
    }
    return call_end(&call, result);
}

static CUresult address_range(const struct driver *driver, CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    const struct allocation *found = allocation_find(driver, address);
    if (!found)
        return CUDA_ERROR_NOT_FOUND;
    struct range range = allocation_part(found, address);
    if (!range.open)
        return CUDA_ERROR_NOT_FOUND;
    if (base)
        *base = range.base;
    if (bytes)
        *bytes = range.bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = address_range(call.driver, pbase, psize, dptr);
    return call_end(&call, result);
}
