/* Shared by the parts of the driver that hand out memory. */
#ifndef SUBCORE_DRIVER_ALLOCATIONS_H
#define SUBCORE_DRIVER_ALLOCATIONS_H

#include <stddef.h>

#include "driver/memory/allocation.h"
#include "driver/memory/space.h"

struct allocations {
    struct allocation **list; /* ascending, disjoint */
    size_t count, room;
    uint64_t reserve;                /* bytes that pools keep for themselves, not in use */
    struct CUmemPoolHandle_st *pool; /* the device's default one, made at first use. The others follow it */
    struct CUmemPoolHandle_st *current;
    struct CUarray_st *arrays; /* all */
    struct CUmipmappedArray_st *mipmaps;
    struct texture_object *textures; /* with the surfaces */
};

/* As allocation_find, to be changed. */
struct allocation *allocation_at(struct driver *driver, uint64_t address);
/* The one that begins there, if it is of this kind. */
struct allocation *allocation_from(struct driver *driver, uint64_t base, enum allocation_kind kind);
/* Returns true if an allocation has bytes in the range. */
bool allocation_touches(const struct driver *driver, uint64_t address, uint64_t bytes);

/* The memory is on the host for every reader. */
bool allocation_is_host(const struct allocation *allocation);

/* Gives an allocation's memory back, whatever its kind, and takes it out of the table. After queue_pause. */
void allocation_release(struct driver *driver, struct allocation *allocation);

#endif
