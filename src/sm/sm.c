#include "sm/sm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sm/issue/scoreboard.h"
#include "sm/wire.h"

/* ---- the pipeline ------------------------------------------------------------------------------------------------ */

/* The warp's slot is free, and its CTA's when it was the last. */
static void free_slot(struct sm *sm, uint32_t slot)
{
    const struct sm_warp *w = &sm->warp[slot];
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

/* A warp that has exited leaves its slot when no access and no dependence counter of it is under way. */
static void take_drained(struct sm *sm)
{
    for (uint32_t i = 0; i < sm->retire.count; i++) {
        uint32_t slot = sm->retire.drained[i];
        const struct sm_warp *w = &sm->warp[slot];
        if (w->exited && sm_warp_done(w) &&
            dependence_idle(&sm->subcore[slot_subcore(slot)].dependence, slot_warp(slot)))
            free_slot(sm, slot);
    }
    sm->retire.count = 0;
}

static void pass_barrier(struct sm *sm, uint64_t slots)
{
    for (; slots; slots &= slots - 1) {
        uint32_t slot = lowest_bit64(slots);
        issue_pass_barrier(&sm->subcore[slot_subcore(slot)].issue, slot_warp(slot), sm->now);
    }
}

static void take_event(struct sm *sm, struct event e)
{
    unsigned warp = slot_warp(e.slot);
    struct subcore *p = &sm->subcore[slot_subcore(e.slot)];
    switch ((enum event_kind)e.kind) {
    case EVENT_SB_RELEASE:
    case EVENT_SOURCES_READ:
    case EVENT_DEPBAR:
    case EVENT_RESULT_WRITTEN: dependence_event(&p->dependence, e, sm->now); break;
    case EVENT_WRITE:
        if (write_back_arrive(&p->write_back, (uint16_t)e.a, sm->now))
            lsu_complete(&sm->lsu, (uint16_t)e.a, sm->now);
        break;
    case EVENT_COMPLETE: lsu_complete(&sm->lsu, (uint16_t)e.a, sm->now); break;
    case EVENT_COPY: async_copy_write(&sm->lsu.copies, (uint16_t)e.a, sm->now); break;
    case EVENT_FETCH: fetch_resume(&p->fetch, warp, (uint8_t)e.a); break;
    case EVENT_CONSTANT: eligible_constant_delivered(&p->eligibility, warp); break;
    case EVENT_BRANCH: fetch_branch_resolved(&p->fetch, warp, (uint8_t)e.a); break;
    case EVENT_BARRIER: pass_barrier(sm, cta_barrier_release(&sm->barriers, e.slot, e.a)); break;
    case EVENT_MEMBAR: fence_try(&sm->lsu.fences, e.slot, sm->now); break;
    }
}

static bool events_cycle(struct sm *sm, uint64_t now)
{
    struct event e;
    bool moved = false;
    while (calendar_take(&sm->calendar, now, &e)) {
        take_event(sm, e);
        take_drained(sm);
        moved = true;
    }
    return moved;
}

/* The queues behind issue that are not the memory unit's, of the sub-cores in which something can move. */
static bool queues_cycle(struct sm *sm, uint64_t now)
{
    bool moved = false;
    if (sm->queues_at > now)
        return false;
    sm->queues_at = UINT64_MAX;
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        struct subcore *p = &sm->subcore[subcore];
        uint16_t token = LSU_NO_TOKEN;
        if (p->clock.at <= now)
            moved |= subcore_queues(p, now, &token);
        if (token != LSU_NO_TOKEN)
            lsu_complete(&sm->lsu, token, now);
        if (p->clock.at < sm->queues_at)
            sm->queues_at = p->clock.at;
    }
    return moved;
}

/* Cycles of a sub-core without warps. */
static void count_empty(const struct sm *sm, const struct subcore *p, uint64_t cycles)
{
    if (sm->active)
        attribute_no_warp(&p->attribution, cycles);
}

static bool subcores_cycle(struct sm *sm, uint64_t now)
{
    bool moved = false;
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        struct subcore *p = &sm->subcore[subcore];
        if (subcore_busy(p))
            moved |= subcore_cycle(p, now);
        else
            count_empty(sm, p, 1);
        take_drained(sm);
    }
    return moved;
}

bool sm_cycle(struct sm *sm, uint64_t now)
{
    sm->now = now;
    sm->active = sm->ctas != 0;
    sm->n.cycles_active += sm->active;
    calendar_turn(&sm->calendar, now);
    bool moved = port_cycle(&sm->port, now); /* replies, from the network */
    moved |= lsu_cycle(&sm->lsu, now);       /* shared part of the memory unit; what it releases is free now */
    moved |= fp64_cycle(&sm->fp64, now);     /* the FP64 unit that the sub-cores share */
    moved |= queues_cycle(sm, now);          /* queues of the sub-cores' other units, loaded data */
    take_drained(sm);                        /* warps that have nothing left leave */
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        moved |= subcore_control(&sm->subcore[p], now); /* a counter is up before it can go down */
    moved |= events_cycle(sm, now);                     /* write-back, barriers, lines and constants that arrive */
    moved |= l1i_prefetch_cycle(&sm->l1i, now); /* a cycle of the port that no demand of an earlier cycle has taken */
    moved |= subcores_cycle(sm, now);           /* decode, fetch, issue */
    return moved;
}

static void take_sooner(uint64_t *next, uint64_t at)
{
    if (at < *next)
        *next = at;
}

uint64_t sm_next(const struct sm *sm, uint64_t now)
{
    uint64_t next = calendar_next(&sm->calendar);
    take_sooner(&next, port_next(&sm->port));
    take_sooner(&next, lsu_next(&sm->lsu, now));
    take_sooner(&next, fp64_next(&sm->fp64, now));
    take_sooner(&next, sm->queues_at);
    take_sooner(&next, l1i_next(&sm->l1i, now));
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        if (subcore_busy(&sm->subcore[p]))
            take_sooner(&next, sm->subcore[p].nap.until);
    return next > now ? next : now + 1;
}

/* Nothing moves in the next cycles: they count as the one just run did. Sub-cores with warps nap. */
static void repeat_idle(struct sm *sm, uint64_t times)
{
    sm->n.cycles_active += sm->active ? times : 0;
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        if (!subcore_busy(&sm->subcore[p]))
            count_empty(sm, &sm->subcore[p], times);
}

void sm_run(struct sm *sm, uint64_t end)
{
    uint64_t now = sm->now;
    sm->wake = end;
    while (now < end) {
        if (sm->ctas == 0 && sm->calendar.count == 0 && sm->port.in.count == 0) {
            sm->wake = UINT64_MAX;
            break; /* an SM without work costs nothing */
        }
        bool moved = sm_cycle(sm, now);
        now++;
        if (moved) {
            sm->last_progress = now;
        } else if (sm->config->run.skip_idle) {
            uint64_t next = sm_next(sm, now - 1);
            uint64_t to = next < end ? next : end;
            sm->wake = next > end ? next : end;
            if (to > now) {
                repeat_idle(sm, to - now);
                now = to;
            }
        }
    }
    sm->now = end;
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        nap_count(&sm->subcore[p].nap);
}

/* ---- CTAs -------------------------------------------------------------------------------------------------------- */

static void start_warp(struct sm *sm, uint32_t slot, uint32_t cta)
{
    struct sm_warp *w = &sm->warp[slot];
    uint8_t epoch = w->ib.epoch;
    memset(w, 0, sizeof *w);
    w->ib.epoch = epoch;
    w->cta = (uint8_t)cta;
    issue_start(&sm->subcore[slot_subcore(slot)].issue, slot_warp(slot), ++sm->next_age, sm->now);
}

void sm_start_cta(struct sm *sm, uint32_t cta_slot, uint64_t linear, uint32_t threads)
{
    uint32_t warps = div_up32(threads, 32);
    struct sm_cta *cta = &sm->cta[cta_slot];
    assert(!cta->used && warps == sm->code.warps_per_cta);
    *cta = (struct sm_cta){.used = true,
                           .warps = (uint16_t)warps,
                           .warps_left = (uint16_t)warps,
                           .first_slot = (uint16_t)(cta_slot * warps),
                           .linear = linear};
    sm->ctas++;
    sm->warps += warps;
    for (uint32_t w = 0; w < warps; w++)
        start_warp(sm, cta->first_slot + w, cta_slot);
    sm->last_progress = sm->now;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

bool sm_make_scoreboard(struct sm *sm)
{
    if (!sm->scoreboard)
        sm->scoreboard = calloc(SM_WARPS, sizeof *sm->scoreboard);
    return sm->scoreboard != NULL;
}

bool sm_init(struct sm *sm, uint16_t id, const struct config *config, uint32_t quantum, struct arena *arena)
{
    sm->id = id;
    sm->config = config;
    sm_wire(sm);
    bool ok = l15_init(&sm->l15, &config->l15, arena) && l1i_init(&sm->l1i, &config->icache, arena) &&
              constant_vl_init(&sm->ldc_constants, &config->constant, arena) && lsu_init(&sm->lsu, config, arena) &&
              port_init(&sm->port, config, quantum, arena);
    if (config->core.dependence != CONFIG_DEPENDENCE_CONTROL_BITS)
        ok = ok && sm_make_scoreboard(sm);
    for (unsigned p = 0; p < SM_SUBCORES; p++) {
        struct subcore *part = &sm->subcore[p];
        ok = ok && l0i_init(&part->l0i, &config->icache, p, arena) &&
             constant_fl_init(&part->constants, &config->constant, arena);
    }
    if (!ok)
        sm_free(sm);
    return ok;
}

void sm_free(struct sm *sm)
{
    port_free(&sm->port);
    free(sm->scoreboard);
    sm->scoreboard = NULL;
}

/* The same kernel again, and the GPU does not empty its instruction caches in between. */
static bool keeps_code(const struct sm *sm, const struct code_table *code)
{
    return sm->config->icache.keep && sm->last_code.address == code->address && sm->last_code.count == code->count;
}

void sm_begin_kernel(struct sm *sm, const struct code_table *code, struct sm_source source)
{
    sm->code = *code;
    sm->retire.count = 0;
    sm->source = source;
    sm->now = sm->last_progress = 0;
    sm->ctas = sm->warps = sm->finished_count = 0;
    sm->next_age = 0;
    memset(sm->warp, 0, sizeof sm->warp);
    memset(sm->cta, 0, sizeof sm->cta);
    sm->active = false;
    memset(&sm->n, 0, sizeof sm->n);
    calendar_init(&sm->calendar, 0);
    bool keep = keeps_code(sm, code);
    l1i_begin(&sm->l1i, keep);
    l15_begin(&sm->l15, keep);
    sm->last_code = (struct code_identity){code->address, code->count};
    constant_vl_begin(&sm->ldc_constants);
    fp64_begin(&sm->fp64);
    sm->queues_at = UINT64_MAX;
    unit_choice_init(&sm->unit_choice, &sm->config->core);
    lsu_begin(&sm->lsu, code->l1_bytes);
    port_begin(&sm->port);
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        subcore_begin(&sm->subcore[p]);
}

const char *sm_warp_state(const struct sm *sm, uint32_t slot)
{
    const struct scheduler *s = &sm->subcore[slot_subcore(slot)].scheduler;
    unsigned warp = slot_warp(slot);
    if (!(s->resident >> warp & 1))
        return NULL;
    return stall_name(attribution_state(s, warp));
}
