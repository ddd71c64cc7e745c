/* Addresses: reserved, mapped to memory, and opened for access. */
#include <stdlib.h>

#include "driver/abi/api_memory.h"
#include "driver/memory/allocations.h"
#include "driver/memory/virtual.h"
#include "driver/queue/queue.h"
#include "driver/state/call.h"
#include "driver/state/context.h"

/* Waits for commands that may use mappings, and for the one that runs. */
static void settle(struct call *call)
{
    if (context_lives(call->driver, call->context))
        queue_wait_context(call->context);
    queue_pause(call->driver);
}

static bool power_of_two(uint64_t n) { return (n & (n - 1)) == 0; }

static CUresult reserve(struct driver *driver, CUdeviceptr *out, size_t bytes, size_t alignment, CUdeviceptr hint,
                        unsigned long long flags)
{
    if (!out || bytes == 0 || bytes % MEMORY_PAGE != 0 || hint % MEMORY_PAGE != 0 || !power_of_two(alignment) ||
        flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    queue_pause(driver);
    struct memory *memory = driver_memory(driver);
    struct allocation new = {.bytes = bytes, .kind = ALLOCATION_RESERVED};
    new.base = memory_reserve(memory, bytes, alignment > GRANULARITY ? alignment : GRANULARITY);
    if (new.base != 0 && allocation_add(driver, &new)) {
        *out = new.base;
        return CUDA_SUCCESS;
    }
    if (new.base != 0)
        memory_free(memory, new.base);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                             unsigned long long flags)
{
    struct call call;
    CUresult result = virtual_begin(&call, __func__);
    if (result == CUDA_SUCCESS)
        result = reserve(call.driver, ptr, size, alignment, addr, flags);
    return call_end(&call, result);
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
    struct call call;
    CUresult result = virtual_begin(&call, __func__);
    if (result == CUDA_SUCCESS) {
        queue_pause(call.driver);
        struct allocation *found = allocation_from(call.driver, ptr, ALLOCATION_RESERVED);
        if (found && found->bytes == size && !found->mappings)
            allocation_release(call.driver, found);
        else
            result = CUDA_ERROR_INVALID_VALUE;
    }
    return call_end(&call, result);
}

/* Where a mapping of the range goes in the list (NULL: part of the range is mapped). */
static struct mapping **gap(struct allocation *reservation, uint64_t address, uint64_t bytes)
{
    struct mapping **link = &reservation->mappings;
    while (*link && (*link)->base + (*link)->bytes <= address)
        link = &(*link)->next;
    return *link && (*link)->base - address < bytes ? NULL : *link && (*link)->base <= address ? NULL : link;
}

static bool inside(const struct allocation *reservation, uint64_t address, uint64_t bytes)
{
    return bytes <= reservation->bytes - (address - reservation->base);
}

static CUresult map(struct driver *driver, CUdeviceptr address, size_t bytes, size_t offset,
                    CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    queue_pause(driver);
    struct virtual_memory *memory = virtual_memory_find(driver, handle);
    struct allocation *reservation = allocation_at(driver, address);
    if (!memory || !reservation || reservation->kind != ALLOCATION_RESERVED || flags != 0 || bytes == 0 ||
        address % GRANULARITY != 0 || bytes % GRANULARITY != 0 || offset % GRANULARITY != 0 || offset > memory->bytes ||
        bytes > memory->bytes - offset || !inside(reservation, address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    struct mapping **link = gap(reservation, address, bytes);
    if (!link)
        return CUDA_ERROR_INVALID_VALUE;
    struct mapping *new = malloc(sizeof *new);
    if (!new || !memory_map(driver_memory(driver), address, bytes, memory->backing, offset)) {
        free(new);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *new = (struct mapping){*link, address, bytes, offset, memory, CU_MEM_ACCESS_FLAGS_PROT_NONE};
    *link = new;
    memory->mappings++;
    return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
    struct call call;
    CUresult result = virtual_begin(&call, __func__);
    if (result == CUDA_SUCCESS)
        result = map(call.driver, ptr, size, offset, handle, flags);
    return call_end(&call, result);
}

/* The first of the mappings that make up the range exactly (NULL: they do not). */
static struct mapping **whole(struct driver *driver, CUdeviceptr address, size_t bytes)
{
    struct allocation *reservation = allocation_at(driver, address);
    if (bytes == 0 || !reservation || reservation->kind != ALLOCATION_RESERVED || !inside(reservation, address, bytes))
        return NULL;
    struct mapping **first = &reservation->mappings;
    while (*first && (*first)->base < address)
        first = &(*first)->next;
    uint64_t at = address, end = address + bytes;
    for (const struct mapping *m = *first; m && m->base == at && at < end; m = m->next)
        at += m->bytes;
    return at == end ? first : NULL;
}

static CUresult unmap(struct driver *driver, CUdeviceptr address, size_t bytes)
{
    struct mapping **first = whole(driver, address, bytes);
    if (!first)
        return CUDA_ERROR_INVALID_VALUE;
    while (*first && (*first)->base - address < bytes)
        mapping_remove(driver, first);
    return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size)
{
    struct call call;
    CUresult result = virtual_begin(&call, __func__);
    if (result == CUDA_SUCCESS) {
        settle(&call);
        result = unmap(call.driver, ptr, size);
    }
    return call_end(&call, result);
}

static CUresult location_known(const CUmemLocation *location)
{
    if (location->type == CU_MEM_LOCATION_TYPE_HOST || location->type == CU_MEM_LOCATION_TYPE_HOST_NUMA)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    return location->id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult set_access(struct driver *driver, CUdeviceptr address, size_t bytes, const CUmemAccessDesc *desc,
                           size_t count)
{
    struct mapping **first = whole(driver, address, bytes);
    if (!first || !desc || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        CUresult result = location_known(&desc[i].location);
        if (result != CUDA_SUCCESS)
            return result;
        if (desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
            desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_INVALID_VALUE;
    }
    CUmemAccess_flags access = desc[count - 1].flags;
    if (!memory_allow(driver_memory(driver), address, bytes, access != CU_MEM_ACCESS_FLAGS_PROT_NONE))
        return CUDA_ERROR_INVALID_VALUE;
    for (struct mapping *m = *first; m && m->base - address < bytes; m = m->next)
        m->access = access;
    return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
    struct call call;
    CUresult result = virtual_begin(&call, __func__);
    if (result == CUDA_SUCCESS) {
        settle(&call);
        result = set_access(call.driver, ptr, size, desc, count);
    }
    return call_end(&call, result);
}

static CUresult get_access(const struct driver *driver, unsigned long long *flags, const CUmemLocation *location,
                           CUdeviceptr address)
{
    const struct allocation *found = allocation_find(driver, address);
    if (!flags || !location || !found)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = location_known(location);
    struct range range = allocation_part(found, address);
    if (result == CUDA_SUCCESS && !range.open)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        *flags = range.access;
    return result;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr)
{
    struct call call;
    CUresult result = virtual_begin(&call, __func__);
    if (result == CUDA_SUCCESS)
        result = get_access(call.driver, flags, location, ptr);
    return call_end(&call, result);
}
