/* Straight code for tests of instruction caches, and the cycles of their levels. */
#ifndef SUBCORE_TESTS_SM_ICACHE_H
#define SUBCORE_TESTS_SM_ICACHE_H

#include "tests/sm/harness.h"

enum {
    LINE = 8,      /* instructions */
    L1_TIME = 60,  /* from an L0 miss to the line */
    L15_TIME = 68, /* from the L1.5 */
    L2_TIME = L15_TIME + HARNESS_L2_MORE,
    L15_LINE = 17, /* between two lines */
    L2_LINE = 36,
    LATE_FETCH = 2, /* from fetch to issue */
};

/* Returns an SM with so many instructions and a stream buffer of so many lines. */
static inline struct harness *straight_line(uint32_t instructions, uint32_t stream)
{
    struct harness *h = harness_cold();
    h->config.icache.perfect = false;
    h->config.icache.stream_buffer = stream;
    add_many(h, nop(), instructions - 1);
    add(h, exit_warp());
    harness_begin(h);
    return h;
}

/* Puts all lines of the code into the L1.5, and into the L1 if asked to. */
static inline void warm(struct harness *h, bool l1)
{
    for (uint32_t line = 0; line * LINE < h->count; line++) {
        tags_insert(&h->sm->l15.tags, line, 0);
        if (l1)
            tags_insert(&h->sm->l1i.tags, line, 0);
    }
}

#endif
