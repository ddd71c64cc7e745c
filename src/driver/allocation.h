/* All memory that programs hold addresses of: what lies at an address, and whose it is. */
#ifndef SUBCORE_DRIVER_ALLOCATION_H
#define SUBCORE_DRIVER_ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/driver.h"

enum allocation_kind {
    ALLOCATION_DEVICE,
    ALLOCATION_PINNED, /* host memory of the driver, seen by the device at the same address */
    ALLOCATION_MANAGED,
    ALLOCATION_REGISTERED, /* host memory of the program */
    ALLOCATION_MODULE,     /* variables of a module */
    ALLOCATION_RESERVED    /* addresses of cuMemAddressReserve, with or without memory */
};

struct allocation {
    uint64_t base, bytes; /* bytes as asked for */
    enum allocation_kind kind;
    uint64_t id;    /* CU_POINTER_ATTRIBUTE_BUFFER_ID */
    unsigned flags; /* as given when it was made */
    struct CUctx_st *context;
    struct CUmemPoolHandle_st *pool; /* NULL: none */
};

struct allocations *allocations_create(void); /* NULL: out of memory */

/* The allocation that holds the address; NULL: none. */
const struct allocation *allocation_find(const struct driver *driver, uint64_t address);
/* True when all bytes of the range lie in one allocation. */
bool allocation_holds(const struct driver *driver, uint64_t address, uint64_t bytes);
/* Enters what another part has allocated; false: out of memory. */
bool allocation_add(struct driver *driver, const struct allocation *allocation);
void allocation_remove(struct driver *driver, uint64_t base);
/* Frees all memory of a context. */
void allocations_clear(struct CUctx_st *context);

#endif
