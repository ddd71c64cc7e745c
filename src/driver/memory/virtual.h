/* Addresses and memory apart: ranges from cuMemAddressReserve, memory from cuMemCreate, and mappings from one to the
 * other. They belong to no context. */
#ifndef SUBCORE_DRIVER_VIRTUAL_H
#define SUBCORE_DRIVER_VIRTUAL_H

#include "driver/abi/memory_structs.h"
#include "driver/memory/allocation.h"
#include "driver/state/call.h"

enum { GRANULARITY = 2 << 20 }; /* bytes in a page of device memory */

/* The object of a CUmemGenericAllocationHandle. */
struct virtual_memory {
    CUmemAllocationProp properties;
    int backing; /* exec/memory.h */
    uint64_t bytes;
    unsigned handles;  /* as often it has to be released */
    unsigned mappings; /* it lives as long as either is left */
};

struct mapping {
    struct mapping *next;
    uint64_t base, bytes, offset;
    struct virtual_memory *memory;
    CUmemAccess_flags access; /* reading alone is not enforced: it allows writing */
};

/* Returns true if the range, inside of a reservation, has memory and access everywhere. */
bool mappings_open(const struct allocation *reservation, uint64_t address, uint64_t bytes);
/* After queue_pause. */
void mappings_clear(struct driver *driver, struct allocation *reservation);

/* Takes a mapping away, and with it memory without another owner. After queue_pause. */
void mapping_remove(struct driver *driver, struct mapping **link);
/* Returns NULL if there is no such memory, or its last handle has been released. */
struct virtual_memory *virtual_memory_find(const struct driver *driver, CUmemGenericAllocationHandle handle);
/* Frees the memory when it has neither handles nor mappings. */
void virtual_memory_drop(struct driver *driver, struct virtual_memory *memory);

/* Returns the range around an address of an allocation: the mapping in reserved addresses, and all of it elsewhere. */
struct range {
    uint64_t base, bytes;
    bool open; /* there is memory */
    CUmemAccess_flags access;
};
struct range allocation_part(const struct allocation *allocation, uint64_t address);

/* Begins a call of these functions: they need no context, so the GPU may not be there yet. */
CUresult virtual_begin(struct call *call, const char *name);

#endif
