#include "sm/issue/issue.h"

#include <assert.h>

#include "base/bits.h"
#include "base/order.h"
#include "isa/matrix.h"
#include "isa/sync.h"
#include "sm/execute/tensor_engine.h"
#include "sm/execute/warpgroup_unit.h"
#include "sm/issue/grid_link.h"
#include "sm/memory/lsu.h"
#include "sm/memory/mbarrier_unit.h"
#include "sm/observer.h"
#include "sm/warp.h"

static const struct code *code_at(const struct issue *u, uint32_t pc) { return &u->code->code[pc / 16]; }

static uint32_t slot_in(const struct issue *u, unsigned warp) { return slot_of(u->subcore, warp); }

static inline void new_head(const struct issue *u, unsigned warp, struct sm_warp *w, uint64_t now)
{
    const struct code *code = code_at(u, w->pc);
    gate_set_class(u->gate, warp, code->class);
    dependence_next(u->dependence, warp, w, code, now);
}

void issue_new_head(const struct issue *u, unsigned warp, uint64_t now)
{
    new_head(u, warp, &u->warp[slot_in(u, warp)], now);
}

void issue_start(const struct issue *u, unsigned warp, uint64_t age, uint64_t now)
{
    dependence_start(u->dependence, warp);
    gate_start(u->gate, warp, age);
    fetch_redirect(u->fetch, warp, u->warp[slot_in(u, warp)].pc);
    issue_new_head(u, warp, now);
}

void issue_pass_barrier(const struct issue *u, unsigned warp, uint64_t now)
{
    struct sm_warp *w = &u->warp[slot_in(u, warp)];
    uint32_t next = w->code_base + u->source->release(u->source->self, slot_in(u, warp));
    gate_open(u->gate, warp, STALL_BARRIER);
    if (next == w->pc)
        return;
    gate_open(u->gate, warp, STALL_BRANCH_RESOLVING); /* another path of a divergent warp */
    gate_redirect(u->gate, warp, true);
    w->pc = next;
    fetch_redirect(u->fetch, warp, next);
    issue_new_head(u, warp, now);
}

/* ---- effects of an issue ----------------------------------------------------------------------------------------- */

/* The warp is at EXIT for a while, and drains then. */
static void hold_at_exit(const struct issue *u, unsigned warp, struct sm_warp *w, uint64_t now)
{
    uint64_t over = now + 1 + u->core->exit;
    w->leaves = latest(w->leaves, over + u->core->exit_drain);
    gate_open(u->gate, warp, STALL_NO_INSTRUCTION);
    gate_close(u->gate, warp, STALL_BRANCH_RESOLVING);
    calendar_add(u->calendar, over, (struct event){EVENT_EXIT, (uint8_t)slot_in(u, warp), 0});
}

void issue_exit_over(const struct issue *u, unsigned warp)
{
    if (!(u->gate->scheduler->resident >> warp & 1))
        return;
    gate_open(u->gate, warp, STALL_BRANCH_RESOLVING);
    gate_close(u->gate, warp, STALL_DRAIN);
    retire_warp_drained(u->retire, slot_in(u, warp));
}

static void exit_warp(const struct issue *u, unsigned warp, uint64_t now)
{
    uint32_t slot = slot_in(u, warp);
    struct sm_warp *w = &u->warp[slot];
    w->exited = true;
    fetch_stop(u->fetch, warp);
    if (u->core->exit > 0)
        hold_at_exit(u, warp, w, now);
    else
        gate_close(u->gate, warp, STALL_DRAIN);
    cta_barrier_exit(u->barriers, w->cta, now);
    cluster_barrier_exit(u->clusters, w->cta, slot, now);
    retire_warp_drained(u->retire, slot);
}

/* The warp's next instruction is known after so many cycles. */
static void resolve(const struct issue *u, unsigned warp, uint64_t when)
{
    uint32_t slot = slot_in(u, warp);
    gate_close(u->gate, warp, STALL_BRANCH_RESOLVING);
    calendar_add(u->calendar, when, (struct event){EVENT_BRANCH, (uint8_t)slot, u->warp[slot].ib.epoch});
}

static void redirect(const struct issue *u, unsigned warp, const struct code *code, uint32_t next, uint64_t now)
{
    bool again = next == u->warp[slot_in(u, warp)].pc; /* another path stands at the same instruction */
    uint32_t wait = again ? u->core->converge_again : u->core->converge_switch;
    if (!isa_changes_path((enum isa_op)code->op) || wait == 0)
        wait = u->core->branch_resolve;
    fetch_redirect(u->fetch, warp, next);
    resolve(u, warp, now + wait);
}

/* BSYNC keeps the instructions behind it in the buffer when the warp's paths have met, and EXIT when some of its
 * threads go on. */
static void converge(const struct issue *u, unsigned warp, const struct code *code, uint64_t now)
{
    if (u->core->exit > 0 && u->issued->active && isa_exits((enum isa_op)code->op))
        resolve(u, warp, now + 1 + u->core->exit);
    if (u->core->converge > 0 && isa_converges((enum isa_op)code->op))
        resolve(u, warp, now + 1 + u->core->converge);
}

static void arrive(const struct issue *u, uint8_t cta, uint32_t slot, uint64_t now)
{
    const struct issued *is = u->issued;
    if (is->barrier < CTA_BARRIERS)
        cta_barrier_arrive(u->barriers, cta, slot, is, now);
    else if (is->barrier_arrive)
        cluster_barrier_arrive(u->clusters, cta, slot, now);
    else
        cluster_barrier_wait(u->clusters, cta, slot, now);
}

/* The two cores, which differ in an instruction's way to its unit and in the buffer that it has left. */
enum core { CORE_MODERN, CORE_LEGACY };

/* The legacy core's buffer has the warp's next instruction, and is filled when it is empty (sm/legacy/fetch.h). */
static void leave_buffer(const struct issue *u, unsigned warp, struct sm_warp *w)
{
    if (--w->ib.decoded == 0)
        gate_close(u->gate, warp, STALL_NO_INSTRUCTION);
}

static inline __attribute__((always_inline)) void follow(const struct issue *u, unsigned warp, const struct code *code,
                                                         bool plain, uint64_t now, enum core core)
{
    uint32_t slot = slot_in(u, warp);
    struct sm_warp *w = &u->warp[slot];
    const struct issued *is = u->issued;
    if (core == CORE_MODERN)
        fetch_consume(u->fetch, warp, &w->ib, w->code_end);
    else
        leave_buffer(u, warp, w);
    if (!plain && is->flow == ISSUED_EXITED) {
        exit_warp(u, warp, now);
        return;
    }
    if (!plain && (is->flow == ISSUED_AT_BARRIER || is->barrier_arrive))
        arrive(u, w->cta, slot, now);
    if (!plain && is->flow == ISSUED_AT_BARRIER)
        gate_close(u->gate, warp, STALL_BARRIER);
    uint32_t next = plain || is->flow == ISSUED_NEXT ? w->pc + 16 : w->code_base + is->next_pc;
    bool taken = core == CORE_MODERN && next != w->pc + 16;
    gate_redirect(u->gate, warp, taken);
    u->n->branches += (code->flags & CODE_BRANCH) != 0;
    if (taken)
        redirect(u, warp, code, next, now);
    else if (!plain && core == CORE_MODERN)
        converge(u, warp, code, now);
    w->pc = next;
    new_head(u, warp, w, now);
}

static void count_window(const struct issue *u, unsigned warp, unsigned path, unsigned active)
{
    struct window_counters *n = &u->window[u->warp[slot_in(u, warp)].window];
    n->inst_executed++;
    n->thread_inst_executed += path;
    n->thread_inst_executed_pred_on += active;
}

/* Mostly all. */
static inline unsigned lanes_in(uint32_t mask) { return mask == UINT32_MAX ? 32 : popcount32(mask); }

static inline __attribute__((always_inline)) void count(const struct issue *u, unsigned warp, const struct code *code)
{
    unsigned path = lanes_in(u->issued->path);
    unsigned active = u->issued->active == u->issued->path ? path : popcount32(u->issued->active);
    if (u->code->windows > 1)
        count_window(u, warp, path, active);
    u->n->inst_issued++;
    u->n->inst_executed++;
    u->n->thread_inst_executed += path;
    u->n->thread_inst_executed_pred_on += active;
    if (!*u->lines)
        return;
    struct line_counters *line = &(*u->lines)[code - u->code->code];
    line->inst_issued++;
    line->thread_inst_executed += path;
    line->thread_inst_executed_pred_on += active;
}

static inline void observe(const struct issue *u, uint32_t slot, const struct code *code, uint64_t now)
{
    const struct sm_observer *observer = *u->observer;
    if (observer)
        observer->issued(observer->self, u->sm, slot, u->cta[u->warp[slot].cta].linear, code, u->issued, now);
}

/* The source executes the instruction. Clocks are read in CONTROL. */
static inline __attribute__((always_inline)) void step(const struct issue *u, uint32_t slot, const struct code *code,
                                                       uint16_t token, uint64_t now)
{
    u->source->step(u->source->self, slot, token, now + 1, u->issued);
    assert(u->issued->pc + u->warp[slot].code_base == u->warp[slot].pc);
    observe(u, slot, code, now);
}

/* Returns whether the source has passed the instruction, which issues plainly, or does so now. */
static inline bool passed(const struct issue *u, uint32_t slot, const struct code *code, uint64_t now)
{
    struct sm_warp *w = &u->warp[slot];
    if (!w->passed && u->source->pass)
        w->passed = u->source->pass(u->source->self, slot, code->plain_run, &w->lanes);
    if (!w->passed)
        return false;
    w->passed--;
    issued_set_plain(u->issued, w->pc - w->code_base, w->lanes);
    observe(u, slot, code, now);
    return true;
}

/* Instructions that concern other grids. */
static void follow_grids(const struct issue *u, uint32_t slot, const struct code *code, uint64_t now)
{
    enum isa_sync sync = u->issued->active ? isa_sync_of((enum isa_op)code->op) : ISA_SYNC_NONE;
    if (sync == ISA_SYNC_PREEXIT)
        grid_link_preexit(u->grids, u->warp[slot].cta, now);
    else if (sync == ISA_SYNC_ACQUIRE)
        grid_link_wait(u->grids, slot);
}

/* Others can notice the warp's action, or it goes to a new place. */
static bool useful(const struct code *code, const struct issued *is)
{
    bool waits = code->mbarrier == CODE_MBARRIER_WAIT;
    return (code->memory != ISA_MEM_NONE && !waits) || (is->flow != ISSUED_NEXT && is->flow != ISSUED_JUMP);
}

/* No further instruction of the warp before its stall count has run out, or its sleep. */
static inline __attribute__((always_inline)) void stall(const struct issue *u, unsigned warp, const struct code *code,
                                                        bool plain, uint64_t now)
{
    uint64_t until = now + code->stall;
    if (!plain && u->issued->sleep > code->stall) {
        until = now + u->issued->sleep;
        gate_close(u->gate, warp, STALL_SLEEPING);
        if (u->issued->wakes)
            mbarrier_unit_sleep(u->objects, slot_in(u, warp));
    }
    if (until > now + 1)
        gate_close_until(u->gate, warp, until);
}

/* What the source has executed has the consequences that every issue has. */
static inline bool issued_plainly(const struct issued *is)
{
    return is->flow == ISSUED_NEXT && !is->sleep && !is->retries && !is->barrier_arrive;
}

/* The unit behind a queue that the instruction goes to. */
static inline __attribute__((always_inline)) void
hand_over(const struct issue *u, uint32_t slot, const struct code *code, uint16_t token, uint64_t now, enum core core)
{
    if (code->memory != ISA_MEM_NONE && core == CORE_LEGACY)
        lsu_note(u->memory, slot, code, u->issued, token, now);
    else if (code->memory != ISA_MEM_NONE)
        lsu_issue(u->memory, slot, code, u->issued, token, now);
    else if (code->class == CLASS_ENGINE)
        tma_issue(u->tma, (uint16_t)(token - LSU_TOKENS), (uint8_t)slot, code, u->issued, now);
    else if (code->class == CLASS_TENSOR_ENGINE)
        tensor_engine_issue(u->tensor_engine, (uint8_t)slot, code, u->issued,
                            token == LSU_NO_TOKEN ? 0 : (uint16_t)(token - ENGINE_TOKENS), now);
    else if (code->flags & CODE_ASYNC_GROUP)
        async_copy_close(&u->memory->copies, slot, code->write_sb, now);
}

/* Units that take note of it: barrier objects, products of warpgroups, other grids. */
static inline void follow_others(const struct issue *u, uint32_t slot, const struct code *code, uint64_t now)
{
    if (u->issued->retries) {
        mbarrier_unit_retry(u->objects, slot);
        u->n->tensor_denials += code->tensor == CODE_TENSOR_MAP;
    }
    if (code->warpgroup)
        warpgroup_unit_issue(u->products, slot, code, now);
    if (code->class == CLASS_CBU)
        follow_grids(u, slot, code, now);
}

/* The consequences of an instruction that the source has executed. */
static inline __attribute__((always_inline)) void take_effect(const struct issue *u, unsigned warp,
                                                              const struct code *code, bool plain, uint16_t token,
                                                              uint64_t now, enum core core)
{
    uint32_t slot = slot_in(u, warp);
    scheduler_issued(u->gate->scheduler, warp);
    count(u, warp, code);
    if (plain)
        dispatch_plain(u->dispatch, (uint8_t)slot, code, now);
    else if (core == CORE_MODERN)
        dispatch(u->dispatch, (uint8_t)slot, code, now);
    if (!plain || u->code->scoreboard)
        dependence_issue(u->dependence, warp, code, now);
    if (!plain)
        hand_over(u, slot, code, token, now, core);
    if (mbarrier_unit_follows(u->objects, slot))
        mbarrier_unit_issue(u->objects, slot, useful(code, u->issued));
    if (!plain)
        follow_others(u, slot, code, now);
    stall(u, warp, code, plain, now);
    if (code->flags & CODE_MEMBAR)
        fence_begin(&u->memory->fences, slot, code->fence, now);
    follow(u, warp, code, plain, now, core);
}

/* Takes the place of an access or a command, and returns its token. */
static inline uint16_t take_token(const struct issue *u, const struct code *code)
{
    if (code->memory != ISA_MEM_NONE)
        return pending_table_take(&u->memory->table);
    if (code->class == CLASS_ENGINE)
        return (uint16_t)(LSU_TOKENS + tma_take(u->tma));
    if (code->class == CLASS_TENSOR_ENGINE && code_engine_kind(code) == ISA_ENGINE_COMMIT)
        return (uint16_t)(ENGINE_TOKENS + tensor_engine_take(u->tensor_engine));
    return LSU_NO_TOKEN;
}

/* Returns the token of the instruction's access or command. */
static uint16_t issue_any(const struct issue *u, unsigned warp, const struct code *code, uint64_t now, enum core core)
{
    uint16_t token = take_token(u, code);
    step(u, slot_in(u, warp), code, token, now);
    take_effect(u, warp, code, false, token, now, core);
    return token;
}

static void issue_modern(const struct issue *u, unsigned warp, const struct code *code, uint64_t now)
{
    if (!(code->plain & CODE_PLAIN_ISSUE)) {
        issue_any(u, warp, code, now, CORE_MODERN);
        return;
    }
    bool plainly = passed(u, slot_in(u, warp), code, now);
    if (!plainly) {
        step(u, slot_in(u, warp), code, LSU_NO_TOKEN, now);
        plainly = issued_plainly(u->issued);
    }
    if (plainly)
        take_effect(u, warp, code, true, LSU_NO_TOKEN, now, CORE_MODERN);
    else
        take_effect(u, warp, code, false, LSU_NO_TOKEN, now, CORE_MODERN);
}

uint16_t issue_collected(const struct issue *u, unsigned warp, const struct code *code, uint64_t now)
{
    u->n->pipe_inst[code->pipe]++;
    u->n->pipe_cycles[code->pipe] += code->pipe_cycles;
    return issue_any(u, warp, code, now, CORE_LEGACY);
}

/* ---- a cycle ----------------------------------------------------------------------------------------------------- */

/* The policy lets none issue, though some could. */
static void issue_none(struct attribution *a, uint32_t eligible)
{
    attribute(a, eligible, STALL_NOT_SELECTED, CYCLE_ISSUE_BUBBLE);
    attribution_end(a);
}

/* Pascal: a stall count of 0 pairs the instruction with the next one of its warp, which issues in the same cycle if it
 * could issue by itself. Which units the two need is the compiler's concern (Scott Gray's notes on Maxwell). */
static void issue_pair(const struct issue *u, unsigned warp, uint64_t now)
{
    struct eligible e = eligible_warps(u->eligibility, now);
    const struct code *code = code_at(u, u->warp[slot_in(u, warp)].pc);
    if (e.warps >> warp & 1 && eligible_constant(u->eligibility, warp, code, now))
        issue_modern(u, warp, code, now);
}

void issue_eligible(const struct issue *u, uint32_t eligible, uint64_t now)
{
    struct attribution a = attribution_begin(u->attribution, eligible, now, 1);
    int chosen = scheduler_choose(u->gate->scheduler, (uint16_t)eligible, now);
    if (chosen == SCHEDULER_NONE) {
        issue_none(&a, eligible);
        return;
    }
    unsigned warp = (unsigned)chosen;
    const struct code *code = code_at(u, u->warp[slot_in(u, warp)].pc);
    bool issues = eligible_constant(u->eligibility, warp, code, now);
    enum cycle_event event = issues ? CYCLE_ISSUE : CYCLE_CONSTANT_MISS;
    u->n->eligible_cycles += popcount32(eligible) - !issues;
    attribute(&a, 1u << warp, issues ? STALL_SELECTED : STALL_IMC_MISS, event);
    attribute(&a, eligible & ~(1u << warp), STALL_NOT_SELECTED, event);
    attribution_end(&a);
    u->n->issue_active += issues;
    if (issues)
        issue_modern(u, warp, code, now);
    if (issues && code->stall == 0)
        issue_pair(u, warp, now);
}
