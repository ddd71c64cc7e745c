/* Constant caches: an L0 for operands of fixed-latency instructions in each sub-core (FL), an L0 for LDC (VL) and an
 * L1.5 for the SM. FL and VL are separate: a line that LDC brought does not make an operand hit. Source: MICRO 2025
 * paper, constant caches. What lies behind the L1.5 is a fixed delay here. */
#ifndef SUBCORE_SM_CONSTANT_CACHE_H
#define SUBCORE_SM_CONSTANT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "sm/tags.h"

struct constant_l1 {
    const struct config_constant *config;
    struct tags tags;
};
struct constant_l0 {
    struct tags tags;
    uint64_t recent;
};

bool constant_l1_init(struct constant_l1 *c, const struct config_constant *config);
void constant_l1_free(struct constant_l1 *c);
void constant_l1_clear(struct constant_l1 *c);
bool constant_l0_init(struct constant_l0 *c, uint32_t sets, uint32_t ways);
void constant_l0_free(struct constant_l0 *c);
void constant_l0_clear(struct constant_l0 *c);

/* True on a hit at cycle `now`. On a miss the line is fetched unless it is on its way: *delay receives the cycles
 * until it is there. */
bool constant_lookup(struct constant_l0 *l0, struct constant_l1 *l1, uint8_t bank, uint32_t offset, uint64_t now,
                     uint32_t *delay);

#endif
