/* LDC: constants through the L0 cache of variable latency, which the SM shares. */
#ifndef SUBCORE_SM_CONSTANT_LOAD_H
#define SUBCORE_SM_CONSTANT_LOAD_H

#include <stdint.h>

/* Of a sub-core: its LDCs from the oldest on whose line comes from the L2, as a chain of tokens. An LDC completes after
 * those that its sub-core issued before, hit or miss, so that later ones join it. */
struct constant_order {
    uint16_t oldest, youngest;
    uint16_t count;
};

struct sm;

/* Accepted at `now`. */
void constant_load(struct sm *sm, uint16_t token, uint64_t now);

/* A line of the L0 that was coming is there from cycle `ready` on: what waits for it goes on. */
void constant_load_arrives(struct sm *sm, unsigned subcore, uint64_t line, uint64_t ready);

#endif
