#include "sm/sm.h"

#include "base/bits.h"
#include "base/order.h"
#include "sm/cycle.h"
#include "sm/legacy/core.h"
#include "sm/residency.h"

/* ---- the pipeline ------------------------------------------------------------------------------------------------ */

static bool subcores_cycle(struct sm *sm, uint64_t now)
{
    bool moved = false;
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        struct subcore *p = &sm->subcore[subcore];
        if (nap_goes_on(&p->nap, now))
            continue;
        if (!subcore_busy(p)) {
            subcore_count_empty(p, sm->active, 1);
            continue;
        }
        moved |= subcore_cycle(p, now);
        if (retire_has_drained(&sm->retire))
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
    if (moved)
        lsu_replied(&sm->lsu);
    moved |= tma_cycle(&sm->tma, now); /* bulk and tensor copies */
    if (retire_has_drained(&sm->retire))
        sm_take_drained(sm);
    moved |= texture_unit_cycle(&sm->textures, now);   /* before other accesses to the L1 of the cycle */
    moved |= lsu_cycle(&sm->lsu, now);                 /* shared part of the memory unit; its releases are free now */
    moved |= mbarrier_unit_cycle(&sm->objects, now);   /* waits at barrier objects whose time is up */
    moved |= fp64_unit_cycle(&sm->fp64, now);          /* the FP64 unit that the sub-cores share */
    moved |= warpgroup_unit_cycle(&sm->products, now); /* products of warpgroups; LSU has shared memory first */
    moved |= tensor_engine_cycle(&sm->tensor_engine, now); /* the same of tcgen05, and its commits */
    moved |= sm_queues_cycle(sm, now);                     /* queues of the sub-cores' other units, loaded data */
    if (retire_has_drained(&sm->retire))
        sm_take_drained(sm); /* warps that have nothing left leave */
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        moved |= subcore_control(&sm->subcore[p], now); /* a counter is up before it can go down */
    moved |= sm_events_cycle(sm, now);                  /* write-back, barriers, lines and constants that arrive */
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
    if (sm->legacy && !legacy_core_idle(sm->legacy))
        next = now + 1;
    return latest(next, now + 1);
}

/* Nothing moves in the next cycles: they count as the one just run did. Sub-cores with warps nap. */
static void repeat_idle(struct sm *sm, uint64_t times)
{
    sm->n.cycles_active += sm->active ? times : 0;
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        if (!subcore_busy(&sm->subcore[p]))
            subcore_count_empty(&sm->subcore[p], sm->active, times);
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
        if (sm->ctas == 0 && sm->calendar.count == 0 && inbox_next(&sm->port.in) == UINT64_MAX &&
            peers_empty(&sm->port.peers)) {
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
