/* Where the simulator finds the bytes of an address. */
#ifndef SUBCORE_DRIVER_PLACE_H
#define SUBCORE_DRIVER_PLACE_H

#include <stddef.h>
#include <stdint.h>

struct driver;

/* Host pointer to `bytes` bytes: of the device's memory, if it is allocated from the first to the last byte, and else
 * of the program's. NULL: of the device, and not allocated. Needs no lock while a command runs. */
uint8_t *place_of(const struct driver *driver, uint64_t address, size_t bytes);

#endif
