/* The way of both constant L0s to the L1.5 and back: misses pass the request port of the L1 instruction cache, as in
 * the artifact of the MICRO 2025 paper. */
#ifndef SUBCORE_SM_CONSTANT_WAY_H
#define SUBCORE_SM_CONSTANT_WAY_H

#include <stdint.h>

struct sm;

/* A miss at cycle `now` of the line that starts at this byte of the banks: the cycle at which the L0 has the line, or
 * TAGS_COMING when the L1.5 has to ask the L2. */
uint64_t constant_fetch(struct sm *sm, uint64_t address, uint64_t now);

/* The L1.5 has the bytes from `address` to `end` of the banks from cycle `there` on: the L0s' lines and all that wait
 * for them know their cycle. */
void constant_arrive(struct sm *sm, uint64_t address, uint64_t end, uint64_t there);

#endif
