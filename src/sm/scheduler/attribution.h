/* Where the cycles of a sub-core go. Each resident warp has one state in each cycle (enum stall_reason), and each state
 * amounts to one event of the scheduler (enum cycle_event); among all warps' events the first in the order of
 * cycles.def takes the cycle. docs/stalls.md has the whole picture. */
#ifndef SUBCORE_SM_ATTRIBUTION_H
#define SUBCORE_SM_ATTRIBUTION_H

#include "base/bits.h"
#include "config/config.h"
#include "probe/counters.h"
#include "probe/lines.h"
#include "probe/run_log.h"
#include "sm/code_table.h"
#include "sm/scheduler/scheduler.h"
#include "sm/units.h"

struct sm_warp;

/* The reasons of closed gates, in the order of stalls.def: X(set, reason, event). A taken branch leaves the buffer
 * empty: the scheduler's loss until the target has been fetched is the branch's, where the profiler distinguishes
 * the time until the target is known from that of the fetch. In parts that the host tests at once (scheduler_closed,
 * scheduler_waits). */
#define ATTRIBUTION_0(X, s)                                                                                            \
    X((s)->closed[STALL_DRAIN], STALL_DRAIN, CYCLE_DRAINING)                                                           \
    X((s)->closed[STALL_SLEEPING], STALL_SLEEPING, CYCLE_SLEEP)                                                        \
    X((s)->closed[STALL_BARRIER], STALL_BARRIER, CYCLE_CTA_BARRIER)
#define ATTRIBUTION_1(X, s)                                                                                            \
    X((s)->closed[STALL_MEMBAR], STALL_MEMBAR, CYCLE_FENCE)                                                            \
    X((s)->closed[STALL_WARPGROUP_ARRIVE], STALL_WARPGROUP_ARRIVE, CYCLE_WARPGROUP)                                    \
    X((s)->closed[STALL_NO_INSTRUCTION] & ~(s)->redirected, STALL_NO_INSTRUCTION, CYCLE_FETCH)                         \
    X((s)->closed[STALL_NO_INSTRUCTION] & ~(s)->closed[STALL_BRANCH_RESOLVING], STALL_NO_INSTRUCTION,                  \
      CYCLE_BRANCH_FETCH)                                                                                              \
    X((s)->closed[STALL_IMC_MISS], STALL_IMC_MISS, CYCLE_CONSTANT_MISS)
#define ATTRIBUTION_2(X, s)                                                                                            \
    X((s)->closed[STALL_WAIT], STALL_WAIT, CYCLE_FIXED_RESULT)                                                         \
    X((s)->closed[STALL_BRANCH_RESOLVING], STALL_BRANCH_RESOLVING, CYCLE_BRANCH)
#define ATTRIBUTION_3(X, s)                                                                                            \
    X((s)->closed[STALL_LONG_SCOREBOARD], STALL_LONG_SCOREBOARD, CYCLE_L1TEX_DATA)                                     \
    X((s)->closed[STALL_SHORT_SCOREBOARD] & (s)->mio_data, STALL_SHORT_SCOREBOARD, CYCLE_MIO_DATA)                     \
    X((s)->closed[STALL_SHORT_SCOREBOARD], STALL_SHORT_SCOREBOARD, CYCLE_VARIABLE_RESULT)

/* The source of a sub-core's cycles, and the counters that they go to. */
struct attribution_ports {
    const struct scheduler *scheduler;
    const struct units *units;
    const struct unit_choice *choice;
    const struct sm_warp *warp; /* [SM_WARPS] */
    const struct code_table *code;
    struct line_counters *const *lines; /* of a pointer that is NULL if cycles are not counted by instruction */
    struct window_counters *window;     /* [CODE_WINDOWS] */
    struct run_log *const *log;         /* of a pointer that is NULL if states are not logged (NULL: none) */
    struct sm_counters *n;
    uint16_t *warps; /* [CYCLE_EVENT_COUNT] of the cycle that is attributed, by event; only for lines */
    uint8_t subcore;
};

/* One cycle of a sub-core, or `weight` equal ones. It lies in the host's registers: no function gets its address. */
struct attribution {
    const struct attribution_ports *to;
    uint64_t weight, now;
    uint32_t events; /* bit e: some warp has event e */
    bool apart;      /* cycles are counted by instruction, or by window of code */
};

/* Adds the warps to the instructions they are at, and to their windows. Out of line, for runs that ask for it. `first`:
 * no other warp of this cycle has the event. */
void attribution_apart(const struct attribution_ports *to, uint16_t warps, enum stall_reason reason,
                       enum cycle_event event, bool first, uint64_t now, uint64_t weight);
/* Adds the cycle to the instruction of a warp with the event that takes it. */
void attribution_cycle_line(const struct attribution_ports *to, enum cycle_event event, uint64_t weight);
/* Adds the cycle of all resident warps to their windows. */
void attribution_windows(const struct attribution_ports *to, uint64_t weight);
/* The reason of a warp whose gate is open and whose unit cannot take its instruction, and the event. */
struct attribution_throttle {
    enum stall_reason reason;
    enum cycle_event event;
};

/* Returns those of warps whose unit has a full queue. */
struct attribution_throttle attribution_queue_full(enum issue_class class);

/* Returns those of warps whose unit is of this class. */
static inline struct attribution_throttle attribution_throttle(const struct attribution_ports *to,
                                                               enum issue_class class, uint64_t now)
{
    if (unit_choice_queued(to->choice, class))
        return attribution_queue_full(class);
    if (now < to->units->blocked_until)
        return (struct attribution_throttle){STALL_DISPATCH_STALL, CYCLE_RESULT_QUEUE};
    return (struct attribution_throttle){STALL_MATH_PIPE_THROTTLE, CYCLE_UNIT_TAKEN};
}

static inline __attribute__((always_inline)) void attribute(struct attribution *a, uint32_t warps,
                                                            enum stall_reason reason, enum cycle_event event)
{
    if (!warps)
        return;
    a->to->n->stall[reason] += a->weight * popcount32(warps);
    if (a->apart)
        attribution_apart(a->to, (uint16_t)warps, reason, event, !(a->events >> event & 1), a->now, a->weight);
    a->events |= UINT32_C(1) << event;
}

/* Attributes the warps whose gate is closed, each to the first of its reasons in the order of stalls.def, and returns
 * the others. */
static inline __attribute__((always_inline)) uint32_t attribute_closed(struct attribution *a, const struct scheduler *s,
                                                                       uint32_t rest)
{
    uint32_t warps;
#define X(set, reason, event)                                                                                          \
    warps = rest & (uint32_t)(set);                                                                                    \
    attribute(a, warps, reason, event);                                                                                \
    rest ^= warps;
    if (scheduler_closed(s, 0)) {
        ATTRIBUTION_0(X, s)
    }
    if (scheduler_closed(s, 1)) {
        ATTRIBUTION_1(X, s)
    }
    if (scheduler_closed(s, 2)) {
        ATTRIBUTION_2(X, s)
    }
    if (scheduler_waits(s)) {
        ATTRIBUTION_3(X, s)
    }
#undef X
    return rest;
}

/* Begins to attribute a cycle: all warps but those that are eligible. */
static inline __attribute__((always_inline)) struct attribution
attribution_begin(const struct attribution_ports *to, uint32_t eligible, uint64_t now, uint64_t weight)
{
    const struct scheduler *s = to->scheduler;
    struct attribution a = {to, weight, now, 0, *to->lines || to->code->windows > 1};
    to->n->subcore_cycles_active += weight;
    to->n->warp_cycles += weight * s->residents;
    if (a.apart)
        attribution_windows(to, weight);
    uint32_t others = s->resident & ~eligible;
    if (others)
        others = attribute_closed(&a, s, others);
    while (others) {
        enum issue_class class = (enum issue_class)s->class[lowest_bit32(others)];
        struct attribution_throttle throttle = attribution_throttle(to, class, now);
        attribute(&a, others & s->head[class], throttle.reason, throttle.event);
        others &= ~(uint32_t)s->head[class];
    }
    return a;
}

/* Ends it: every resident warp has been attributed, and there is one. */
static inline void attribution_end(const struct attribution *a)
{
    enum cycle_event event = (enum cycle_event)lowest_bit32(a->events);
    a->to->n->cycle[event] += a->weight;
    if (*a->to->lines)
        attribution_cycle_line(a->to, event, a->weight);
}

/* Attributes cycle `now`, in which nothing could issue, as one of `weight` equal ones. */
void attribute_idle(const struct attribution_ports *to, uint32_t eligible, uint64_t now, uint64_t weight);

/* Attributes cycles of a sub-core without a resident warp, on an SM that has one. */
static inline void attribute_no_warp(const struct attribution_ports *to, uint64_t weight)
{
    to->n->cycle[CYCLE_NO_WARP] += weight;
    if (*to->lines)
        (*to->lines)[to->code->count].cycle[CYCLE_NO_WARP] += weight;
}

/* Returns the first reason of a warp that is not ready; STALL_NOT_SELECTED when it is. */
enum stall_reason attribution_state(const struct scheduler *s, unsigned warp);

#endif
