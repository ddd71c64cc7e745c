/* Host memory that is taken piece by piece and given back all at once, for the state of the simulated machine.
 *
 * It lies in large pages where the host gives them when asked: an SM's cycle touches some hundred places, and with
 * small pages nearly each of them would miss the host's TLBs once 108 SMs take turns. A large page is the host's memory
 * as a whole once one byte of it is touched, and the host clears it: tables of which mostly the first entries are used
 * lie in small pages (arena_take_sparse).
 *
 * Threads may take pieces at the same time. */
#ifndef SUBCORE_BASE_ARENA_H
#define SUBCORE_BASE_ARENA_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

/* The rest of a chunk. */
struct arena_rest {
    uint8_t *at, *end;
};

struct arena {
    struct arena_chunk *chunks;     /* the last one first */
    struct arena_rest large, small; /* of the last chunk of each kind of pages */
    atomic_bool busy;               /* a thread is taking */
};

/* Zeros, from a line of the host's cache on; NULL when the host is out of memory. `arena` was zeroed before its first
 * use. */
void *arena_take(struct arena *arena, size_t bytes);

/* The same in small pages. */
void *arena_take_sparse(struct arena *arena, size_t bytes);

/* A larger piece that begins with the `bytes` of `piece`. The old place is lost for the arena: `more` should be
 * twice as much. */
void *arena_more(struct arena *arena, const void *piece, size_t bytes, size_t more);

/* Gives everything back. */
void arena_free(struct arena *arena);

#endif
