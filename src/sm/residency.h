/* Residency: warps and CTAs that enter and leave the SM. */
#ifndef SUBCORE_SM_RESIDENCY_H
#define SUBCORE_SM_RESIDENCY_H

struct sm;

/* Takes the messages of the retire sink: warps that have exited, and of which nothing is in flight, leave their slots.
 * A CTA whose last warp leaves is finished. */
void sm_take_drained(struct sm *sm);

#endif
