#include "sm/sm.h"

#include "base/bits.h"
#include "base/order.h"
#include "sm/cycle.h"
#include "sm/residency.h"

/* ---- the pipeline ------------------------------------------------------------------------------------------------ */

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
    case EVENT_GROUP: dependence_update(&p->dependence, warp, sm->now); break;
    case EVENT_FETCH: fetch_resume(&p->fetch, warp, (uint8_t)e.a); break;
    case EVENT_CONSTANT: eligible_constant_delivered(&p->eligibility, warp); break;
    case EVENT_BRANCH: fetch_branch_resolved(&p->fetch, warp, (uint8_t)e.a); break;
    case EVENT_BARRIER: pass_barrier(sm, cta_barrier_release(&sm->barriers, e.slot, e.a)); break;
    case EVENT_CLUSTER: pass_barrier(sm, cluster_barrier_release(&sm->clusters, e.slot, e.a)); break;
    case EVENT_MEMBAR: fence_try(&sm->lsu.fences, e.slot, sm->now); break;
    }
}

bool sm_events_cycle(struct sm *sm, uint64_t now)
{
    struct event e;
    bool moved = false;
    while (calendar_take(&sm->calendar, now, &e)) {
        take_event(sm, e);
        sm_take_drained(sm);
        moved = true;
    }
    return moved;
}

/* The queues behind issue that are not the memory unit's, of the sub-cores in which something can move. */
bool sm_queues_cycle(struct sm *sm, uint64_t now)
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
void sm_count_empty(const struct sm *sm, const struct subcore *p, uint64_t cycles)
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
            sm_count_empty(sm, p, 1);
        sm_take_drained(sm);
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
    moved |= tma_cycle(&sm->tma, now);       /* bulk and tensor copies */
    sm_take_drained(sm);
    moved |= lsu_cycle(&sm->lsu, now);                 /* shared part of the memory unit; its releases are free now */
    moved |= mbarrier_unit_cycle(&sm->objects, now);   /* waits at barrier objects whose time is up */
    moved |= fp64_unit_cycle(&sm->fp64, now);          /* the FP64 unit that the sub-cores share */
    moved |= warpgroup_unit_cycle(&sm->products, now); /* products of warpgroups; LSU has shared memory first */
    moved |= tensor_engine_cycle(&sm->tensor_engine, now); /* the same of tcgen05, and its commits */
    moved |= sm_queues_cycle(sm, now);                        /* queues of the sub-cores' other units, loaded data */
    sm_take_drained(sm);                                   /* warps that have nothing left leave */
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        moved |= subcore_control(&sm->subcore[p], now); /* a counter is up before it can go down */
    moved |= sm_events_cycle(sm, now);                     /* write-back, barriers, lines and constants that arrive */
    moved |= l1i_prefetch_cycle(&sm->l1i, now); /* a cycle of the port that no demand of an earlier cycle has taken */
    moved |= subcores_cycle(sm, now);           /* decode, fetch, issue */
    return moved;
}

uint64_t sm_next(const struct sm *sm, uint64_t now)
{
    uint64_t next = sm->queues_at;
#define NEXT_NOW(name, type) next = earliest(next, type##_next(&sm->name, now));
#define NEXT_EVER(name, type) next = earliest(next, type##_next(&sm->name));
#define NEXT_NONE(name, type)
#define X(name, type, begin, when, save, text) NEXT_##when(name, type)
    SM_UNITS(X)
#undef X
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        if (subcore_busy(&sm->subcore[p]))
            next = earliest(next, sm->subcore[p].nap.until);
    if (sm->legacy)
        next = earliest(next, sm_legacy_next(sm, now));
    return latest(next, now + 1);
}

/* Nothing moves in the next cycles: they count as the one just run did. Sub-cores with warps nap. */
static void repeat_idle(struct sm *sm, uint64_t times)
{
    sm->n.cycles_active += sm->active ? times : 0;
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        if (!subcore_busy(&sm->subcore[p]))
            sm_count_empty(sm, &sm->subcore[p], times);
}

/* Some warp may do something that others can notice: not all stand at barriers, or repeat a failed test. */
static bool progresses(const struct sm *sm)
{
    if (!sm->objects.retrying)
        return true;
    for (unsigned p = 0; p < SM_SUBCORES; p++) {
        const struct scheduler *s = &sm->subcore[p].scheduler;
        for (uint32_t left = s->resident & ~(uint32_t)s->closed[STALL_BARRIER]; left; left &= left - 1)
            if (!(sm->objects.retrying >> slot_of(p, lowest_bit32(left)) & 1))
                return true;
    }
    return false;
}

void sm_run(struct sm *sm, uint64_t end)
{
    uint64_t now = sm->now;
    sm->wake = end;
    while (now < end) {
        if (sm->ctas == 0 && sm->calendar.count == 0 && sm->port.in.count == 0 && peers_empty(&sm->port.peers)) {
            sm->wake = UINT64_MAX;
            break; /* an SM without work costs nothing */
        }
        bool moved = sm->legacy ? sm_legacy_cycle(sm, now) : sm_cycle(sm, now);
        now++;
        if (moved && progresses(sm))
            sm->last_progress = now;
        if (!moved && sm->config->run.skip_idle) {
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

const char *sm_warp_state(const struct sm *sm, uint32_t slot)
{
    const struct scheduler *s = &sm->subcore[slot_subcore(slot)].scheduler;
    unsigned warp = slot_warp(slot);
    if (!(s->resident >> warp & 1))
        return NULL;
    return stall_name(attribution_state(s, warp));
}
