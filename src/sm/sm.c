#include "sm/sm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sm/execute/dispatch.h"
#include "sm/issue/attribution.h"
#include "sm/issue/dependence.h"
#include "sm/issue/eligibility.h"
#include "sm/issue/issue.h"
#include "sm/issue/scoreboard.h"
#include "sm/wire.h"

/* ---- the pipeline ------------------------------------------------------------------------------------------------ */

/* Warps that may have nothing left in flight. */
static void take_drained(struct sm *sm)
{
    for (uint32_t i = 0; i < sm->retire.count; i++)
        issue_try_retire(sm, sm->retire.drained[i]);
    sm->retire.count = 0;
}

static void take_event(struct sm *sm, struct event e)
{
    unsigned warp = slot_warp(e.slot), subcore = slot_subcore(e.slot);
    struct sm_warp *w = &sm->warp[e.slot];
    switch ((enum event_kind)e.kind) {
    case EVENT_SB_RELEASE:
    case EVENT_SOURCES_READ:
    case EVENT_DEPBAR:
    case EVENT_RESULT_WRITTEN: dependence_event(sm, e); break;
    case EVENT_WRITE: write_back_arrive(sm, (uint16_t)e.a); break;
    case EVENT_COMPLETE: lsu_complete(sm, (uint16_t)e.a); break;
    case EVENT_COPY: async_copy_write(sm, (uint16_t)e.a); break;
    case EVENT_FETCH: fetch_resume(sm, subcore, warp, (uint8_t)e.a); break;
    case EVENT_CONSTANT: eligible_constant_delivered(sm, subcore, warp); break;
    case EVENT_BRANCH:
        if ((uint8_t)e.a == w->ib.epoch)
            gates_open(&sm->gates, e.slot, STALL_BRANCH_RESOLVING);
        break;
    case EVENT_BARRIER: cta_barrier_release(sm, e.slot, e.a); break;
    case EVENT_MEMBAR: fence_try(sm, e.slot); break;
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

/* A sub-core that naps raises no counter: it would know when. */
static bool control_cycle(struct sm *sm, unsigned subcore, uint64_t now)
{
    const struct subcore *p = &sm->subcore[subcore];
    if (!p->scheduler.resident || nap_goes_on(&p->nap, now))
        return false;
    nap_end(sm, subcore);
    return increments_ready(&p->increments, now) && dependence_control(sm, subcore, now);
}

/* Cycles of a sub-core without warps. */
static void count_empty(const struct sm *sm, unsigned subcore, uint64_t cycles)
{
    if (sm->active)
        attribute_no_warp(&sm->subcore[subcore].attribution, cycles);
}

static bool subcore_cycle(struct sm *sm, unsigned subcore, uint64_t now)
{
    struct subcore *p = &sm->subcore[subcore];
    if (!p->scheduler.resident) {
        count_empty(sm, subcore, 1);
        return false;
    }
    if (nap_goes_on(&p->nap, now))
        return false;
    if (p->scheduler.next_wake <= now)
        scheduler_wake(&p->scheduler, now);
    bool decoded = decode_stage_ready(&p->fetch.decode, now) && fetch_decode(sm, subcore, now);
    /* Fetch sees a place that an issue frees one cycle later, as in the paper. */
    bool fetched = fetch_cycle(sm, subcore, now);
    struct eligibility e;
    if (issue_cycle(sm, subcore, now, &e))
        return true;
    if (fetched || !sm->config->run.skip_idle)
        attribute_idle(&p->attribution, e.warps, now, 1);
    else
        nap_begin(&p->nap, now, issue_next(p, &e, now), e.warps);
    return fetched || decoded;
}

bool sm_cycle(struct sm *sm, uint64_t now)
{
    sm->now = now;
    sm->active = sm->ctas != 0;
    sm->n.cycles_active += sm->active;
    calendar_turn(&sm->calendar, now);
    bool moved = global_path_replies(sm, now); /* from the network */
    moved |= acceptor_cycle(sm, now);          /* shared part of the memory unit; what it releases is free now */
    if (sm->queues_at <= now || sm->fp64.count)
        moved |= dispatch_cycle(sm, now); /* queues of other units, the shared FP64 unit */
    take_drained(sm);
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        moved |= control_cycle(sm, p, now); /* a counter is up before it can go down */
    moved |= events_cycle(sm, now);         /* write-back, barriers, lines and constants that arrive */
    moved |= l1i_prefetch_cycle(sm, now);   /* a cycle of the port that no demand of an earlier cycle has taken */
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        moved |= subcore_cycle(sm, p, now);
    return moved;
}

uint64_t sm_next(const struct sm *sm, uint64_t now)
{
    uint64_t next = calendar_next(&sm->calendar);
    uint64_t reply = inbox_next(&sm->inbox);
    if (reply != UINT64_MAX && reply < inbox_port_free(&sm->inbox))
        reply = inbox_port_free(&sm->inbox);
    if (reply < next)
        next = reply;
    uint64_t prefetch = l1i_next(&sm->l1i, now);
    if (prefetch < next)
        next = prefetch;
    uint64_t accept = acceptor_next(sm, now);
    if (accept < next)
        next = accept;
    uint64_t queues = dispatch_next(sm, now);
    if (queues < next)
        next = queues;
    for (unsigned p = 0; p < SM_SUBCORES; p++) {
        if (!sm->subcore[p].scheduler.resident)
            continue;
        uint64_t at = sm->subcore[p].nap.until;
        if (at < next)
            next = at;
    }
    return next > now ? next : now + 1;
}

/* Nothing moves in the next cycles: they count as the one just run did. Sub-cores with warps nap. */
static void repeat_idle(struct sm *sm, uint64_t times)
{
    sm->n.cycles_active += sm->active ? times : 0;
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        if (!sm->subcore[p].scheduler.resident)
            count_empty(sm, p, times);
}

void sm_run(struct sm *sm, uint64_t end)
{
    uint64_t now = sm->now;
    sm->wake = end;
    while (now < end) {
        if (sm->ctas == 0 && sm->calendar.count == 0 && sm->inbox.count == 0) {
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
    unsigned subcore = slot_subcore(slot), warp = slot_warp(slot);
    struct sm_warp *w = &sm->warp[slot];
    uint8_t epoch = w->ib.epoch;
    memset(w, 0, sizeof *w);
    w->ib.epoch = epoch;
    w->cta = (uint8_t)cta;
    dependence_start(sm, slot);
    gate_start(&sm->gates.subcore[subcore], warp, ++sm->next_age);
    fetch_redirect(sm, subcore, warp, 0);
    issue_new_head(sm, subcore, warp);
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
              constant_vl_init(&sm->ldc_constants, &config->constant, arena) &&
              lsu_init(&sm->lsu, &config->lsu, arena) && l1_init(&sm->l1, &config->l1, config->sm.unified, arena) &&
              utlb_init(&sm->utlb, &config->tlb, arena) && inbox_init(&sm->inbox, config->l1.mshrs + 64);
    /* In a quantum the data's port sends at most one message a cycle, and it may lag by its queue and one access. */
    ok = ok && outbox_init(&sm->out, quantum + config->noc.egress_queue + 64);
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
    inbox_free(&sm->inbox);
    outbox_free(&sm->out);
    free(sm->scoreboard);
    sm->scoreboard = NULL;
}

static void begin_subcore(struct subcore *p, const struct config *config, const struct code_table *code)
{
    l0i_begin(&p->l0i, code->count * 16);
    constant_fl_clear(&p->constants);
    scheduler_init(&p->scheduler, config->core.scheduler);
    p->nap.until = 0;
    memset(&p->fetch, 0, sizeof p->fetch);
    memset(&p->increments, 0, sizeof p->increments);
    register_file_init(&p->registers);
    memset(&p->units, 0, sizeof p->units);
    unit_queue_init(&p->xu);
    unit_queue_init(&p->adu);
    fp64_path_init(&p->fp64);
    write_back_init(&p->write_back);
    p->queues_at = UINT64_MAX;
    memset(&p->results, 0, sizeof p->results);
    memset(&p->uniform_results, 0, sizeof p->uniform_results);
    memset(&p->queue, 0, sizeof p->queue);
    return_path_init(&p->returns);
    p->ldc = (struct constant_order){0};
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
    constant_vl_clear(&sm->ldc_constants);
    memset(&sm->fp64, 0, sizeof sm->fp64);
    sm->queues_at = UINT64_MAX;
    unit_choice_init(&sm->unit_choice, &sm->config->core);
    lsu_begin(&sm->lsu);
    l1_begin(&sm->l1, code->l1_bytes);
    utlb_begin(&sm->utlb);
    sm->inbox.count = 0;
    sm->inbox.sequence = sm->inbox.port_free = 0;
    sm->out.count = 0;
    sm->out.port_free = 0;
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        begin_subcore(&sm->subcore[p], sm->config, code);
}

const char *sm_warp_state(const struct sm *sm, uint32_t slot)
{
    const struct scheduler *s = &sm->subcore[slot_subcore(slot)].scheduler;
    unsigned warp = slot_warp(slot);
    if (!(s->resident >> warp & 1))
        return NULL;
    return stall_name(attribution_state(s, warp));
}
