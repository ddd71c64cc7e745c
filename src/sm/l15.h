/* L1.5 of the SM: instructions and constants that the caches before it miss, in front of the L2.
 *
 * One array for both: Jia et al., "Dissecting the NVIDIA Turing T4 GPU via microbenchmarking", 2019; so in the artifact
 * of the MICRO 2025 paper. What lies behind it is a fixed delay here. A line holds two lines of the constant caches, so
 * that a constant that comes from the L2 brings its neighbours. */
#ifndef SUBCORE_SM_L15_H
#define SUBCORE_SM_L15_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "probe/counters.h"
#include "sm/tags.h"

struct l15 {
    const struct config_l15 *config;
    struct tags tags;
};

/* Addresses: instructions by pc, constants from L15_CONSTANTS on, 64 KiB a bank. */
#define L15_CONSTANTS (UINT64_C(1) << 40)

bool l15_init(struct l15 *c, const struct config_l15 *config);
void l15_free(struct l15 *c);
void l15_clear(struct l15 *c);

/* True when nobody needs to ask the L2 for the line of this byte. */
bool l15_has(const struct l15 *c, uint64_t address);
/* A request at cycle `now`: the cycle from which the L1.5 has the line of this byte, which it asks the L2 for if it
 * must. */
uint64_t l15_request(struct l15 *c, uint64_t address, uint64_t now, struct sm_counters *n);

#endif
