#include "sm/issue/dependence.h"

#include "sm/issue/issue.h"
#include "sm/issue/scoreboard.h"
#include "sm/sm.h"

static const struct code_registers *registers_of(const struct sm *sm, const struct code *code)
{
    return code_registers_of(&sm->code, code);
}

void dependence_start(struct sm *sm, uint32_t slot)
{
    sm->warp[slot].counters = (struct dependence_counters){0};
    if (sm->code.scoreboard)
        scoreboard_clear(&sm->scoreboard[slot]);
}

/* ---- the next instruction ---------------------------------------------------------------------------------------- */

/* What the scoreboard holds it back for: until an event, or until a cycle that is known. */
static void wait_by_scoreboard(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code,
                               struct gate_results *wait)
{
    struct scoreboard *board = &sm->scoreboard[slot_of(subcore, warp)];
    const struct code_registers *r = registers_of(sm, code);
    struct scoreboard_wait found = scoreboard_wait(board, r);
    uint64_t ready = scoreboard_ready(board, r, sm->now);
    wait->global |= found.global;
    wait->other |= found.any && !found.global;
    wait->mio |= found.mio;
    if (ready > sm->now + 1 && !scheduler_stalled_until(&sm->subcore[subcore].scheduler, warp, ready))
        gate_close_until(&sm->gates.subcore[subcore], warp, ready);
}

void dependence_update(struct sm *sm, unsigned subcore, unsigned warp)
{
    struct sm_warp *w = &sm->warp[slot_of(subcore, warp)];
    const struct code *code = &sm->code.code[w->pc / 16];
    uint8_t waits = dependence_counters_free(&w->counters) ? 0 : dependence_counters_waits(&w->counters, code);
    if ((code->flags & CODE_ASYNC_GROUP) && code->write_sb != ISA_NO_SB && async_groups_full(&w->async))
        waits |= (uint8_t)(1u << code->write_sb);
    struct gate_results wait = {waits & w->counters.global, waits & ~w->counters.global, waits & w->counters.mio};
    if (sm->code.scoreboard)
        wait_by_scoreboard(sm, subcore, warp, code, &wait);
    gate_set_results(&sm->gates.subcore[subcore], warp, wait);
}

/* ---- what happens to an instruction ------------------------------------------------------------------------------ */

/* Its result comes later by what ALLOCATE, which it reaches two cycles after issue, has held it for. */
static void issue_to_scoreboard(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code, uint64_t now)
{
    uint64_t held = 0;
    if (code->flags & CODE_FIXED) {
        uint64_t allocated = sm->subcore[subcore].registers.allocate_free - 1;
        held = allocated - (now + ISSUE_TO_ALLOCATE);
        retire_sources_read(&sm->retire, slot_of(subcore, warp), code, allocated + code->window + 1);
    }
    scoreboard_issue(&sm->scoreboard[slot_of(subcore, warp)], registers_of(sm, code), code, now + held,
                     sm->config->core.scoreboard_consumers);
}

void dependence_issue(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code, uint64_t now)
{
    uint32_t slot = slot_of(subcore, warp);
    if (sm->code.scoreboard)
        issue_to_scoreboard(sm, subcore, warp, code, now);
    if ((code->flags & CODE_DEPBAR) && sm->code.scoreboard) {
        dependence_counters_hold(&sm->warp[slot].counters, code); /* no stall count keeps the next one back */
    } else if (code->flags & CODE_DEPBAR) {
        sm->warp[slot].counters.under_way++;
        calendar_add(&sm->calendar, now + SB_DEPBAR,
                     (struct event){EVENT_DEPBAR, (uint8_t)slot, (uint32_t)(code - sm->code.code)});
    }
    if (code->write_sb == ISA_NO_SB && code->read_sb == ISA_NO_SB)
        return;
    sm->warp[slot].counters.under_way++;
    *increments_push(&sm->subcore[subcore].increments, now + SB_VISIBLE) =
        (struct increment){(uint8_t)warp, code->write_sb, code->read_sb, (uint8_t)counted_of(code)};
}

bool dependence_control(struct sm *sm, unsigned subcore, uint64_t now)
{
    struct increments *ring = &sm->subcore[subcore].increments;
    bool moved = false;
    while (increments_ready(ring, now)) {
        struct increment i = *increments_front(ring);
        increments_pop(ring);
        struct sm_warp *w = &sm->warp[slot_of(subcore, i.warp)];
        dependence_counters_raise(&w->counters, i.write_sb, i.by);
        dependence_counters_raise(&w->counters, i.read_sb, i.by);
        w->counters.under_way--;
        if (!w->exited)
            dependence_update(sm, subcore, i.warp);
        moved = true;
    }
    return moved;
}

static void begin_to_hold(struct dependence_counters *counters, const struct code *depbar)
{
    counters->under_way--;
    dependence_counters_hold(counters, depbar);
}

void dependence_event(struct sm *sm, struct event event)
{
    struct sm_warp *w = &sm->warp[event.slot];
    if (event.kind == EVENT_SB_RELEASE)
        dependence_counters_lower(&w->counters, (uint8_t)event.a);
    else if (event.kind == EVENT_DEPBAR)
        begin_to_hold(&w->counters, &sm->code.code[event.a]);
    else if (event.kind == EVENT_SOURCES_READ)
        scoreboard_read(&sm->scoreboard[event.slot], &sm->code.registers[event.a]);
    else
        scoreboard_written(&sm->scoreboard[event.slot], &sm->code.registers[event.a]);
    if (w->exited)
        issue_try_retire(sm, event.slot);
    else
        dependence_update(sm, event.slot % SM_SUBCORES, event.slot / SM_SUBCORES);
}

bool dependence_idle(const struct sm *sm, uint32_t slot)
{
    return dependence_counters_idle(&sm->warp[slot].counters) &&
           !(sm->code.scoreboard && sm->scoreboard[slot].under_way);
}
