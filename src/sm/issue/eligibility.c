#include "sm/issue/eligibility.h"

static void constant_at(const struct eligibility *e, unsigned warp, uint64_t when)
{
    calendar_add(e->to.calendar, when, (struct event){EVENT_CONSTANT, (uint8_t)slot_of(e->to.subcore, warp), 0});
}

bool eligible_look_up(struct eligibility *e, unsigned warp, const struct code *code, uint64_t now)
{
    uint64_t ready;
    if (e->delivered >> warp & 1) {
        e->delivered &= (uint16_t) ~(1u << warp);
        return true;
    }
    uint8_t bank = l15_bank(e->to.warp[slot_of(e->to.subcore, warp)].window, code->constant_bank);
    if (constant_fl_lookup(e->to.constants, bank, code->constant_offset, now, &ready)) {
        e->to.n->constant_hits++;
        return true;
    }
    e->to.n->constant_misses++;
    gate_close(e->to.gate, warp, STALL_IMC_MISS);
    uint64_t turns_away = now + e->to.core->constant_miss_hold;
    gate_hold_constant(e->to.gate, earliest(ready, turns_away));
    if (ready == TAGS_COMING)
        e->waiting |= (uint16_t)(1u << warp);
    else
        constant_at(e, warp, ready);
    return false;
}

void eligible_constant_arrives(struct eligibility *e, uint64_t line, uint64_t ready)
{
    for (uint32_t left = e->waiting; left; left &= left - 1) {
        unsigned warp = lowest_bit32(left);
        const struct sm_warp *w = &e->to.warp[slot_of(e->to.subcore, warp)];
        const struct code *code = &e->to.code->code[w->pc / 16];
        uint8_t bank = l15_bank(w->window, code->constant_bank);
        if (constant_fl_line(e->to.constants, bank, code->constant_offset) != line)
            continue;
        e->waiting &= (uint16_t) ~(1u << warp);
        constant_at(e, warp, ready);
    }
}

void eligible_constant_delivered(struct eligibility *e, unsigned warp)
{
    gate_open(e->to.gate, warp, STALL_IMC_MISS);
    e->delivered |= (uint16_t)(1u << warp);
}
