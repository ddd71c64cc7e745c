#include "sm/issue/eligibility.h"

#include "base/bits.h"
#include "sm/issue/attribution.h"
#include "sm/sm.h"

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
    gate_close(&sm->gates.subcore[subcore], warp, STALL_IMC_MISS);
    uint64_t turns_away = now + sm->config->core.constant_miss_hold;
    p->scheduler.hold_until = ready < turns_away ? ready : turns_away;
    if (ready == TAGS_COMING)
        p->constants.waiting |= (uint16_t)(1u << warp);
    else
        constant_at(sm, subcore, warp, ready);
    return false;
}

void eligible_constant_delivered(struct sm *sm, unsigned subcore, unsigned warp)
{
    gate_open(&sm->gates.subcore[subcore], warp, STALL_IMC_MISS);
    sm->subcore[subcore].scheduler.delivered |= (uint16_t)(1u << warp);
}

void eligible_constant_arrives(struct sm *sm, unsigned subcore, uint64_t line, uint64_t ready)
{
    struct constant_fl *c = &sm->subcore[subcore].constants;
    for (uint32_t left = c->waiting; left; left &= left - 1) {
        unsigned warp = lowest_bit32(left);
        const struct code *code = &sm->code.code[sm->warp[slot_of(subcore, warp)].pc / 16];
        if (constant_fl_line(c, code->constant_bank, code->constant_offset) != line)
            continue;
        c->waiting &= (uint16_t) ~(1u << warp);
        constant_at(sm, subcore, warp, ready);
    }
}
