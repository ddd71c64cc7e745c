#include <stdlib.h>

#include "driver/memory/allocations.h"
#include "driver/memory/virtual.h"

static const struct mapping *mapping_at(const struct allocation *reservation, uint64_t address)
{
    const struct mapping *m = reservation->mappings;
    while (m && address - m->base >= m->bytes)
        m = m->next;
    return m;
}

bool mappings_open(const struct allocation *reservation, uint64_t address, uint64_t bytes)
{
    for (uint64_t at = address, end = address + bytes; at < end;) {
        const struct mapping *m = mapping_at(reservation, at);
        if (!m || m->access == CU_MEM_ACCESS_FLAGS_PROT_NONE)
            return false;
        at = m->base + m->bytes;
    }
    return true;
}

struct range allocation_part(const struct allocation *a, uint64_t address)
{
    if (a->kind != ALLOCATION_RESERVED)
        return (struct range){a->base, a->bytes, true, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    const struct mapping *m = mapping_at(a, address);
    if (!m)
        return (struct range){a->base, a->bytes, false, CU_MEM_ACCESS_FLAGS_PROT_NONE};
    return (struct range){m->base, m->bytes, true, m->access};
}

struct virtual_memory *virtual_memory_find(const struct driver *driver, CUmemGenericAllocationHandle handle)
{
    struct virtual_memory *memory = (struct virtual_memory *)(uintptr_t)handle;
    return handle_is(driver->handles, HANDLE_MEMORY, memory) && memory->handles > 0 ? memory : NULL;
}

void virtual_memory_drop(struct driver *driver, struct virtual_memory *memory)
{
    if (memory->handles > 0 || memory->mappings > 0)
        return;
    memory_backing_close(driver_memory(driver), memory->backing, memory->bytes);
    handle_free(driver->handles, memory);
}

void mapping_remove(struct driver *driver, struct mapping **link)
{
    struct mapping *gone = *link;
    *link = gone->next;
    memory_unmap(driver_memory(driver), gone->base, gone->bytes);
    gone->memory->mappings--;
    virtual_memory_drop(driver, gone->memory);
    free(gone);
}

void mappings_clear(struct driver *driver, struct allocation *reservation)
{
    while (reservation->mappings)
        mapping_remove(driver, &reservation->mappings);
}
