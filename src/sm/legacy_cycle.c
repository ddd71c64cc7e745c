/* A cycle of an SM with the legacy core. Engines, objects and messages, which that core does not have, work as with the
 * modern one. */
#include "base/order.h"
#include "sm/cycle.h"
#include "sm/legacy/core.h"
#include "sm/residency.h"

bool sm_legacy_cycle(struct sm *sm, uint64_t now)
{
    struct legacy_core *core = sm->legacy;
    sm->now = now;
    sm->active = sm->ctas != 0;
    sm->n.cycles_active += sm->active;
    calendar_turn(&sm->calendar, now);
    bool moved = port_cycle(&sm->port, now);
    moved |= tma_cycle(&sm->tma, now);
    sm_take_drained(sm);
    moved |= mbarrier_unit_cycle(&sm->objects, now);
    moved |= warpgroup_unit_cycle(&sm->products, now);
    moved |= tensor_engine_cycle(&sm->tensor_engine, now);
    moved |= sm_queues_cycle(sm, now); /* data of objects and other CTAs' memory */
    sm_take_drained(sm);
    moved |= legacy_core_results(core, now);
    sm_take_drained(sm);
    moved |= legacy_core_execute(core, now);
    sm_take_drained(sm);
    for (unsigned p = 0; p < SM_SUBCORES; p++)
        moved |= subcore_control(&sm->subcore[p], now);
    moved |= sm_events_cycle(sm, now);
    moved |= legacy_core_read_operands(core);
    for (unsigned i = 0; i < SM_SUBCORES; i++) { /* the turn counts for the ages of instructions alone */
        unsigned subcore = (unsigned)((now + i) % SM_SUBCORES);
        if (subcore_busy(&sm->subcore[subcore]))
            moved |= legacy_scheduler_cycle(&core->scheduler[subcore], now);
        else
            subcore_count_empty(&sm->subcore[subcore], sm->active, 1);
        sm_take_drained(sm);
    }
    return legacy_fetch_cycle(&core->fetch) || moved;
}
