/* Reading memory of the program that may not be there. */
#ifndef SUBCORE_DRIVER_MEMORY_PEEK_H
#define SUBCORE_DRIVER_MEMORY_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns false if not all of the bytes can be read. Where the system forbids the careful way, a wrong address
 * crashes. */
bool memory_peek(void *to, uint64_t from, size_t bytes);

#endif
