/* Where the cycles of a sub-core go. Each resident warp has one state in each cycle (enum stall_reason), and each state
 * amounts to one event of the scheduler (enum cycle_event); of the events of all warps the first in the order of
 * cycles.def takes the cycle. docs/stalls.md has the whole picture. */
#ifndef SUBCORE_SM_ATTRIBUTION_H
#define SUBCORE_SM_ATTRIBUTION_H

#include "base/bits.h"
#include "sm/sm.h"

/* One cycle of a sub-core, or `weight` equal ones. */
struct attribution {
    struct sm *sm;
    unsigned partition;
    uint64_t weight;
    uint32_t events;                   /* bit e: some warp has event e */
    uint16_t warps[CYCLE_EVENT_COUNT]; /* which; only where events has a bit, and only for lines */
};

static inline void attribution_begin(struct attribution *a, struct sm *sm, unsigned partition, uint64_t weight)
{
    a->sm = sm;
    a->partition = partition;
    a->weight = weight;
    a->events = 0;
}

/* Adds the warps to the instructions they are at; out of line, for runs that ask for it. */
void attribution_lines(struct attribution *a, uint16_t warps, enum stall_reason reason, enum cycle_event event);
void attribution_cycle_line(const struct attribution *a, enum cycle_event event);

static inline void attribute(struct attribution *a, uint16_t warps, enum stall_reason reason, enum cycle_event event)
{
    if (!warps)
        return;
    a->sm->n.stall[reason] += a->weight * popcount32(warps);
    if (a->sm->lines)
        attribution_lines(a, warps, reason, event);
    a->events |= UINT32_C(1) << event;
}

/* Every resident warp has been attributed, and there is one. */
static inline void attribution_end(const struct attribution *a)
{
    enum cycle_event event = (enum cycle_event)lowest_bit32(a->events);
    a->sm->n.cycle[event] += a->weight;
    if (a->sm->lines)
        attribution_cycle_line(a, event);
}

/* Attributes the resident warps for which more than a unit stands in the way, each to the first of its reasons in the
 * order of stalls.def, and returns the others. */
uint16_t attribution_ready(struct attribution *a);

/* A sub-core without a resident warp, on an SM that has one. */
void attribution_no_warp(struct sm *sm, uint64_t weight);

/* The first reason of a warp that is not ready; STALL_NOT_SELECTED when it is. */
enum stall_reason attribution_state(const struct scheduler *s, unsigned warp);

#endif
