/* Parts of a cycle that both cores have. */
#ifndef SUBCORE_SM_CYCLE_H
#define SUBCORE_SM_CYCLE_H

#include "sm/sm.h"

/* Events of the calendar that are due: write-back, barriers, lines and constants that arrive. */
bool sm_take_events(struct sm *sm, uint64_t now);
static inline bool sm_events_cycle(struct sm *sm, uint64_t now)
{
    return sm->calendar.next <= now && sm_take_events(sm, now);
}

/* The queues behind issue that are not the memory unit's, of the sub-cores in which something can move. */
bool sm_run_queues(struct sm *sm, uint64_t now);
static inline bool sm_queues_cycle(struct sm *sm, uint64_t now)
{
    return sm->queues_at <= now && sm_run_queues(sm, now);
}

/* Counts cycles of a sub-core without warps, on an SM that has some or has not. */
static inline void subcore_count_empty(const struct subcore *p, bool active, uint64_t cycles)
{
    if (active)
        attribute_no_warp(&p->attribution, cycles);
}

#endif
