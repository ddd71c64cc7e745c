/* A thread's knowledge of others: for threads, warps, CTAs or all of a launch the stamp up to which their accesses come
 * before the thread's next accesses. Stamps count the synchronisations of a launch, from 1 on, in the order in which
 * they execute.
 *
 * A clock does not change once it is made, so that many threads and locations share one. It counts its users. A
 * clock without an entry is NULL. */
#ifndef SUBCORE_CHECK_CLOCK_H
#define SUBCORE_CHECK_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum clock_level { CLOCK_THREAD, CLOCK_WARP, CLOCK_CTA, CLOCK_ALL };

/* A clock with more entries becomes one entry for all: it then orders more than the program does, and never less. */
enum { CLOCK_MOST = 4096 };

struct clock_entry {
    uint64_t key; /* as clock_key makes it; ascending in a clock */
    uint32_t stamp;
};

struct clock {
    uint32_t users, count;
    struct clock_entry entry[];
};

/* Returns the key of a thread (32 * warp + lane), a warp (its number in the launch) or a CTA. */
static inline uint64_t clock_key(enum clock_level level, uint64_t number) { return (uint64_t)level << 62 | number; }

/* Makes a clock of entries in any order, with one user. Of entries with the same key the highest stamp counts. Sorts
 * them. Returns NULL for none, or when the host has no memory. */
struct clock *clock_make(struct clock_entry *entries, uint32_t count);
/* Adds a user. `clock` may be NULL. */
struct clock *clock_share(struct clock *clock);
/* Takes a user away, and the clock with the last one. */
void clock_drop(struct clock *clock);
/* Gives *to the knowledge of `other` in addition to its own: one user more of a clock that may be new. */
void clock_join(struct clock **to, struct clock *other);
/* Tells whether accesses of this thread up to `stamp` are known. */
bool clock_knows(const struct clock *clock, uint32_t warp, unsigned lane, uint64_t cta, uint32_t stamp);

#endif
