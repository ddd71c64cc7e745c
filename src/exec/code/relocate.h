/* Patches that a linked cubin leaves to its loader. */
#ifndef SUBCORE_EXEC_RELOCATE_H
#define SUBCORE_EXEC_RELOCATE_H

#include "cubin/cubin.h"

/* Where zero-initialised variables start, from the start of the initialised ones. */
uint64_t relocate_zero_offset(const struct cubin *cubin);

/* Applies the relocations of code, constants and initialised variables to `image`, of which the cubin is a view.
 * `globals` is the device address of the initialised variables. */
bool relocate(const struct cubin *cubin, uint8_t *image, uint64_t globals, struct status *status);

#endif
