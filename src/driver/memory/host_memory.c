/* Host memory that the device sees too: allocated here, or the program's own. */
#include "driver/abi/api_memory.h"
#include "driver/capture/capture.h"
#include "driver/memory/allocations.h"
#include "driver/memory/host_check.h"
#include "driver/memory/memory_call.h"
#include "driver/queue/queue.h"
#include "exec/memory/window.h"

enum {
    HOST_PORTABLE = 1, /* CU_MEMHOSTALLOC_PORTABLE and so on, and CU_MEMHOSTREGISTER_ of the first two */
    HOST_MAPPED = 2,
    HOST_WRITE_COMBINED = 4,
    REGISTER_IO = 4,
    REGISTER_READ_ONLY = 8
};

static CUresult allocate(struct call *call, void **out, size_t bytes, unsigned flags)
{
    struct driver *driver = call->driver;
    if (!out || bytes == 0 || (flags & ~(unsigned)(HOST_PORTABLE | HOST_MAPPED | HOST_WRITE_COMBINED)) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = call_pause_uncaptured(call);
    if (result != CUDA_SUCCESS)
        return result;
    struct allocation new = {.bytes = bytes, .kind = ALLOCATION_PINNED, .flags = flags, .context = call->context};
    new.base = memory_alloc_visible(driver_memory(driver), bytes);
    if (new.base != 0 && allocation_add(driver, &new)) {
        *out = (void *)(uintptr_t) new.base;
        return CUDA_SUCCESS;
    }
    if (new.base != 0)
        memory_free(driver_memory(driver), new.base);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult host_alloc(const char *name, void **out, size_t bytes, unsigned flags)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = allocate(&call, out, bytes, flags);
    return call_end(&call, result);
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    return host_alloc(__func__, pp, bytesize, Flags);
}

CUresult cuMemAllocHost_v2(void **pp, size_t bytesize) { return host_alloc(__func__, pp, bytesize, 0); }
CUresult cuMemAllocHost(void **pp, unsigned int bytesize) { return host_alloc(__func__, pp, bytesize, 0); }

/* Waits for work that may use the memory, and gives it back. */
static CUresult release(struct call *call, uint64_t address, enum allocation_kind kind, CUresult unknown)
{
    struct allocation *found = allocation_from(call->driver, address, kind);
    if (!found)
        return unknown;
    CUresult result = capture_forbid(call);
    if (result != CUDA_SUCCESS)
        return result;
    uint64_t id = found->id;
    if (found->context)
        queue_wait_context(found->context);
    queue_pause(call->driver);
    found = allocation_from(call->driver, address, kind);
    if (!found || found->id != id) /* meanwhile another thread has done it */
        return unknown;
    allocation_release(call->driver, found);
    return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *p)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CLEANUP);
    if (result == CUDA_SUCCESS && p)
        result = release(&call, (uintptr_t)p, ALLOCATION_PINNED, CUDA_ERROR_INVALID_VALUE);
    return call_end(&call, result);
}

/* The host memory that holds the pointer (NULL: none). */
static const struct allocation *host_find(const struct driver *driver, const void *p)
{
    const struct allocation *found = allocation_find(driver, (uintptr_t)p);
    return found && allocation_is_host(found) ? found : NULL;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && (!pdptr || Flags != 0 || !host_find(call.driver, p)))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *pdptr = (uintptr_t)p;
    return call_end(&call, result);
}

CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    const struct allocation *found = result == CUDA_SUCCESS ? host_find(call.driver, p) : NULL;
    if (result == CUDA_SUCCESS && (!pFlags || !found))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *pFlags = found->flags;
    return call_end(&call, result);
}

static CUresult enter(struct call *call, uint64_t address, size_t bytes, unsigned flags)
{
    struct driver *driver = call->driver;
    if (address == 0 || bytes == 0 || address + (bytes - 1) < address || (flags & ~15u) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if ((flags & (REGISTER_IO | REGISTER_READ_ONLY)) != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    CUresult result = call_pause_uncaptured(call);
    if (result != CUDA_SUCCESS)
        return result;
    const struct allocation *there = allocation_find(driver, address);
    if (device_covers(driver, address) && !(there && there->kind == ALLOCATION_PINNED))
        return CUDA_ERROR_INVALID_VALUE;
    if (allocation_touches(driver, address, bytes))
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    if (!host_writable(address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation new = {
        .base = address, .bytes = bytes, .kind = ALLOCATION_REGISTERED, .flags = flags, .context = call->context};
    if (!allocation_add(driver, &new))
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (memory_window_add(driver_memory(driver), (void *)(uintptr_t)address, bytes))
        return CUDA_SUCCESS;
    allocation_remove(driver, address);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult host_register(const char *name, void *p, size_t bytes, unsigned flags)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = enter(&call, (uintptr_t)p, bytes, flags);
    return call_end(&call, result);
}

CUresult cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags)
{
    return host_register(__func__, p, bytesize, Flags);
}

CUresult cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
    return host_register(__func__, p, bytesize, Flags);
}

CUresult cuMemHostUnregister(void *p)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CLEANUP);
    if (result == CUDA_SUCCESS)
        result = !p ? CUDA_ERROR_INVALID_VALUE
                    : release(&call, (uintptr_t)p, ALLOCATION_REGISTERED, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    return call_end(&call, result);
}
