/* A cycle of an SM with the legacy core. Engines, objects and messages, which that core does not have, work as with the
 * modern one. */
#include "base/order.h"
#include "sm/cycle.h"
#include "sm/legacy/core.h"
#include "sm/residency.h"

static bool engines_cycle(struct sm *sm, uint64_t now)
{
    bool moved = tma_cycle(&sm->tma, now);
    sm_take_drained(sm);
    moved |= mbarrier_unit_cycle(&sm->objects, now);
    moved |= warpgroup_unit_cycle(&sm->products, now);
    moved |= tensor_engine_cycle(&sm->tensor_engine, now);
    moved |= sm_queues_cycle(sm, now); /* data of objects and of other CTAs' memory */
    sm_take_drained(sm);
    return moved;
}

/* Schedulers work in a turn that goes on by one in each cycle; nothing depends on it but the order of ages. */
static bool issue_cycle_of(struct sm *sm, uint64_t now)
{
    bool moved = false;
    for (unsigned i = 0; i < SM_SUBCORES; i++) {
        unsigned subcore = (unsigned)((now + i) % SM_SUBCORES);
        struct subcore *p = &sm->subcore[subcore];
        if (subcore_busy(p))
            moved |= legacy_scheduler_cycle(&sm->legacy->scheduler[subcore], now);
        else
            sm_count_empty(sm, p, 1);
        sm_take_drained(sm);
    }
    return moved;
}

bool sm_legacy_cycle(struct sm *sm, uint64_t now)
{
    struct legacy_core *core = sm->legacy;
    sm->now = now;
    sm->active = sm->ctas != 0;
    sm->n.cycles_active += sm->active;
    calendar_turn(&sm->calendar, now);
    bool moved = port_cycle(&sm->port, now);
    moved |= engines_cycle(sm, now);
    moved |= legacy_core_results(core, now);
    sm_take_drained(sm);
    moved |= legacy_core_execute(core, now);
    sm_take_drained(sm);
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        moved |= subcore_control(&sm->subcore[p], now);
    moved |= sm_events_cycle(sm, now);
    moved |= legacy_core_read_operands(core);
    moved |= issue_cycle_of(sm, now);
    moved |= legacy_fetch_cycle(&core->fetch);
    return moved;
}

uint64_t sm_legacy_next(const struct sm *sm, uint64_t now)
{
    return legacy_core_idle(sm->legacy) ? UINT64_MAX : now + 1;
}
