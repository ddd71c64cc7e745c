/* Whether a range of the program's memory can be touched, found out without touching it. */
#ifndef SUBCORE_DRIVER_HOST_CHECK_H
#define SUBCORE_DRIVER_HOST_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if all of the range can be read, or written. It asks Linux (5.14 or later) to make the pages present.
 * Where that cannot be asked the answer is true. */
bool host_readable(uint64_t address, uint64_t bytes);
bool host_writable(uint64_t address, uint64_t bytes);

#endif
