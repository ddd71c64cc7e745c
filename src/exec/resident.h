/* Residents of a functional run: how many there are, a CTA's barriers, and a cluster's barrier. */
#ifndef SUBCORE_EXEC_RESIDENT_H
#define SUBCORE_EXEC_RESIDENT_H

#include "exec/exec.h"

/* Returns how many CTAs the GPU could hold, and have local memory. Whether it can hold all of a cooperative launch has
 * been checked before. */
uint32_t resident_limit(const struct exec_launch *launch);

/* Lets the warps go that wait at this barrier of the CTA, if all have arrived that it waits for. */
void resident_try_barrier(struct exec_resident *r, unsigned barrier);
/* Counts the arrival of a warp whose instruction is `out` at a barrier of the CTA. */
void resident_arrive(struct exec_resident *r, const struct issued *out);
/* A warp has exited: it may have been the last one that a barrier of the CTA waited for. */
void resident_warp_gone(struct exec_resident *r, uint32_t warp);

/* Lets the warps of the cluster go that wait at its barrier, if all that have not exited have arrived. */
void resident_try_cluster(struct exec_resident *r);
/* A warp arrives at the barrier of the cluster. Waits there, unless the phase of its arrival is over. */
void resident_arrive_at_cluster(struct exec_resident *r, uint32_t warp);
void resident_wait_for_cluster(struct exec_resident *r, uint32_t warp);
/* Returns whether a warp of the cluster runs, which can still let those go that wait. */
bool resident_others_run(const struct exec_resident *r);

#endif
