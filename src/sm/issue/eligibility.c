#include "sm/issue/eligibility.h"

#include "base/bits.h"
#include "sm/issue/attribution.h"
#include "sm/sm.h"

/* What the profiler calls MIO takes special functions and the ADU's instructions too; FP64 is a math pipe, also where
 * the SM shares it. */
static void throttled(struct attribution *a, uint32_t warps, enum issue_class class, uint64_t now)
{
    switch (class) {
    case CLASS_LG: attribute(a, warps, STALL_LG_THROTTLE, CYCLE_LG_QUEUE); return;
    case CLASS_MIO: attribute(a, warps, STALL_MIO_THROTTLE, CYCLE_MIO_QUEUE); return;
    case CLASS_XU:
    case CLASS_ADU: attribute(a, warps, STALL_MIO_THROTTLE, CYCLE_UNIT_QUEUE); return;
    default: break;
    }
    if (class == CLASS_FP64 && a->sm->config->core.fp64_shared)
        attribute(a, warps, STALL_MATH_PIPE_THROTTLE, CYCLE_UNIT_QUEUE);
    else if (now < a->sm->subcore[a->subcore].units.blocked_until)
        attribute(a, warps, STALL_DISPATCH_STALL, CYCLE_RESULT_QUEUE);
    else
        attribute(a, warps, STALL_MATH_PIPE_THROTTLE, CYCLE_UNIT_TAKEN);
}

void eligible_throttled(struct attribution *a, uint32_t warps, uint64_t now)
{
    const struct scheduler *s = &a->sm->subcore[a->subcore].scheduler;
    while (warps) {
        enum issue_class class = (enum issue_class)s->class[lowest_bit32(warps)];
        throttled(a, warps & s->head[class], class, now);
        warps &= ~(uint32_t)s->head[class];
    }
}

static void constant_at(struct sm *sm, unsigned subcore, unsigned warp, uint64_t when)
{
    calendar_add(&sm->calendar, when, (struct event){EVENT_CONSTANT, (uint8_t)slot_of(subcore, warp), 0});
}

bool eligible_look_up(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code, uint64_t now)
{
    struct subcore *p = &sm->subcore[subcore];
    uint64_t ready;
    if (p->scheduler.delivered >> warp & 1) {
        p->scheduler.delivered &= (uint16_t) ~(1u << warp);
        return true;
    }
    if (constant_fl_lookup(sm, subcore, code->constant_bank, code->constant_offset, now, &ready)) {
        sm->n.constant_hits++;
        return true;
    }
    sm->n.constant_misses++;
    p->scheduler.constant |= (uint16_t)(1u << warp);
    uint64_t turns_away = now + sm->config->core.constant_miss_hold;
    p->scheduler.hold_until = ready < turns_away ? ready : turns_away;
    if (ready == TAGS_COMING)
        p->constants.waiting |= (uint16_t)(1u << warp);
    else
        constant_at(sm, subcore, warp, ready);
    return false;
}

void eligible_constant_arrives(struct sm *sm, unsigned subcore, uint64_t line, uint64_t ready)
{
    struct constant_fl *c = &sm->subcore[subcore].constants;
    for (uint32_t left = c->waiting; left; left &= left - 1) {
        unsigned warp = lowest_bit32(left);
        const struct code *code = &sm->code->code[sm->warp[slot_of(subcore, warp)].pc / 16];
        if (constant_fl_line(c, code->constant_bank, code->constant_offset) != line)
            continue;
        c->waiting &= (uint16_t) ~(1u << warp);
        constant_at(sm, subcore, warp, ready);
    }
}
