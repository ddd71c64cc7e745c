/* Which warps can issue (MICRO 2025 paper, readiness of warps), and where each condition is kept:
 *
 *   1  a decoded instruction at the head of the buffer          scheduler.no_instruction, .branch
 *   2  stall count run out, not yielding                        scheduler.stalled, by control_bits.h
 *   3  wait mask, DEPBAR                                        scheduler.long_scoreboard, .short_scoreboard,
 *                                                               by dependence.h
 *   4  fixed latency: input latch of the unit free,             units.h, at each check
 *      constant operand in the L0                               constant_fl.h, of the chosen warp
 *   5  otherwise: a place in the queue of the unit              dispatch.h, at each check
 *   6  not at a barrier; nor at a fence, asleep, or at its end  scheduler.barrier, .membar, .sleeping, .drain
 *
 * Read ports of the register file are no condition: ALLOCATE waits for them. */
#ifndef SUBCORE_SM_ELIGIBILITY_H
#define SUBCORE_SM_ELIGIBILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/execute/dispatch.h"
#include "sm/issue/attribution.h"

struct eligibility {
    uint32_t warps;      /* they meet all conditions but that of the constant operand */
    uint64_t units_from; /* a unit that others wait for is free; UINT64_MAX: nobody waits for time to pass there */
};

static inline struct eligibility eligible_warps(const struct sm *sm, const struct subcore *p, uint64_t now)
{
    const struct scheduler *s = &p->scheduler;
    struct eligibility out = {s->resident & ~scheduler_held(s), UINT64_MAX};
    for (uint32_t left = out.warps; left;) { /* class by class */
        enum issue_class class = (enum issue_class)s->class[lowest_bit32(left)];
        uint32_t candidates = left & s->head[class];
        uint64_t from = dispatch_free(sm, p, class);
        left &= ~candidates;
        if (from > now) {
            out.warps &= ~candidates;
            out.units_from = from < out.units_from ? from : out.units_from;
        }
    }
    return out;
}

/* The constant operand of a fixed-latency instruction of the chosen warp is looked up at issue. On a miss nothing
 * issues for some cycles, then the scheduler turns to other warps until the line is there (MICRO 2025 paper, constant
 * caches). */
bool eligible_look_up(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code, uint64_t now);

/* The condition of the constant operand, of the chosen warp, which is at `code`. A warp that misses is not chosen again
 * before the constant has come. */
static inline bool eligible_constant(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code,
                                     uint64_t now)
{
    bool asks = (code->flags & (CODE_CONSTANT | CODE_FIXED)) == (CODE_CONSTANT | CODE_FIXED);
    return !asks || eligible_look_up(sm, subcore, warp, code, now);
}

/* EVENT_CONSTANT: the constant that the warp waits for is there, and the warp's even if the line goes. */
void eligible_constant_delivered(struct sm *sm, unsigned subcore, unsigned warp);

/* A line of constants that came from the L2 is there from cycle `ready` on: warps that wait for it go on then. */
void eligible_constant_arrives(struct sm *sm, unsigned subcore, uint64_t line, uint64_t ready);

#endif
