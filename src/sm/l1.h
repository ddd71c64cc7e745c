/* L1 data cache: 128-byte lines of four 32-byte sectors, write-through without allocation, lines allocated when their
 * data arrives, misses merged in the MSHRs. Tags only: values come from the source when an instruction issues. */
#ifndef SUBCORE_SM_L1_H
#define SUBCORE_SM_L1_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/coalesce.h"

struct l1_line {
    uint64_t line, used;
    uint8_t valid;
}; /* valid: sector mask, 0 for an empty way */

enum { MSHR_TABLE = 2048, MSHR_WAITERS = 8192, MSHR_NIL = 0xffff };

struct mshr {
    uint64_t line;
    uint8_t pending;
    bool used;
    uint16_t first;
    uint16_t waiters;
};
struct mshr_waiter {
    uint16_t token, next;
    uint8_t sectors;
};

struct l1 {
    const struct config_l1 *config;
    uint32_t sets, ways, room; /* room: lines allocated in `lines` */
    struct l1_line *lines;
    uint64_t uses;
    uint64_t emptied;  /* lines used last before this have been invalidated */
    struct mshr *mshr; /* open addressing by line */
    uint32_t mshr_count;
    struct mshr_waiter *waiter;
    uint16_t waiter_free;  /* used before; MSHR_NIL: none */
    uint32_t waiter_fresh; /* those from here on have never been used */
    uint32_t waiter_count;
};

bool l1_init(struct l1 *l1, const struct config_l1 *config, uint32_t max_bytes);
void l1_free(struct l1 *l1);
/* Empty, with this capacity (what the shared-memory carve-out leaves). Capacity 0 misses always. */
void l1_begin(struct l1 *l1, uint32_t bytes);

/* Sectors of the line that are present; the line becomes the most recently used. */
uint8_t l1_lookup(struct l1 *l1, uint64_t line);

/* Empties the cache; what is on its way still fills it. */
void l1_invalidate(struct l1 *l1);

/* The access `token` waits for these missing sectors. Returns those that nobody has asked the L2 for yet. */
uint8_t l1_miss(struct l1 *l1, uint64_t line, uint8_t sectors, uint16_t token);
/* True when there is an MSHR for each of these lines, should they all miss, and room at those that are under way. */
bool l1_can_miss(const struct l1 *l1, const struct line_access line[], uint32_t lines);

/* Sectors have arrived: the line takes them in; `done` is called, in the order of waiting, for each access that no
 * longer waits for this line. */
void l1_fill(struct l1 *l1, uint64_t line, uint8_t sectors, void (*done)(void *context, uint16_t token), void *context);

#endif
