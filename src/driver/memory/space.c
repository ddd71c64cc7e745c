#include "driver/memory/space.h"

#include "driver/memory/allocations.h"

enum {
    LARGE = 1 << 20, /* from this size on an allocation begins on a large page */
    LARGE_PAGE = 2 << 20,
    SMALL_ALIGNMENT = 512
};

struct memory *driver_memory(const struct driver *driver)
{
    return driver->device.gpu ? gpu_memory(driver->device.gpu) : NULL;
}

uint64_t device_alignment(uint64_t bytes) { return bytes >= LARGE ? LARGE_PAGE : SMALL_ALIGNMENT; }

uint64_t device_free_bytes(const struct driver *driver)
{
    const struct memory *memory = driver_memory(driver);
    if (!memory)
        return device_memory_bytes(&driver->device);
    uint64_t taken = memory->allocated + driver->allocations->reserve;
    return taken < memory->capacity ? memory->capacity - taken : 0;
}

bool device_covers(const struct driver *driver, uint64_t address)
{
    const struct memory *memory = driver_memory(driver);
    return memory && address - memory->base < memory->limit;
}

uint8_t *place_of(const struct driver *driver, uint64_t address, size_t bytes)
{
    if (!device_covers(driver, address))
        return (uint8_t *)(uintptr_t)address;
    const struct memory *memory = driver_memory(driver);
    return memory_inside(memory, address, bytes) ? memory_at(memory, address) : NULL;
}
