/* Warp gates of a sub-core: the port through which units close and open warps for a reason. A warp whose gate is open
 * for every reason of STALL_GATES can issue as soon as its unit takes the instruction. Nothing else writes the
 * scheduler's sets.
 *
 * Each change ends the sub-core's nap first. A unit that changes its answer to eligibility (a place in its queue)
 * calls gate_wake before the change. */
#ifndef SUBCORE_SM_WARP_GATE_H
#define SUBCORE_SM_WARP_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/scheduler/nap.h"
#include "sm/scheduler/scheduler.h"
#include "sm/slot.h"

struct warp_gate {
    struct scheduler *scheduler;
    struct nap *nap;
};

/* The gates of an SM, by sub-core. */
struct warp_gates {
    struct warp_gate subcore[SM_SUBCORES];
};

/* Ends the nap of the sub-core, if it naps. */
static inline void gate_wake(const struct warp_gate *g)
{
    if (g->nap->until)
        nap_over(g->nap);
}

/* Closes or opens the gate of a warp for this reason, one of STALL_GATES. */
static inline void gate_set(const struct warp_gate *g, unsigned warp, enum stall_reason reason, bool closed)
{
    gate_wake(g);
    scheduler_set(&g->scheduler->closed[reason], warp, closed);
}
static inline void gate_close(const struct warp_gate *g, unsigned warp, enum stall_reason reason)
{
    gate_set(g, warp, reason, true);
}
static inline void gate_open(const struct warp_gate *g, unsigned warp, enum stall_reason reason)
{
    gate_set(g, warp, reason, false);
}

/* The same for a warp slot of the SM. */
static inline void gates_close(const struct warp_gates *g, uint32_t slot, enum stall_reason reason)
{
    gate_close(&g->subcore[slot_subcore(slot)], slot_warp(slot), reason);
}
static inline void gates_open(const struct warp_gates *g, uint32_t slot, enum stall_reason reason)
{
    gate_open(&g->subcore[slot_subcore(slot)], slot_warp(slot), reason);
}

/* Closes the gate of a warp until cycle `until`, when time opens it. */
static inline void gate_close_until(const struct warp_gate *g, unsigned warp, uint64_t until)
{
    gate_wake(g);
    scheduler_stall(g->scheduler, warp, until);
}

/* CONTROL takes the next instruction of the sub-core from `ports_until` on, and `bubble` cycles later. */
static inline void gate_hold_control(const struct warp_gate *g, uint64_t ports_until, uint64_t bubble)
{
    g->scheduler->ports_until = ports_until;
    g->scheduler->issue_free = ports_until + bubble;
}

/* No warp of the sub-core issues before `until`: a constant is waited for. */
static inline void gate_hold_constant(const struct warp_gate *g, uint64_t until) { g->scheduler->hold_until = until; }

/* The waits for results of earlier instructions. */
struct gate_results {
    bool global; /* an access to global or local memory */
    bool other;
    bool mio; /* one of these is shared memory or LDC */
};

static inline void gate_set_results(const struct warp_gate *g, unsigned warp, struct gate_results wait)
{
    gate_wake(g);
    scheduler_set(&g->scheduler->closed[STALL_LONG_SCOREBOARD], warp, wait.global);
    scheduler_set(&g->scheduler->closed[STALL_SHORT_SCOREBOARD], warp, wait.other);
    scheduler_set(&g->scheduler->mio_data, warp, wait.mio);
}

/* Notes that the last instruction of a warp was a taken branch, or not. */
static inline void gate_redirect(const struct warp_gate *g, unsigned warp, bool redirected)
{
    gate_wake(g);
    scheduler_set(&g->scheduler->redirected, warp, redirected);
}

/* Notes the class of a warp's next instruction. */
static inline void gate_set_class(const struct warp_gate *g, unsigned warp, enum issue_class class)
{
    gate_wake(g);
    scheduler_set_class(g->scheduler, warp, class);
}

/* Tells the scheduling policy, if it cares, that a load of a warp slot misses the L1. */
static inline void gates_missed(const struct warp_gates *g, uint32_t slot, uint64_t line)
{
    const struct warp_gate *gate = &g->subcore[slot_subcore(slot)];
    if (!(gate->scheduler->told >> SCHEDULER_MISSES & 1))
        return;
    gate_wake(gate);
    scheduler_tell(gate->scheduler, SCHEDULER_MISSES, slot_warp(slot), line);
}

/* Makes a warp resident. `age` grows with every warp that starts on the SM. */
void gate_start(const struct warp_gate *g, unsigned warp, uint64_t age);
/* Takes a warp out of every set. */
void gate_retire(const struct warp_gate *g, unsigned warp);

#endif
