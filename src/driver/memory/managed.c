/* Managed memory: one address, and the same bytes, for host and device. */
#include "driver/memory/managed.h"

#include <stdlib.h>

#include "driver/abi/api_memory.h"
#include "driver/capture/submit.h"
#include "driver/memory/allocations.h"
#include "driver/memory/memory_call.h"
#include "driver/queue/queue.h"
#include "driver/queue/stream.h"

enum {
    ATTACH_GLOBAL = 1, /* CU_MEM_ATTACH_GLOBAL, _HOST */
    ATTACH_HOST = 2,
    DEVICE_CPU = -1 /* CU_DEVICE_CPU */
};

static CUresult allocate(struct call *call, CUdeviceptr *out, size_t bytes, unsigned flags)
{
    struct driver *driver = call->driver;
    if (!out || bytes == 0 || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = call_pause_uncaptured(call);
    if (result != CUDA_SUCCESS)
        return result;
    struct allocation new = {.bytes = bytes, .kind = ALLOCATION_MANAGED, .flags = flags, .context = call->context};
    new.base = memory_alloc_visible(driver_memory(driver), bytes);
    if (new.base != 0 && allocation_add(driver, &new)) {
        *out = new.base;
        return CUDA_SUCCESS;
    }
    if (new.base != 0)
        memory_free(driver_memory(driver), new.base);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    struct call call;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = allocate(&call, dptr, bytesize, flags);
    return call_end(&call, result);
}

bool managed_holds(const struct driver *driver, uint64_t address, size_t bytes)
{
    const struct allocation *found = allocation_find(driver, address);
    return bytes > 0 && found && found->kind == ALLOCATION_MANAGED && allocation_holds(driver, address, bytes);
}

/* Pages of managed memory that hold a range. */
struct pages {
    struct allocation *of;
    size_t first, count;
};

static CUresult find_pages(struct driver *driver, uint64_t address, size_t bytes, struct pages *pages)
{
    if (!managed_holds(driver, address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *found = allocation_at(driver, address);
    if (!found->advice)
        found->advice = calloc(found->bytes / MANAGED_PAGE + 1, 1);
    if (!found->advice)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pages->of = found;
    pages->first = (address - found->base) / MANAGED_PAGE;
    pages->count = (address - found->base + bytes - 1) / MANAGED_PAGE - pages->first + 1;
    return CUDA_SUCCESS;
}

static void change(const struct pages *pages, unsigned clear, unsigned set)
{
    uint8_t *advice = pages->of->advice + pages->first;
    for (size_t i = 0; i < pages->count; i++)
        advice[i] = (uint8_t)((advice[i] & ~clear) | set);
}

static CUresult of_device(CUdevice device, enum managed_location *where)
{
    *where = device == DEVICE_CPU ? MANAGED_HOST : MANAGED_DEVICE;
    return device == DEVICE_CPU || device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult of_location(CUmemLocation location, enum managed_location *where)
{
    switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE: return of_device(location.id == DEVICE_CPU ? -2 : location.id, where);
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT: return of_device(DEVICE_CPU, where);
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

static bool needs_location(CUmem_advise advice)
{
    return advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION || advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
           advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
}

static CUresult advise(struct call *call, uint64_t address, size_t bytes, CUmem_advise advice,
                       enum managed_location where)
{
    struct pages pages;
    CUresult result = find_pages(call->driver, address, bytes, &pages);
    if (result != CUDA_SUCCESS)
        return result;
    unsigned accessed = (unsigned)where << ADVICE_ACCESSED;
    switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY: change(&pages, 0, ADVICE_READ_MOSTLY); break;
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY: change(&pages, ADVICE_READ_MOSTLY, 0); break;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
        change(&pages, 3u << ADVICE_PREFERRED, (unsigned)where << ADVICE_PREFERRED);
        break;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION: change(&pages, 3u << ADVICE_PREFERRED, 0); break;
    case CU_MEM_ADVISE_SET_ACCESSED_BY: change(&pages, 0, accessed); break;
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY: change(&pages, accessed, 0); break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device)
{
    struct call call;
    enum managed_location where = MANAGED_NOWHERE;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && needs_location(advice))
        result = of_device(device, &where);
    if (result == CUDA_SUCCESS)
        result = advise(&call, devPtr, count, advice, where);
    return call_end(&call, result);
}

CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location)
{
    struct call call;
    enum managed_location where = MANAGED_NOWHERE;
    CUresult result = call_begin(&call, __func__, CALL_CONTEXT);
    if (result == CUDA_SUCCESS && needs_location(advice))
        result = of_location(location, &where);
    if (result == CUDA_SUCCESS)
        result = advise(&call, devPtr, count, advice, where);
    return call_end(&call, result);
}

static CUresult prefetch(struct call *call, uint64_t address, size_t bytes, enum managed_location where,
                         CUstream handle, bool per_thread)
{
    struct CUstream_st *stream = stream_find(call, handle, per_thread);
    if (!stream)
        return CUDA_ERROR_INVALID_HANDLE;
    struct pages pages;
    CUresult result = find_pages(call->driver, address, bytes, &pages);
    if (result != CUDA_SUCCESS)
        return result;
    change(&pages, 3u << ADVICE_PREFETCHED, (unsigned)where << ADVICE_PREFETCHED);
    struct command command = {.kind = COMMAND_EMPTY};
    return stream_submit(stream, &command);
}

CUresult managed_prefetch(struct call *call, uint64_t address, size_t bytes, CUmemLocation location, CUstream stream,
                          bool per_thread)
{
    enum managed_location where = MANAGED_NOWHERE;
    CUresult result = of_location(location, &where);
    return result == CUDA_SUCCESS ? prefetch(call, address, bytes, where, stream, per_thread) : result;
}

static CUresult prefetch_to_device(const char *name, CUdeviceptr address, size_t bytes, CUdevice device,
                                   CUstream stream, bool per_thread)
{
    struct call call;
    enum managed_location where = MANAGED_NOWHERE;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = of_device(device, &where);
    if (result == CUDA_SUCCESS)
        result = prefetch(&call, address, bytes, where, stream, per_thread);
    return call_end(&call, result);
}

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream)
{
    return prefetch_to_device(__func__, devPtr, count, dstDevice, hStream, false);
}

CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream)
{
    return prefetch_to_device(__func__, devPtr, count, dstDevice, hStream, true);
}

static CUresult prefetch_to(const char *name, CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
                            CUstream stream, bool per_thread)
{
    struct call call;
    CUresult result = call_begin(&call, name, CALL_CONTEXT);
    if (result == CUDA_SUCCESS)
        result = flags != 0 ? CUDA_ERROR_INVALID_VALUE
                            : managed_prefetch(&call, address, bytes, location, stream, per_thread);
    return call_end(&call, result);
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                               CUstream hStream)
{
    return prefetch_to(__func__, devPtr, count, location, flags, hStream, false);
}

CUresult cuMemPrefetchAsync_v2_ptsz(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                                    CUstream hStream)
{
    return prefetch_to(__func__, devPtr, count, location, flags, hStream, true);
}
