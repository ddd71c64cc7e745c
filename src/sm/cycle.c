#include "sm/cycle.h"

#include "base/bits.h"
#include "sm/residency.h"

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
    case EVENT_EXIT: issue_exit_over(&p->issue, warp); break;
    }
}

bool sm_take_events(struct sm *sm, uint64_t now)
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
bool sm_run_queues(struct sm *sm, uint64_t now)
{
    bool moved = false;
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
