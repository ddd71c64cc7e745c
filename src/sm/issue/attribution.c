#include "sm/issue/attribution.h"

enum stall_reason attribution_state(const struct scheduler *s, unsigned warp)
{
#define X(set, reason, event)                                                                                          \
    if ((uint32_t)(set) >> warp & 1)                                                                                   \
        return reason;
    ATTRIBUTION_SELDOM(X, s)
    ATTRIBUTION_OFTEN(X, s)
#undef X
    return STALL_NOT_SELECTED;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static struct line_counters *line_of(const struct attribution *a, unsigned warp)
{
    uint32_t index = a->sm->warp[slot_of(a->subcore, warp)].pc / 16, last = a->sm->code->count;
    return &a->sm->lines[index < last ? index : last];
}

void attribution_lines(struct attribution *a, uint16_t warps, enum stall_reason reason, enum cycle_event event)
{
    bool first = !(a->events >> event & 1);
    a->warps[event] = (uint16_t)(first ? warps : a->warps[event] | warps);
    for (uint32_t m = warps; m; m &= m - 1)
        line_of(a, lowest_bit32(m))->stall[reason] += a->weight;
}

/* Of the warps with the event that takes the cycle, the one that the scheduler would prefer. */
void attribution_cycle_line(const struct attribution *a, enum cycle_event event)
{
    const struct scheduler *s = &a->sm->subcore[a->subcore].scheduler;
    line_of(a, (unsigned)s->choose(s, a->warps[event]))->cycle[event] += a->weight;
}

void attribution_no_warp(struct sm *sm, uint64_t weight)
{
    sm->n.cycle[CYCLE_NO_WARP] += weight;
    if (sm->lines)
        sm->lines[sm->code->count].cycle[CYCLE_NO_WARP] += weight;
}
