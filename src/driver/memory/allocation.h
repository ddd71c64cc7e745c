/* All memory that programs hold addresses of: the object at an address, and its owner. */
#ifndef SUBCORE_DRIVER_ALLOCATION_H
#define SUBCORE_DRIVER_ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/state/driver.h"
#include "driver/state/profile.h"

enum allocation_kind {
    ALLOCATION_DEVICE,
    ALLOCATION_PINNED, /* host memory of the driver, seen by the device at the same address */
    ALLOCATION_MANAGED,
    ALLOCATION_REGISTERED, /* host memory of the program */
    ALLOCATION_MODULE,     /* variables of a module */
    ALLOCATION_RESERVED    /* addresses of cuMemAddressReserve, with or without memory (driver/memory/virtual.h) */
};

struct mapping;

struct allocation {
    uint64_t base, bytes; /* bytes as asked for */
    enum allocation_kind kind;
    uint64_t id;    /* CU_POINTER_ATTRIBUTE_BUFFER_ID; 0 in allocation_add: a new one */
    unsigned flags; /* as given when it was made */
    struct CUctx_st *context;
    struct CUmemPoolHandle_st *pool; /* NULL: none */
    bool leaving;                    /* a cuMemFreeAsync of it is in flight */
    bool graph;                      /* made while a stream captured: lives until its context ends */
    bool variable;                   /* of a module, and goes with it; also managed ones */
    bool synchronous;                /* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS */
    uint8_t *advice;          /* managed: owned, one byte a page (driver/memory/managed.h) (NULL: none was given) */
    struct mapping *mappings; /* reserved: owned, ascending */
};

struct allocations *allocations_create(void); /* NULL: out of memory */

/* The allocation that holds the address (NULL: none). It is good until the lock is released. */
const struct allocation *allocation_find(const struct driver *driver, uint64_t address);
/* Returns true if all bytes of the range lie in one allocation. Of reserved addresses, when all have memory and
 * access. */
bool allocation_holds(const struct driver *driver, uint64_t address, uint64_t bytes);
/* Returns the kind of memory that profilers see; `allocation` may be NULL: pageable memory of the host. */
enum profile_memory allocation_memory(const struct allocation *allocation);
/* Enters memory that another part has allocated (false: out of memory). */
bool allocation_add(struct driver *driver, const struct allocation *allocation);
void allocation_remove(struct driver *driver, uint64_t base);
/* Frees all memory of a context, whose commands have ended. */
void allocations_clear(struct CUctx_st *context);

#endif
