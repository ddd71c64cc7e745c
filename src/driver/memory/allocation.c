#include "driver/memory/allocation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "driver/memory/allocations.h"
#include "driver/memory/array.h"
#include "driver/memory/place.h"
#include "driver/memory/pool.h"
#include "driver/memory/virtual.h"
#include "driver/state/context.h"
#include "exec/memory/window.h"
#include "gpu/gpu.h"

struct allocations *allocations_create(void) { return calloc(1, sizeof(struct allocations)); }

struct memory *driver_memory(const struct driver *driver)
{
    return driver->device.gpu ? gpu_memory(driver->device.gpu) : NULL;
}

/* Index of the first allocation that begins above the address. */
static size_t above(const struct allocations *all, uint64_t address)
{
    size_t low = 0, high = all->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all->list[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct allocation *allocation_at(struct driver *driver, uint64_t address)
{
    struct allocations *all = driver->allocations;
    size_t next = above(all, address);
    if (next == 0)
        return NULL;
    struct allocation *found = all->list[next - 1];
    return address - found->base < found->bytes ? found : NULL;
}

const struct allocation *allocation_find(const struct driver *driver, uint64_t address)
{
    return allocation_at((struct driver *)driver, address);
}

struct allocation *allocation_from(struct driver *driver, uint64_t base, enum allocation_kind kind)
{
    struct allocation *found = allocation_at(driver, base);
    return found && found->base == base && found->kind == kind ? found : NULL;
}

bool allocation_touches(const struct driver *driver, uint64_t address, uint64_t bytes)
{
    const struct allocations *all = driver->allocations;
    if (allocation_find(driver, address))
        return bytes > 0;
    size_t next = above(all, address);
    return next < all->count && all->list[next]->base - address < bytes;
}

bool allocation_holds(const struct driver *driver, uint64_t address, uint64_t bytes)
{
    const struct allocation *found = allocation_find(driver, address);
    if (!found || bytes > found->bytes - (address - found->base))
        return false;
    return found->kind != ALLOCATION_RESERVED || mappings_open(found, address, bytes);
}

bool allocation_is_host(const struct allocation *a)
{
    return a->kind == ALLOCATION_PINNED || a->kind == ALLOCATION_REGISTERED;
}

bool allocation_add(struct driver *driver, const struct allocation *allocation)
{
    struct allocations *all = driver->allocations;
    if (all->count == all->room) {
        size_t room = all->room ? 2 * all->room : 64;
        struct allocation **list = realloc(all->list, room * sizeof(struct allocation *));
        if (!list)
            return false;
        all->list = list;
        all->room = room;
    }
    struct allocation *entry = malloc(sizeof *entry);
    if (!entry)
        return false;
    *entry = *allocation;
    if (entry->id == 0)
        entry->id = driver_new_id(driver);
    size_t at = above(all, entry->base);
    assert(at == 0 || entry->base - all->list[at - 1]->base >= all->list[at - 1]->bytes);
    memmove(all->list + at + 1, all->list + at, (all->count - at) * sizeof(struct allocation *));
    all->list[at] = entry;
    all->count++;
    return true;
}

void allocation_remove(struct driver *driver, uint64_t base)
{
    struct allocations *all = driver->allocations;
    size_t next = above(all, base);
    if (next == 0 || all->list[next - 1]->base != base)
        return;
    struct allocation *gone = all->list[next - 1];
    free(gone->advice);
    free(gone);
    memmove(all->list + next - 1, all->list + next, (all->count - next) * sizeof(struct allocation *));
    all->count--;
}

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

void allocation_release(struct driver *driver, struct allocation *a)
{
    struct memory *memory = driver_memory(driver);
    switch (a->kind) {
    case ALLOCATION_DEVICE:
        memory_free(memory, a->base);
        if (a->pool) {
            a->pool->leaving -= a->leaving;
            pool_give(driver, a->pool, a->bytes);
        }
        break;
    case ALLOCATION_PINNED:
    case ALLOCATION_MANAGED: memory_free(memory, a->base); break;
    case ALLOCATION_REGISTERED: memory_window_remove(memory, (const void *)(uintptr_t)a->base); break;
    case ALLOCATION_RESERVED:
        mappings_clear(driver, a);
        memory_free(memory, a->base);
        break;
    case ALLOCATION_MODULE: /* goes with its module */ break;
    }
    allocation_remove(driver, a->base);
}

void allocations_clear(struct CUctx_st *context)
{
    struct driver *driver = context->driver;
    struct allocations *all = driver->allocations;
    for (size_t i = all->count; i-- > 0;)
        if (all->list[i]->context == context && all->list[i]->kind != ALLOCATION_MODULE)
            allocation_release(driver, all->list[i]);
    arrays_clear(context);
    pools_clear(context);
}
