#include "sm/front/fetch.h"

#include "base/bits.h"
#include "sm/warp.h"

const struct fetch_order_policy *fetch_order_policy(enum config_fetch_order order)
{
#define ENTRY(constant, word, summary, policy) [CONFIG_##constant] = &policy,
    static const struct fetch_order_policy *const all[] = {POLICIES_FETCH_ORDER(ENTRY)};
#undef ENTRY
    return all[order];
}

void fetch_begin(struct fetch *f)
{
    f->room = f->waiting = 0;
    f->decode.head = f->decode.tail = 0;
}

static struct sm_warp *warp_of(const struct fetch *f, unsigned warp)
{
    return &f->to.warp[slot_of(f->to.subcore, warp)];
}

static void update_room(struct fetch *f, const struct sm_warp *w, unsigned warp)
{
    unsigned held = (unsigned)w->ib.decoded + w->ib.in_flight;
    bool room = held < f->to.core->instruction_buffer && w->ib.fetch_pc < w->code_end && !w->exited;
    scheduler_set(&f->room, warp, room);
}

void fetch_redirect(struct fetch *f, unsigned warp, uint32_t pc)
{
    struct sm_warp *w = warp_of(f, warp);
    w->ib.fetch_pc = pc;
    w->ib.decoded = w->ib.in_flight = 0;
    w->ib.delivered = false;
    w->ib.epoch++;
    f->waiting &= (uint16_t) ~(1u << warp);
    gate_close(f->to.gate, warp, STALL_NO_INSTRUCTION);
    update_room(f, w, warp);
}

void fetch_stop(struct fetch *f, unsigned warp)
{
    f->room &= (uint16_t) ~(1u << warp);
    f->waiting &= (uint16_t) ~(1u << warp);
    warp_of(f, warp)->ib.epoch++;
}

bool fetch_decode(struct fetch *f, uint64_t now)
{
    bool moved = false;
    while (decode_stage_ready(&f->decode, now)) {
        struct decoding d = *decode_stage_front(&f->decode);
        decode_stage_pop(&f->decode);
        struct sm_warp *w = warp_of(f, d.warp);
        moved = true;
        if (d.epoch != w->ib.epoch)
            continue;
        w->ib.in_flight--;
        w->ib.decoded++;
        gate_open(f->to.gate, d.warp, STALL_NO_INSTRUCTION);
    }
    return moved;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void resume_at(struct fetch *f, unsigned warp, uint64_t when)
{
    uint8_t slot = (uint8_t)slot_of(f->to.subcore, warp);
    calendar_add(f->to.calendar, when, (struct event){EVENT_FETCH, slot, f->to.warp[slot].ib.epoch});
}

void fetch_line_arrives(struct fetch *f, uint64_t line, uint64_t when)
{
    for (uint32_t left = f->waiting; left; left &= left - 1) {
        unsigned warp = lowest_bit32(left);
        if (l0i_line(f->to.l0i, warp_of(f, warp)->ib.fetch_pc) == line)
            resume_at(f, warp, when);
    }
}

void fetch_resume(struct fetch *f, unsigned warp, uint8_t epoch)
{
    if (epoch != warp_of(f, warp)->ib.epoch)
        return;
    gate_wake(f->to.gate);
    f->waiting &= (uint16_t) ~(1u << warp);
    warp_of(f, warp)->ib.delivered = true;
}

void fetch_branch_resolved(struct fetch *f, unsigned warp, uint8_t epoch)
{
    if (epoch == warp_of(f, warp)->ib.epoch)
        gate_open(f->to.gate, warp, STALL_BRANCH_RESOLVING);
}

/* ---- a cycle ----------------------------------------------------------------------------------------------------- */

bool fetch_one(struct fetch *f, uint16_t candidates, uint64_t now)
{
    bool one = (candidates & (candidates - 1)) == 0;
    unsigned warp =
        one ? lowest_bit32(candidates) : (unsigned)f->to.order->choose(f->to.gate->scheduler, candidates, now);
    struct sm_warp *w = warp_of(f, warp);
    uint64_t ready = now;
    if (l0i_known(f->to.l0i, w->ib.fetch_pc))
        f->to.n->l0i_hits++;
    else
        ready = l0i_fetch(f->to.l0i, w->ib.fetch_pc, now);
    if (ready > now && !w->ib.delivered) {
        f->waiting |= (uint16_t)(1u << warp);
        if (ready != TAGS_COMING)
            resume_at(f, warp, ready);
        return true;
    }
    *decode_stage_push(&f->decode, now + f->to.core->fetch_to_issue) = (struct decoding){(uint8_t)warp, w->ib.epoch};
    w->ib.in_flight++;
    w->ib.delivered = false;
    w->ib.fetch_pc += 16;
    update_room(f, w, warp);
    return true;
}
