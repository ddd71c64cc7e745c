/* The mark of an access in the tags of an L2 slice, without time: for accesses that are executed and not timed.
 *
 * Lines come and go by the rules of mem/l2_serve.c: classes, replacement, dirty neighbours of a victim, copies on the
 * other partition. Nothing is counted and nothing is sent to memory. Sectors that are in flight for a timed access stay
 * on their way. A line for which there is no place is left out. */
#ifndef SUBCORE_MEM_L2_WARM_H
#define SUBCORE_MEM_L2_WARM_H

#include "mem/l2_slice.h"

/* Serves the sectors of `request` for the line `local` at its home, a slice of the group. `entry`: the slice
 * at which an SM of the request's partition enters, the home or its mirror. */
void l2_warm(struct l2_slice *home, struct l2_slice *entry, struct l2_slice *slices, const struct l2_model *model,
             const struct request *request, uint64_t local);

#endif
