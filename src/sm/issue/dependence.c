#include "sm/issue/dependence.h"

void dependence_begin(struct dependence *d) { d->increments.head = d->increments.tail = 0; }

static struct sm_warp *warp_of(const struct dependence *d, unsigned warp)
{
    return &d->to.warp[slot_of(d->to.subcore, warp)];
}

static struct scoreboard *scoreboard_of(const struct dependence *d, unsigned warp)
{
    return &(*d->to.scoreboard)[slot_of(d->to.subcore, warp)];
}

void dependence_start(struct dependence *d, unsigned warp)
{
    warp_of(d, warp)->counters = (struct dependence_counters){0};
    if (d->to.code->scoreboard)
        scoreboard_clear(scoreboard_of(d, warp));
}

/* ---- the next instruction ---------------------------------------------------------------------------------------- */

/* The scoreboard's reason to hold it back: until an event, or until a cycle that is known. */
static void wait_by_scoreboard(struct dependence *d, unsigned warp, const struct code *code, struct gate_results *wait,
                               uint64_t now)
{
    struct scoreboard *board = scoreboard_of(d, warp);
    const struct code_registers *r = code_registers_of(d->to.code, code);
    struct scoreboard_wait found = scoreboard_wait(board, r);
    uint64_t ready = scoreboard_ready(board, r, now);
    wait->global |= found.global;
    wait->other |= found.any && !found.global;
    wait->mio |= found.mio;
    if (ready > now + 1 && !scheduler_stalled_until(d->to.gate->scheduler, warp, ready))
        gate_close_until(d->to.gate, warp, ready);
}

void dependence_update(struct dependence *d, unsigned warp, uint64_t now)
{
    enum { NO_GROUP = 1 << 7 }; /* beside the bits of counters */
    struct sm_warp *w = warp_of(d, warp);
    const struct code *code = &d->to.code->code[w->pc / 16];
    uint8_t waits = dependence_counters_free(&w->counters) ? 0 : dependence_counters_waits(&w->counters, code);
    if ((code->flags & CODE_ASYNC_GROUP) && code->write_sb != ISA_NO_SB && async_groups_full(&w->async))
        waits |= (uint8_t)(1u << code->write_sb);
    if (code->mbarrier == CODE_MBARRIER_COPIES && async_groups_full(&w->async))
        waits |= NO_GROUP;
    struct gate_results wait = {waits & w->counters.global, waits & ~w->counters.global, waits & w->counters.mio};
    if (d->to.code->scoreboard)
        wait_by_scoreboard(d, warp, code, &wait, now);
    gate_set_results(d->to.gate, warp, wait);
}

/* ---- events of an instruction ------------------------------------------------------------------------------------ */

/* Its result is late by the cycles for which ALLOCATE, two cycles after issue, has held it. */
static void issue_to_scoreboard(struct dependence *d, unsigned warp, const struct code *code, uint64_t now)
{
    uint64_t held = 0;
    if (code->flags & CODE_FIXED) {
        uint64_t allocated = d->to.registers->allocate_free - 1;
        held = allocated - (now + ISSUE_TO_ALLOCATE);
        retire_sources_read(d->to.retire, slot_of(d->to.subcore, warp), code, allocated + code->window + 1);
    }
    scoreboard_issue(scoreboard_of(d, warp), code_registers_of(d->to.code, code), code, now + held,
                     d->to.core->scoreboard_consumers);
}

void dependence_issue(struct dependence *d, unsigned warp, const struct code *code, uint64_t now)
{
    struct dependence_counters *counters = &warp_of(d, warp)->counters;
    bool scoreboard = d->to.code->scoreboard;
    if (scoreboard)
        issue_to_scoreboard(d, warp, code, now);
    if ((code->flags & CODE_DEPBAR) && scoreboard) {
        dependence_counters_hold(counters, code); /* no stall count keeps the next one back */
    } else if (code->flags & CODE_DEPBAR) {
        bool pascal = d->to.core->issue_width > 1;
        counters->under_way++;
        calendar_add(
            d->to.calendar, now + (pascal ? ISA_DEPBAR_HOLDS_60 : ISA_DEPBAR_HOLDS),
            (struct event){EVENT_DEPBAR, (uint8_t)slot_of(d->to.subcore, warp), (uint32_t)(code - d->to.code->code)});
    }
    if (code->write_sb == ISA_NO_SB && code->read_sb == ISA_NO_SB)
        return;
    counters->under_way++;
    *increments_push(&d->increments, now + ISA_COUNTER_VISIBLE) =
        (struct increment){(uint8_t)warp, code->write_sb, code->read_sb, (uint8_t)counted_of(code)};
}

bool dependence_control(struct dependence *d, uint64_t now)
{
    struct increments *ring = &d->increments;
    bool moved = false;
    while (increments_ready(ring, now)) {
        struct increment i = *increments_front(ring);
        increments_pop(ring);
        struct sm_warp *w = warp_of(d, i.warp);
        dependence_counters_raise(&w->counters, i.write_sb, i.by);
        dependence_counters_raise(&w->counters, i.read_sb, i.by);
        w->counters.under_way--;
        if (!w->exited)
            dependence_update(d, i.warp, now);
        moved = true;
    }
    return moved;
}

static void begin_to_hold(struct dependence_counters *counters, const struct code *depbar)
{
    counters->under_way--;
    dependence_counters_hold(counters, depbar);
}

void dependence_event(struct dependence *d, struct event event, uint64_t now)
{
    struct sm_warp *w = &d->to.warp[event.slot];
    const struct code_table *code = d->to.code;
    unsigned warp = slot_warp(event.slot);
    if (event.kind == EVENT_SB_RELEASE)
        dependence_counters_lower(&w->counters, (uint8_t)event.a);
    else if (event.kind == EVENT_DEPBAR)
        begin_to_hold(&w->counters, &code->code[event.a]);
    else if (event.kind == EVENT_SOURCES_READ)
        scoreboard_read(scoreboard_of(d, warp), &code->registers[event.a]);
    else
        scoreboard_written(scoreboard_of(d, warp), &code->registers[event.a]);
    if (w->exited)
        retire_warp_drained(d->to.retire, event.slot);
    else
        dependence_update(d, warp, now);
}

bool dependence_idle(const struct dependence *d, unsigned warp)
{
    return dependence_counters_idle(&warp_of(d, warp)->counters) &&
           !(d->to.code->scoreboard && scoreboard_of(d, warp)->under_way);
}
