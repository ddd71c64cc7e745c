/* Bytes of device memory that a program has allocated and never written: a bit for each, of allocations that the
 * program asked for (memory_undefine). Without memory_watch nothing is undefined, and all of this costs nothing. */
#ifndef SUBCORE_EXEC_UNDEFINED_H
#define SUBCORE_EXEC_UNDEFINED_H

#include "exec/memory.h"

/* Begins to keep the bits (false: the host has no addresses for them). */
bool memory_watch(struct memory *memory);
/* An allocation has been made, and holds nothing yet. */
void memory_undefine(struct memory *memory, uint64_t address, uint64_t bytes);
/* Marks these bytes as written, or perhaps written. */
void memory_define(struct memory *memory, uint64_t address, uint64_t bytes);
/* Tells whether one of these bytes is undefined. */
bool memory_undefined(const struct memory *memory, uint64_t address, uint64_t bytes);

/* Tells whether hardware would let an access pass that lies outside of all allocations: a part of its page is
 * allocated. Pages of 2 MiB, as drivers map device memory (assumed). */
bool memory_mapped(const struct memory *memory, uint64_t address, unsigned bytes);

#endif
