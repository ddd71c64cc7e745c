/* The way of both constant L0s to the L1.5: misses pass the request port of the L1 instruction cache, as in the
 * artifact of the MICRO 2025 paper. */
#ifndef SUBCORE_SM_CONSTANT_WAY_H
#define SUBCORE_SM_CONSTANT_WAY_H

#include <stdint.h>

#include "sm/front/l1i.h"

struct constant_way {
    const struct config_constant *config;
    struct l1i *l1i;
    struct l15 *l15;
};

/* A miss at cycle `now` of the line that starts at this byte of the banks: the cycle at which the L0 has the line, or
 * TAGS_COMING when the L1.5 has to ask the L2. */
uint64_t constant_way_fetch(const struct constant_way *way, uint64_t address, uint64_t now);

/* The cycle at which the L0s have a line that the L1.5 has from cycle `there` on. */
uint64_t constant_way_at_l0(const struct constant_way *way, uint64_t there);

#endif
