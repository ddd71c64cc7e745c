/* LDC: constants through the L0 cache of variable latency, which the SM shares. */
#ifndef SUBCORE_SM_CONSTANT_LOAD_H
#define SUBCORE_SM_CONSTANT_LOAD_H

#include <stdint.h>

struct sm;

/* Accepted at `now`. An LDC completes after those that its sub-core issued before, hit or miss. */
void constant_load(struct sm *sm, uint16_t token, uint64_t now);

#endif
