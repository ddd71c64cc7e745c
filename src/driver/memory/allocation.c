#include "driver/memory/allocation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "driver/memory/allocations.h"
#include "driver/memory/virtual.h"

struct allocations *allocations_create(void) { return calloc(1, sizeof(struct allocations)); }

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

enum profile_memory allocation_memory(const struct allocation *a)
{
    if (!a)
        return PROFILE_PAGEABLE;
    switch (a->kind) {
    case ALLOCATION_PINNED:
    case ALLOCATION_REGISTERED: return PROFILE_PINNED;
    case ALLOCATION_MANAGED: return PROFILE_MANAGED;
    case ALLOCATION_MODULE: return PROFILE_VARIABLE;
    default: return PROFILE_DEVICE;
    }
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
