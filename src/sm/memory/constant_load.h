/* LDC: constants through the L0 cache of variable latency, which the SM shares. */
#ifndef SUBCORE_SM_CONSTANT_LOAD_H
#define SUBCORE_SM_CONSTANT_LOAD_H

#include <stdint.h>

#include "sm/memory/constant_vl.h"
#include "sm/memory/delivery.h"
#include "sm/slot.h"

/* Of a sub-core: its LDCs from the oldest on whose line comes from the L2, as a chain of tokens. An LDC completes after
 * those that its sub-core issued before, hit or miss, so that later ones join it. */
struct constant_order {
    uint16_t oldest, youngest;
    uint16_t count;
};

struct constant_loads {
    struct constant_load_ports {
        struct pending_table *table;
        struct constant_vl *cache;
        const struct delivery *delivery;
        const struct config_lsu *config;
    } to;
    struct constant_order order[SM_SUBCORES];
};

/* Takes an LDC that is accepted at `now`. */
void constant_load(struct constant_loads *c, uint16_t token, uint64_t now);

/* A line of the L0 that was coming is there from cycle `ready` on: the sub-core's LDCs that wait for it continue. */
void constant_load_arrives(struct constant_loads *c, unsigned subcore, uint64_t line, uint64_t ready);

#endif
