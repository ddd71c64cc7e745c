/* Instruction caches: an L0 with a stream buffer in each sub-core, an L1 for the SM.
 *
 *   fetch -> L0 (miss) -> stream buffer (miss) -> L1 (miss) -> L2
 *
 * Source: MICRO 2025 paper, instruction front end: on an L0 miss that its stream buffer does not hold, a new stream
 * starts at the line after the missing one; a hit in the buffer moves the line into the L0 and lets the stream go on;
 * one prefetch a cycle. The L1 takes one request a cycle from all four sub-cores. Behind the L1 is a fixed delay. */
#ifndef SUBCORE_SM_ICACHE_H
#define SUBCORE_SM_ICACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "probe/counters.h"
#include "sm/tags.h"

enum { STREAM_MAX = 32, L0_MISSES = 16 };

struct l1i {
    const struct config_icache *config;
    struct tags tags;
    uint64_t port_free; /* cycle from which the request port is free */
};

struct stream_line {
    uint64_t line, ready;
};

struct l0i {
    const struct config_icache *config;
    struct tags tags;
    struct stream_line stream[STREAM_MAX]; /* oldest first */
    uint32_t stream_count;
    uint64_t stream_next;               /* line that is prefetched next */
    struct stream_line miss[L0_MISSES]; /* demand misses on their way */
    uint32_t miss_count;
    uint64_t recent; /* line of the last hit: most fetches need no search */
};

bool l1i_init(struct l1i *c, const struct config_icache *config);
void l1i_free(struct l1i *c);
void l1i_clear(struct l1i *c);
bool l0i_init(struct l0i *c, const struct config_icache *config);
void l0i_free(struct l0i *c);
void l0i_clear(struct l0i *c);

/* Fetch from byte address `pc` at cycle `now`. Returns `now` on a hit, else the later cycle at which the line is
 * there. Lines from `code_end` on are not prefetched. */
uint64_t l0i_fetch(struct l0i *c, struct l1i *l1, uint32_t pc, uint32_t code_end, uint64_t now, struct sm_counters *n);

#endif
