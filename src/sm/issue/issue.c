#include "sm/issue/issue.h"

#include <assert.h>

#include "base/bits.h"
#include "sm/issue/dependence.h"
#include "sm/issue/eligibility.h"
#include "sm/sm.h"

static const struct code *code_at(const struct sm *sm, uint32_t pc) { return &sm->code.code[pc / 16]; }

void issue_new_head(struct sm *sm, unsigned subcore, unsigned warp)
{
    const struct code *code = code_at(sm, sm->warp[slot_of(subcore, warp)].pc);
    gate_set_class(&sm->gates.subcore[subcore], warp, code->class);
    dependence_update(sm, subcore, warp);
}

/* ---- what an issue sets in motion -------------------------------------------------------------------------------- */

static void exit_warp(struct sm *sm, unsigned subcore, unsigned warp, uint64_t now)
{
    uint32_t slot = slot_of(subcore, warp);
    struct sm_warp *w = &sm->warp[slot];
    struct sm_cta *cta = &sm->cta[w->cta];
    w->exited = true;
    fetch_stop(sm, subcore, warp);
    gate_close(&sm->gates.subcore[subcore], warp, STALL_DRAIN);
    cta->warps_left--;
    cta_barrier_exit(sm, w->cta, now);
    issue_try_retire(sm, slot);
}

static void follow(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code, uint64_t now)
{
    uint32_t slot = slot_of(subcore, warp);
    struct sm_warp *w = &sm->warp[slot];
    const struct warp_gate *gate = &sm->gates.subcore[subcore];
    const struct issued *is = &sm->issued;
    fetch_consume(sm, subcore, warp);
    if (is->flow == ISSUED_EXITED) {
        exit_warp(sm, subcore, warp, now);
        return;
    }
    if (is->flow == ISSUED_AT_BARRIER || is->barrier_arrive)
        cta_barrier_arrive(sm, slot, now);
    if (is->flow == ISSUED_AT_BARRIER)
        gate_close(gate, warp, STALL_BARRIER);
    uint32_t next = is->flow == ISSUED_NEXT ? w->pc + 16 : is->next_pc;
    gate_redirect(gate, warp, next != w->pc + 16);
    sm->n.branches += (code->flags & CODE_BRANCH) != 0;
    if (next != w->pc + 16) {
        fetch_redirect(sm, subcore, warp, next);
        gate_close(gate, warp, STALL_BRANCH_RESOLVING);
        calendar_add(&sm->calendar, now + sm->config->core.branch_resolve,
                     (struct event){EVENT_BRANCH, (uint8_t)slot, w->ib.epoch});
    }
    w->pc = next;
    issue_new_head(sm, subcore, warp);
}

static void count_line(struct sm *sm, const struct code *code)
{
    struct line_counters *line = &sm->lines[code - sm->code.code];
    line->inst_issued++;
    line->thread_inst_executed += popcount32(sm->issued.path);
    line->thread_inst_executed_pred_on += popcount32(sm->issued.active);
}

static void issue(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code, uint64_t now)
{
    struct subcore *p = &sm->subcore[subcore];
    uint32_t slot = slot_of(subcore, warp);
    struct sm_warp *w = &sm->warp[slot];
    bool memory = code->memory != ISA_MEM_NONE;
    uint16_t token = LSU_NO_TOKEN;
    if (memory)
        token = pending_table_take(&sm->lsu.table);
    sm->source.step(sm->source.self, slot, token, now + 1, &sm->issued); /* clocks are read in CONTROL */
    assert(sm->issued.pc == w->pc);
    if (sm->observer)
        sm->observer->issued(sm->observer->self, sm->id, slot, sm->cta[w->cta].linear, code, &sm->issued, now);
    scheduler_issued(&p->scheduler, warp);
    sm->n.inst_issued++;
    sm->n.inst_executed++;
    sm->n.thread_inst_executed += popcount32(sm->issued.path);
    sm->n.thread_inst_executed_pred_on += popcount32(sm->issued.active);
    dispatch(sm, subcore, warp, code, now);
    dependence_issue(sm, subcore, warp, code, now);
    if (memory)
        lsu_issue(sm, subcore, warp, code, token, now);
    else if (code->flags & CODE_ASYNC_GROUP)
        async_copy_close(sm, slot, code->write_sb, now);
    if (sm->lines)
        count_line(sm, code);
    uint64_t until = now + code->stall;
    if (sm->issued.sleep > code->stall) {
        until = now + sm->issued.sleep;
        gate_close(&sm->gates.subcore[subcore], warp, STALL_SLEEPING);
    }
    if (until > now + 1)
        gate_close_until(&sm->gates.subcore[subcore], warp, until);
    if (code->flags & CODE_MEMBAR)
        fence_begin(sm, slot, code->fence, now);
    follow(sm, subcore, warp, code, now);
}

static void issue_one(struct sm *sm, unsigned subcore, uint32_t eligible, uint64_t now)
{
    const struct scheduler *s = &sm->subcore[subcore].scheduler;
    struct attribution a;
    attribution_begin(&a, &sm->subcore[subcore].attribution, eligible, now, 1);
    unsigned warp = scheduler_choose(s, (uint16_t)eligible);
    const struct code *code = code_at(sm, sm->warp[slot_of(subcore, warp)].pc);
    bool issues = eligible_constant(sm, subcore, warp, code, now);
    enum cycle_event event = issues ? CYCLE_ISSUE : CYCLE_CONSTANT_MISS;
    sm->n.eligible_cycles += popcount32(eligible) - !issues;
    attribute(&a, 1u << warp, issues ? STALL_SELECTED : STALL_IMC_MISS, event);
    attribute(&a, eligible & ~(1u << warp), STALL_NOT_SELECTED, event);
    attribution_end(&a);
    sm->n.issue_active += issues;
    if (issues)
        issue(sm, subcore, warp, code, now);
}

bool issue_cycle(struct sm *sm, unsigned subcore, uint64_t now, struct eligibility *e)
{
    const struct subcore *p = &sm->subcore[subcore];
    *e = eligible_warps(sm, p, now);
    if (!e->warps || now < p->scheduler.issue_free || now < p->scheduler.hold_until)
        return false;
    issue_one(sm, subcore, e->warps, now);
    return true;
}

static uint64_t sooner(uint64_t next, uint64_t at, uint64_t now) { return at > now && at < next ? at : next; }

uint64_t issue_next(const struct subcore *p, const struct eligibility *e, uint64_t now)
{
    const struct scheduler *s = &p->scheduler;
    uint64_t next = s->next_wake;
    if (e->warps) { /* held back together */
        next = sooner(next, s->issue_free, now);
        next = sooner(next, s->ports_until, now);
        next = sooner(next, s->hold_until, now);
    }
    next = sooner(next, e->units_from, now);
    next = sooner(next, p->units.blocked_until, now);
    next = sooner(next, increments_next(&p->increments), now);
    return sooner(next, decode_stage_next(&p->fetch.decode), now);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void retire_warp(struct sm *sm, uint32_t slot)
{
    struct sm_warp *w = &sm->warp[slot];
    struct sm_cta *cta = &sm->cta[w->cta];
    gate_retire(&sm->gates.subcore[slot_subcore(slot)], slot_warp(slot));
    sm->warps--;
    sm->n.warps++;
    if (--cta->warps == 0) {
        cta->used = false;
        sm->ctas--;
        sm->n.ctas++;
        sm->finished[sm->finished_count++] = (struct sm_finished){sm->now, w->cta, cta->linear};
    }
}

void issue_try_retire(struct sm *sm, uint32_t slot)
{
    const struct sm_warp *w = &sm->warp[slot];
    if (w->exited && w->accesses == 0 && w->queued_ops == 0 && dependence_idle(sm, slot))
        retire_warp(sm, slot);
}
