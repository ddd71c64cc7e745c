#include "sm/attribution.h"

/* What stands in the way of a warp, in the order of stalls.def: X(set, reason, event). A taken branch leaves the buffer
 * empty: what the scheduler loses until the target has been fetched is the branch's, where the profiler distinguishes
 * the time until the target is known from that of the fetch. */
#define OBSTACLES(X, s)                                                                                                \
    X((s)->drain, STALL_DRAIN, CYCLE_DRAINING)                                                                         \
    X((s)->sleeping, STALL_SLEEPING, CYCLE_SLEEP)                                                                      \
    X((s)->barrier, STALL_BARRIER, CYCLE_CTA_BARRIER)                                                                  \
    X((s)->membar, STALL_MEMBAR, CYCLE_FENCE)                                                                          \
    X((s)->no_instruction & ~(s)->redirected, STALL_NO_INSTRUCTION, CYCLE_FETCH)                                       \
    X((s)->no_instruction & ~(s)->branch, STALL_NO_INSTRUCTION, CYCLE_BRANCH_FETCH)                                    \
    X((s)->constant, STALL_IMC_MISS, CYCLE_CONSTANT_MISS)                                                              \
    X((s)->branch, STALL_BRANCH_RESOLVING, CYCLE_BRANCH)                                                               \
    X((s)->stalled, STALL_WAIT, CYCLE_FIXED_RESULT)                                                                    \
    X((s)->long_scoreboard, STALL_LONG_SCOREBOARD, CYCLE_L1TEX_DATA)                                                   \
    X((s)->short_scoreboard &(s)->mio_data, STALL_SHORT_SCOREBOARD, CYCLE_MIO_DATA)                                    \
    X((s)->short_scoreboard, STALL_SHORT_SCOREBOARD, CYCLE_VARIABLE_RESULT)

uint16_t attribution_ready(struct attribution *a)
{
    const struct scheduler *s = &a->sm->partition[a->partition].scheduler;
    uint32_t rest = s->resident;
#define X(set, reason, event)                                                                                          \
    if (rest & (uint32_t)(set)) {                                                                                      \
        attribute(a, (uint16_t)(rest & (uint32_t)(set)), reason, event);                                               \
        rest &= ~(uint32_t)(set);                                                                                      \
        if (!rest)                                                                                                     \
            return 0;                                                                                                  \
    }
    OBSTACLES(X, s)
#undef X
    return (uint16_t)rest;
}

enum stall_reason attribution_state(const struct scheduler *s, unsigned warp)
{
#define X(set, reason, event)                                                                                          \
    if ((uint32_t)(set) >> warp & 1)                                                                                   \
        return reason;
    OBSTACLES(X, s)
#undef X
    return STALL_NOT_SELECTED;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static struct line_counters *line_of(const struct attribution *a, unsigned warp)
{
    uint32_t index = a->sm->warp[slot_of(a->partition, warp)].pc / 16, last = a->sm->code->count;
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
    const struct scheduler *s = &a->sm->partition[a->partition].scheduler;
    line_of(a, (unsigned)s->choose(s, a->warps[event]))->cycle[event] += a->weight;
}

void attribution_no_warp(struct sm *sm, uint64_t weight)
{
    sm->n.cycle[CYCLE_NO_WARP] += weight;
    if (sm->lines)
        sm->lines[sm->code->count].cycle[CYCLE_NO_WARP] += weight;
}
