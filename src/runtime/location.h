/* Places of memory, as both APIs name them: kinds have the same numbers. */
#ifndef SUBCORE_RUNTIME_LOCATION_H
#define SUBCORE_RUNTIME_LOCATION_H

#include "driver/abi/memory_structs.h"
#include "runtime/abi/memory.h"

static inline CUmemLocation driver_location(const struct cudaMemLocation *location)
{
    return (CUmemLocation){.type = (CUmemLocationType)location->type, .id = location->id};
}

#endif
