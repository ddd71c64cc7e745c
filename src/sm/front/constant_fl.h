/* L0 constant cache of a sub-core for constant operands in fixed-latency instructions (FL), looked up at issue.
 *
 * Source: MICRO 2025 paper, constant caches. It is separate from that of LDC: a line that LDC brought does not make an
 * operand hit. Misses go to the L1.5 of the SM, through the request port of the L1 instruction cache, as in the paper's
 * artifact. */
#ifndef SUBCORE_SM_CONSTANT_FL_H
#define SUBCORE_SM_CONSTANT_FL_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/front/constant_way.h"
#include "sm/front/tags.h"

struct constant_fl {
    struct constant_way way; /* port */
    unsigned line_shift;
    struct tags tags;
    uint64_t recent; /* line of the last hit */
};

bool constant_fl_init(struct constant_fl *c, const struct config_constant *config, struct arena *arena);
void constant_fl_begin(struct constant_fl *c);

static inline uint64_t constant_fl_line(const struct constant_fl *c, uint8_t bank, uint32_t offset)
{
    return ((uint64_t)bank << 16 | offset) >> c->line_shift;
}

/* Tells whether the operand is in the line of the last hit. */
static inline bool constant_fl_again(const struct constant_fl *c, uint8_t bank, uint32_t offset)
{
    return constant_fl_line(c, bank, offset) == c->recent;
}

/* Returns true if the cache has the operand at cycle `now`. On a miss its line is fetched, unless it is on its way:
 * *ready receives the cycle at which the operand is present, or TAGS_COMING. */
bool constant_fl_lookup(struct constant_fl *c, uint8_t bank, uint32_t offset, uint64_t now, uint64_t *ready);

void constant_fl_archive(struct archive *a, struct constant_fl *c);

#endif
