#include "driver/stream/value_run.h"

#include "driver/memory/allocation.h"
#include "driver/stream/value_flags.h"

/* Where the value lies for this process; NULL: nowhere. */
static void *place(const struct driver *driver, uint64_t address, unsigned bytes)
{
    const struct allocation *allocation = allocation_find(driver, address);
    if (allocation == NULL || !allocation_holds(driver, address, bytes))
        return NULL;
    if (allocation->kind == ALLOCATION_PINNED || allocation->kind == ALLOCATION_MANAGED ||
        allocation->kind == ALLOCATION_REGISTERED)
        return (void *)(uintptr_t)address;
    const struct memory *memory = gpu_memory(driver->device.gpu);
    return memory_ok(memory, address, bytes) ? memory_at(memory, address) : NULL;
}

bool value_place(const struct driver *driver, uint64_t address, bool wide)
{
    unsigned bytes = wide ? 8 : 4;
    return address % bytes == 0 && place(driver, address, bytes) != NULL;
}

static bool holds(uint64_t found, const struct value_command *value)
{
    switch (value->flags & VALUE_WAIT_KIND) {
    case VALUE_WAIT_EQUAL: return found == value->value;
    case VALUE_WAIT_AND: return (found & value->value) != 0;
    case VALUE_WAIT_NOR: return value->wide ? ~(found | value->value) != 0 : (uint32_t) ~(found | value->value) != 0;
    default: /* VALUE_WAIT_AT_LEAST: on a circle */
        return value->wide ? (int64_t)(found - value->value) >= 0 : (int32_t)(uint32_t)(found - value->value) >= 0;
    }
}

bool value_holds(const struct driver *driver, const struct value_command *value)
{
    const void *at = place(driver, value->address, value->wide ? 8 : 4);
    if (at == NULL)
        return true;
    uint64_t found = value->wide ? __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE)
                                 : __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
    return holds(found, value);
}

CUresult value_write(struct driver *driver, const struct value_command *value)
{
    void *at = place(driver, value->address, value->wide ? 8 : 4);
    if (at == NULL)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (value->wide)
        __atomic_store_n((uint64_t *)at, value->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)at, (uint32_t)value->value, __ATOMIC_RELEASE);
    return CUDA_SUCCESS;
}
