/* Where the cycles of a sub-core go. Each resident warp has one state in each cycle (enum stall_reason), and each state
 * amounts to one event of the scheduler (enum cycle_event); of the events of all warps the first in the order of
 * cycles.def takes the cycle. docs/stalls.md has the whole picture. */
#ifndef SUBCORE_SM_ATTRIBUTION_H
#define SUBCORE_SM_ATTRIBUTION_H

#include "base/bits.h"
#include "sm/sm.h"

/* What stands in the way of a warp, in the order of stalls.def: X(set, reason, event). A taken branch leaves the buffer
 * empty: what the scheduler loses until the target has been fetched is the branch's, where the profiler distinguishes
 * the time until the target is known from that of the fetch. In two parts, because in most cycles no warp is in a set
 * of the first. */
#define ATTRIBUTION_SELDOM(X, s)                                                                                       \
    X((s)->drain, STALL_DRAIN, CYCLE_DRAINING)                                                                         \
    X((s)->sleeping, STALL_SLEEPING, CYCLE_SLEEP)                                                                      \
    X((s)->barrier, STALL_BARRIER, CYCLE_CTA_BARRIER)                                                                  \
    X((s)->membar, STALL_MEMBAR, CYCLE_FENCE)                                                                          \
    X((s)->no_instruction & ~(s)->redirected, STALL_NO_INSTRUCTION, CYCLE_FETCH)                                       \
    X((s)->no_instruction & ~(s)->branch, STALL_NO_INSTRUCTION, CYCLE_BRANCH_FETCH)                                    \
    X((s)->constant, STALL_IMC_MISS, CYCLE_CONSTANT_MISS)                                                              \
    X((s)->branch, STALL_BRANCH_RESOLVING, CYCLE_BRANCH)
#define ATTRIBUTION_OFTEN(X, s)                                                                                        \
    X((s)->stalled, STALL_WAIT, CYCLE_FIXED_RESULT)                                                                    \
    X((s)->long_scoreboard, STALL_LONG_SCOREBOARD, CYCLE_L1TEX_DATA)                                                   \
    X((s)->short_scoreboard &(s)->mio_data, STALL_SHORT_SCOREBOARD, CYCLE_MIO_DATA)                                    \
    X((s)->short_scoreboard, STALL_SHORT_SCOREBOARD, CYCLE_VARIABLE_RESULT)

/* One cycle of a sub-core, or `weight` equal ones. */
struct attribution {
    struct sm *sm;
    unsigned subcore;
    uint64_t weight;
    uint32_t events;                   /* bit e: some warp has event e */
    uint16_t warps[CYCLE_EVENT_COUNT]; /* which; only where events has a bit, and only for lines */
};

static inline void attribution_begin(struct attribution *a, struct sm *sm, unsigned subcore, uint64_t weight)
{
    a->sm = sm;
    a->subcore = subcore;
    a->weight = weight;
    a->events = 0;
}

/* Adds the warps to the instructions they are at; out of line, for runs that ask for it. */
void attribution_lines(struct attribution *a, uint16_t warps, enum stall_reason reason, enum cycle_event event);
void attribution_cycle_line(const struct attribution *a, enum cycle_event event);

static inline void attribute(struct attribution *a, uint32_t warps, enum stall_reason reason, enum cycle_event event)
{
    if (!warps)
        return;
    a->sm->n.stall[reason] += a->weight * popcount32(warps);
    if (a->sm->lines)
        attribution_lines(a, (uint16_t)warps, reason, event);
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

/* Attributes those of the warps for which more than a unit stands in the way, each to the first of its reasons in the
 * order of stalls.def, and returns the others. */
static inline uint32_t attribute_held(struct attribution *a, const struct scheduler *s, uint32_t rest)
{
#define X(set, reason, event)                                                                                          \
    attribute(a, rest &(uint32_t)(set), reason, event);                                                                \
    rest &= ~(uint32_t)(set);
    if (s->drain | s->sleeping | s->barrier | s->membar | s->no_instruction | s->constant | s->branch) {
        ATTRIBUTION_SELDOM(X, s)
    }
    if (rest) {
        ATTRIBUTION_OFTEN(X, s)
    }
#undef X
    return rest;
}

/* A sub-core without a resident warp, on an SM that has one. */
void attribution_no_warp(struct sm *sm, uint64_t weight);

/* The first reason of a warp that is not ready; STALL_NOT_SELECTED when it is. */
enum stall_reason attribution_state(const struct scheduler *s, unsigned warp);

#endif
