/* Parts of a cycle that both cores have. */
#ifndef SUBCORE_SM_CYCLE_H
#define SUBCORE_SM_CYCLE_H

#include "sm/sm.h"

/* Events of the calendar that are due: write-back, barriers, lines and constants that arrive. */
bool sm_events_cycle(struct sm *sm, uint64_t now);

/* The queues behind issue that are not the memory unit's, of the sub-cores in which something can move. */
bool sm_queues_cycle(struct sm *sm, uint64_t now);

/* Cycles of a sub-core without warps. */
void sm_count_empty(const struct sm *sm, const struct subcore *p, uint64_t cycles);

#endif
