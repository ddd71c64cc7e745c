/* Caches without an end, as HyFiSS (MICRO 2024) counts its hits: a line is there if it has been used before.
 *
 * All lines of all caches are in one table, which grows. Lines are 32 bytes in an L1 and 64 in the L2. */
#ifndef SUBCORE_MEM_FIRST_USE_H
#define SUBCORE_MEM_FIRST_USE_H

#include <stdbool.h>
#include <stdint.h>

enum { FIRST_USE_L1_LINE = 32, FIRST_USE_L2_LINE = 64 /* bytes */ };

struct first_use {
    uint64_t *key; /* [room], hashed; 0: free */
    uint64_t room, count;
    bool failed; /* the host is out of memory: further lines are not kept */
};

void first_use_free(struct first_use *u);
/* Forgets all lines. */
void first_use_clear(struct first_use *u);
/* Uses line `number` (address / its size, below 2^54) of cache 0..1023. Returns whether it was there. */
bool first_use_touch(struct first_use *u, uint32_t cache, uint64_t number);

#endif
