/* Programs' advice about pages of managed memory. It is kept to be asked for. Here the memory is one, wherever
 * a page would be on hardware, and migration is not modelled. */
#ifndef SUBCORE_DRIVER_MANAGED_H
#define SUBCORE_DRIVER_MANAGED_H

#include "driver/abi/memory_structs.h"
#include "driver/state/call.h"

enum { MANAGED_PAGE = 4096 };

/* Locations as bits. */
enum managed_location { MANAGED_NOWHERE, MANAGED_HOST, MANAGED_DEVICE };

/* Returns true if the range is managed memory, of one allocation, and not empty. */
bool managed_holds(const struct driver *driver, uint64_t address, size_t bytes);
/* Remembers it, and takes its place in the stream. */
CUresult managed_prefetch(struct call *call, uint64_t address, size_t bytes, CUmemLocation location, CUstream stream,
                          bool per_thread);

/* Fields of allocation.advice. */
enum {
    ADVICE_READ_MOSTLY = 1,
    ADVICE_PREFERRED = 1, /* shift: of 2 bits, a managed_location */
    ADVICE_ACCESSED = 3,  /* shift: of 2 bits, for host and device */
    ADVICE_PREFETCHED = 5 /* shift: of 2 bits, a managed_location */
};

#endif
