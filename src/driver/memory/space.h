/* The device's memory as a whole: its addresses and how much of it is free. */
#ifndef SUBCORE_DRIVER_SPACE_H
#define SUBCORE_DRIVER_SPACE_H

#include "driver/state/driver.h"
#include "exec/memory.h"

/* NULL before the first context. */
struct memory *driver_memory(const struct driver *driver);
/* Bytes that neither programs nor pools have. */
uint64_t device_free_bytes(const struct driver *driver);
/* Returns true for all addresses that the device's memory may ever have. */
bool device_covers(const struct driver *driver, uint64_t address);
/* Returns how device memory of that size is aligned, in bytes. */
uint64_t device_alignment(uint64_t bytes);

/* Host pointer to `bytes` bytes: of the device's memory, if it is allocated from the first to the last byte, and else
 * of the program's. NULL: of the device, and not allocated. Needs no lock while a command runs. */
uint8_t *place_of(const struct driver *driver, uint64_t address, size_t bytes);

#endif
