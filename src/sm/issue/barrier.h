/* CTA barriers: 16 named ones, each with its own count of arrivals.
 *
 *   arrival --port: one each barrier_per_warp cycles--> counted. The last one --barrier_base--> the waiting warps go on
 *
 * Measured on TU102: back-to-back bar.sync of W warps take 20.3 + 2 W cycles (22.3, 24.3, 28.3, 36.3, 52.3, 84.3 for 1,
 * 2, 4, 8, 16, 32 warps), and a second resident CTA changes nothing: each CTA has its own port. The slope is the rate
 * that the CUDA C++ Programming Guide gives, 16 lanes a cycle. */
#ifndef SUBCORE_SM_BARRIER_H
#define SUBCORE_SM_BARRIER_H

#include <stdint.h>

#include "config/config.h"
#include "isa/issued.h"
#include "sm/calendar.h"
#include "sm/cta.h"

/* The barrier unit of an SM. */
struct barrier_unit {
    struct sm_cta *cta; /* [SM_CTAS] */
    struct calendar *calendar;
    const struct config_core *core;
};

/* The warp in `slot` has issued BAR: `issued` says which barrier, for how many warps, and whether the warp waits. */
void cta_barrier_arrive(const struct barrier_unit *u, uint8_t cta_slot, uint32_t slot, const struct issued *issued,
                        uint64_t now);

/* A warp of this CTA slot has exited: it may have been the last one that a barrier waited for. */
void cta_barrier_exit(const struct barrier_unit *u, uint8_t cta_slot, uint64_t now);

/* EVENT_BARRIER. Returns the slots of the warps that waited at this barrier: they continue. */
uint64_t cta_barrier_release(const struct barrier_unit *u, uint32_t cta_slot, uint32_t barrier);

#endif
