/* Host memory that is taken piece by piece and given back all at once, for the state of what is simulated.
 *
 * It lies in large pages where the host gives them when asked: an SM's cycle touches some hundred places, and with
 * small pages nearly each of them would miss the host's TLBs once 108 SMs take turns. */
#ifndef SUBCORE_BASE_ARENA_H
#define SUBCORE_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; /* the last one first */
    uint8_t *at, *end;          /* what is left of it */
};

/* Zeros, from a line of the host's cache on; NULL when the host is out of memory. `arena` was zeroed before its first
 * use. */
void *arena_take(struct arena *arena, size_t bytes);

/* Gives everything back. */
void arena_free(struct arena *arena);

#endif
