/* Which warps can issue (MICRO 2025 paper, readiness of warps), and where each condition is kept:
 *
 *   1  a decoded instruction at the head of the buffer          gate: NO_INSTRUCTION, BRANCH_RESOLVING
 *   2  stall count run out, not yielding                        gate: WAIT, by control_bits.h
 *   3  wait mask, DEPBAR                                        gate: LONG_SCOREBOARD, SHORT_SCOREBOARD, by
 *                                                               dependence.h
 *   4  fixed latency: input latch of the unit free,             units.h, at each check
 *      constant operand in the L0                               constant_fl.h, of the chosen warp
 *   5  otherwise: a place in the queue of the unit              dispatch.h, at each check
 *   6  not at a barrier; nor at a fence, asleep, or at its end  gate: BARRIER, MEMBAR, SLEEPING, DRAIN
 *   7  wgmma: a place for another product of the warp. A wait   warpgroup_unit.h; gate: WARPGROUP_ARRIVE
 *      for products is over
 *
 * Read ports of the register file are no condition: ALLOCATE waits for them. */
#ifndef SUBCORE_SM_ELIGIBILITY_H
#define SUBCORE_SM_ELIGIBILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/order.h"
#include "sm/calendar.h"
#include "sm/execute/dispatch.h"
#include "sm/front/constant_fl.h"
#include "sm/scheduler/warp_gate.h"
#include "sm/warp.h"

struct eligibility {
    struct eligibility_ports {
        const struct warp_gate *gate;
        const struct dispatch *dispatch;
        struct constant_fl *constants;
        const struct sm_warp *warp; /* [SM_WARPS] */
        const struct code_table *code;
        struct calendar *calendar;
        const struct config_core *core;
        struct sm_counters *n;
        uint8_t subcore;
    } to;
    uint16_t waiting;   /* warps whose constant line is coming */
    uint16_t delivered; /* their constant has come: it is theirs even if its line is gone */
};

static inline void eligibility_begin(struct eligibility *e) { e->waiting = e->delivered = 0; }

struct eligible {
    uint32_t warps;      /* they meet all conditions but that of the constant operand */
    uint64_t units_from; /* a unit that others wait for is free (UINT64_MAX: no unit frees itself by time) */
};

static inline struct eligible eligible_warps(const struct eligibility *e, uint64_t now)
{
    const struct scheduler *s = e->to.gate->scheduler;
    struct eligible out = {s->resident & ~scheduler_held(s), UINT64_MAX};
    for (uint32_t left = out.warps; left;) { /* class by class */
        enum issue_class class = (enum issue_class)s->class[lowest_bit32(left)];
        uint32_t candidates = left & s->head[class];
        uint64_t from = dispatch_free(e->to.dispatch, class);
        left &= ~candidates;
        if (from > now) {
            out.warps &= ~candidates;
            out.units_from = earliest(out.units_from, from);
        }
    }
    if (!out.warps)
        return out;
    uint32_t memory = out.warps & (uint32_t)(s->head[CLASS_LG] | s->head[CLASS_MIO]);
    if (out.warps & s->head[CLASS_WARPGROUP])
        out.warps &= ~((uint32_t)s->head[CLASS_WARPGROUP] & *e->to.dispatch->products_full);
    if (memory & (memory - 1))
        out.warps = (out.warps & ~memory) | dispatch_admits(e->to.dispatch, memory);
    return out;
}

/* The chosen warp's constant operand of a fixed-latency instruction is looked up at issue. On a miss nothing
 * issues for some cycles, then the scheduler turns to other warps until the line is there (MICRO 2025 paper, constant
 * caches). */
bool eligible_look_up(struct eligibility *e, unsigned warp, const struct code *code, uint64_t now);

/* The chosen warp's operand is in the line of the last hit, and the warp has not waited for it. */
static inline bool eligible_again(const struct eligibility *e, unsigned warp, const struct code *code)
{
    uint8_t window = e->to.warp[slot_of(e->to.subcore, warp)].window;
    return !(e->delivered >> warp & 1) &&
           constant_fl_again(e->to.constants, l15_bank(window, code->constant_bank), code->constant_offset);
}

/* The condition of the chosen warp's constant operand, which is at `code`. A warp that misses is not chosen again
 * before the constant has come. */
static inline bool eligible_constant(struct eligibility *e, unsigned warp, const struct code *code, uint64_t now)
{
    bool asks = (code->flags & (CODE_CONSTANT | CODE_FIXED)) == (CODE_CONSTANT | CODE_FIXED);
    if (!asks)
        return true;
    if (!eligible_again(e, warp, code))
        return eligible_look_up(e, warp, code, now);
    e->to.n->constant_hits++;
    return true;
}

/* A line of constants that came from the L2 is there from cycle `ready` on: warps that wait for it go on then. */
void eligible_constant_arrives(struct eligibility *e, uint64_t line, uint64_t ready);

/* EVENT_CONSTANT: the constant that the warp waits for has arrived. */
void eligible_constant_delivered(struct eligibility *e, unsigned warp);

#endif
