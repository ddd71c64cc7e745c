#include "sm/scheduler.h"

#include <string.h>

#include "base/bits.h"

void scheduler_init(struct scheduler *s)
{
    memset(s, 0, sizeof *s);
    s->next_wake = UINT64_MAX;
    s->last = SCHEDULER_NONE;
}

void scheduler_stall(struct scheduler *s, unsigned warp, uint64_t until)
{
    s->stalled |= (uint16_t)(1u << warp);
    s->stall_until[warp] = until;
    if (until < s->next_wake)
        s->next_wake = until;
}

void scheduler_wake(struct scheduler *s, uint64_t now)
{
    if (now < s->next_wake)
        return;
    uint64_t next = UINT64_MAX;
    for (uint32_t m = s->stalled; m; m &= m - 1) {
        unsigned i = lowest_bit32(m);
        if (s->stall_until[i] <= now)
            s->stalled &= (uint16_t) ~(1u << i);
        else if (s->stall_until[i] < next)
            next = s->stall_until[i];
    }
    s->sleeping &= s->stalled;
    s->next_wake = next;
}

uint16_t scheduler_ready(const struct scheduler *s, uint64_t weight, struct sm_counters *n)
{
    const struct {
        uint16_t set;
        enum stall_reason reason;
    } order[] = {
        {s->drain, STALL_DRAIN},
        {s->sleeping, STALL_SLEEPING},
        {s->barrier, STALL_BARRIER},
        {s->membar, STALL_MEMBAR},
        {s->no_instruction & (uint16_t)~s->branch, STALL_NO_INSTRUCTION},
        {s->constant, STALL_IMC_MISS},
        {s->branch, STALL_BRANCH_RESOLVING},
        {s->stalled, STALL_WAIT},
        {s->long_scoreboard, STALL_LONG_SCOREBOARD},
        {s->short_scoreboard, STALL_SHORT_SCOREBOARD},
    };
    uint32_t rest = s->resident;
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++) {
        uint32_t in = rest & order[i].set;
        if (in) {
            n->stall[order[i].reason] += weight * popcount32(in);
            rest &= ~in;
        }
    }
    return (uint16_t)rest;
}

int scheduler_choose(const struct scheduler *s, uint16_t eligible)
{
    if (s->last != SCHEDULER_NONE && (eligible >> s->last & 1))
        return s->last;
    int best = (int)lowest_bit32(eligible);
    for (uint32_t m = eligible & (eligible - 1u); m; m &= m - 1) {
        int i = (int)lowest_bit32(m);
        if (s->age[i] > s->age[best])
            best = i;
    }
    return best;
}
