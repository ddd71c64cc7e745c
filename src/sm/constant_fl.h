/* L0 constant cache of a sub-core for operands of fixed-latency instructions (FL), looked up at issue.
 *
 * Source: MICRO 2025 paper, constant caches. It is separate from that of LDC: a line that LDC brought does not make an
 * operand hit. Misses go to the L1.5 of the SM, through the request port of the L1 instruction cache, as in the paper's
 * artifact. */
#ifndef SUBCORE_SM_CONSTANT_FL_H
#define SUBCORE_SM_CONSTANT_FL_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "probe/counters.h"
#include "sm/l1i.h"
#include "sm/tags.h"

struct constant_fl {
    const struct config_constant *config;
    unsigned line_shift;
    struct tags tags;
    uint64_t recent; /* line of the last hit */
};

bool constant_fl_init(struct constant_fl *c, const struct config_constant *config);
void constant_fl_free(struct constant_fl *c);
void constant_fl_clear(struct constant_fl *c);

/* True when the cache has the operand at cycle `now`. On a miss its line is fetched, unless it is on its way: *ready
 * receives the cycle at which the operand is there. */
bool constant_fl_lookup(struct constant_fl *c, struct l1i *l1i, uint8_t bank, uint32_t offset, uint64_t now,
                        uint64_t *ready, struct sm_counters *n);

/* For both constant L0s: a miss at cycle `now` of the line that starts at this byte of the banks; the cycle at which
 * the line is there. */
uint64_t constant_fetch(const struct config_constant *config, struct l1i *l1i, uint64_t address, uint64_t now,
                        struct sm_counters *n);

#endif
