/* Which kernel an SM works for, and when its CTAs get their places.
 *
 * An SM is free when its kernel has no CTA left to begin, and all that it held have ended with their memory accesses.
 * Free SMs go to the kernels in flight in the order of their launches: a kernel gets some when those before it have no
 * CTA left. A policy tells in which order its CTAs go to them (gpu/placement_policy.h). When a CTA starts on its SM
 * tells gpu/cta_scheduler.h.
 *
 * ASSUMED: that CTAs of two kernels never share an SM, as Accel-Sim has it unless it is asked for more, and that a
 * kernel does not pass one launched before it. What would settle it: %smid, %clock and %globaltimer of small kernels
 * in two streams of a GPU. */
#ifndef SUBCORE_GPU_PLACEMENT_H
#define SUBCORE_GPU_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct sm_finished;
struct timed;

/* Between two quanta: gives free SMs to kernels that wait for them. */
bool placement_run(struct timed *t, struct status *status);

/* At the end of a quantum, in the order (cycle, SM): a CTA of this SM has ended, and others may take its place. */
void placement_cta_ended(struct timed *t, uint32_t sm, const struct sm_finished *finished);

#endif
