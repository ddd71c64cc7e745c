/* Which kernel an SM works for.
 *
 * An SM is free when its kernel has no CTA left to begin, and all that it held have ended with their memory accesses.
 * Free SMs go to the kernels in flight in the order of their launches: a kernel gets some when those before it have no
 * CTA left. Its CTAs go to them one each in turn, first to those that have been free for longer, until they are full;
 * from then on a CTA follows another in its place (gpu/cta_scheduler.h).
 *
 * ASSUMED: that CTAs of two kernels never share an SM, as Accel-Sim has it unless it is asked for more, and that a
 * kernel does not pass one launched before it. What would settle it: %smid, %clock and %globaltimer of small kernels
 * in two streams of a GPU. */
#ifndef SUBCORE_GPU_PLACEMENT_H
#define SUBCORE_GPU_PLACEMENT_H

#include <stdbool.h>

#include "base/status.h"

struct timed;

/* Between two quanta: gives free SMs to kernels that wait for them. */
bool placement_run(struct timed *t, struct status *status);

#endif
