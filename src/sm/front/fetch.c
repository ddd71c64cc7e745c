#include "sm/front/fetch.h"

#include "base/bits.h"
#include "sm/issue/issue.h"
#include "sm/sm.h"

static void update_room(const struct sm *sm, struct fetch *f, const struct sm_warp *w, unsigned warp)
{
    unsigned held = (unsigned)w->ib.decoded + w->ib.in_flight;
    bool room = held < sm->config->core.instruction_buffer && w->ib.fetch_pc / 16 < sm->code.count && !w->exited;
    scheduler_set(&f->room, warp, room);
}

void fetch_redirect(struct sm *sm, unsigned subcore, unsigned warp, uint32_t pc)
{
    struct sm_warp *w = &sm->warp[slot_of(subcore, warp)];
    struct subcore *p = &sm->subcore[subcore];
    w->ib.fetch_pc = pc;
    w->ib.decoded = w->ib.in_flight = 0;
    w->ib.epoch++;
    p->fetch.waiting &= (uint16_t) ~(1u << warp);
    gate_close(&sm->gates.subcore[subcore], warp, STALL_NO_INSTRUCTION);
    update_room(sm, &p->fetch, w, warp);
}

void fetch_consume(struct sm *sm, unsigned subcore, unsigned warp)
{
    struct sm_warp *w = &sm->warp[slot_of(subcore, warp)];
    struct subcore *p = &sm->subcore[subcore];
    if (--w->ib.decoded == 0)
        gate_close(&sm->gates.subcore[subcore], warp, STALL_NO_INSTRUCTION);
    update_room(sm, &p->fetch, w, warp);
}

void fetch_stop(struct sm *sm, unsigned subcore, unsigned warp)
{
    struct fetch *f = &sm->subcore[subcore].fetch;
    f->room &= (uint16_t) ~(1u << warp);
    f->waiting &= (uint16_t) ~(1u << warp);
    sm->warp[slot_of(subcore, warp)].ib.epoch++;
}

bool fetch_decode(struct sm *sm, unsigned subcore, uint64_t now)
{
    struct subcore *p = &sm->subcore[subcore];
    bool moved = false;
    while (decode_stage_ready(&p->fetch.decode, now)) {
        struct decoding d = *decode_stage_front(&p->fetch.decode);
        decode_stage_pop(&p->fetch.decode);
        struct sm_warp *w = &sm->warp[slot_of(subcore, d.warp)];
        moved = true;
        if (d.epoch != w->ib.epoch)
            continue;
        w->ib.in_flight--;
        w->ib.decoded++;
        gate_open(&sm->gates.subcore[subcore], d.warp, STALL_NO_INSTRUCTION);
    }
    return moved;
}

static void wake_at(struct sm *sm, unsigned subcore, unsigned warp, uint64_t when)
{
    uint8_t slot = (uint8_t)slot_of(subcore, warp);
    calendar_add(&sm->calendar, when, (struct event){EVENT_FETCH, slot, sm->warp[slot].ib.epoch});
}

void fetch_line_arrives(struct sm *sm, unsigned subcore, uint64_t line, uint64_t when)
{
    const struct subcore *p = &sm->subcore[subcore];
    for (uint32_t left = p->fetch.waiting; left; left &= left - 1) {
        unsigned warp = lowest_bit32(left);
        if (sm->warp[slot_of(subcore, warp)].ib.fetch_pc >> p->l0i.line_shift == line)
            wake_at(sm, subcore, warp, when);
    }
}

void fetch_resume(struct sm *sm, unsigned subcore, unsigned warp, uint8_t epoch)
{
    if (epoch != sm->warp[slot_of(subcore, warp)].ib.epoch)
        return;
    gate_wake(&sm->gates.subcore[subcore]);
    sm->subcore[subcore].fetch.waiting &= (uint16_t) ~(1u << warp);
}

bool fetch_cycle(struct sm *sm, unsigned subcore, uint64_t now)
{
    struct subcore *p = &sm->subcore[subcore];
    uint16_t candidates = p->fetch.room & (uint16_t) ~(p->fetch.waiting | p->scheduler.closed[STALL_BRANCH_RESOLVING]);
    if (!candidates || decode_stage_full(&p->fetch.decode))
        return false;
    bool one = (candidates & (candidates - 1)) == 0;
    unsigned warp = one ? lowest_bit32(candidates) : (unsigned)cggty_choose(&p->scheduler, candidates);
    struct sm_warp *w = &sm->warp[slot_of(subcore, warp)];
    uint64_t ready = now;
    if (l0i_known(&p->l0i, w->ib.fetch_pc))
        sm->n.l0i_hits++;
    else
        ready = l0i_fetch(sm, subcore, w->ib.fetch_pc, now);
    if (ready > now) {
        p->fetch.waiting |= (uint16_t)(1u << warp);
        if (ready != TAGS_COMING)
            wake_at(sm, subcore, warp, ready);
        return true;
    }
    *decode_stage_push(&p->fetch.decode, now + sm->config->core.fetch_to_issue) =
        (struct decoding){(uint8_t)warp, w->ib.epoch};
    w->ib.in_flight++;
    w->ib.fetch_pc += 16;
    update_room(sm, &p->fetch, w, warp);
    return true;
}
