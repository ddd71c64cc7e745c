#include "sm/residency.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "sm/sm.h"

static void start_warp(struct sm *sm, uint32_t slot, uint32_t cta)
{
    struct sm_warp *w = &sm->warp[slot];
    uint8_t epoch = w->ib.epoch;
    memset(w, 0, sizeof *w);
    w->ib.epoch = epoch;
    w->cta = (uint8_t)cta;
    issue_start(&sm->subcore[slot_subcore(slot)].issue, slot_warp(slot), ++sm->next_age, sm->now);
}

void sm_start_cta(struct sm *sm, uint32_t cta_slot, uint64_t linear, uint32_t threads,
                  const struct cluster_place *cluster)
{
    uint32_t warps = div_up32(threads, 32);
    struct sm_cta *cta = &sm->cta[cta_slot];
    assert(!cta->used && warps == sm->code.warps_per_cta);
    *cta = (struct sm_cta){.used = true,
                           .warps = (uint16_t)warps,
                           .warps_left = (uint16_t)warps,
                           .first_slot = (uint16_t)(cta_slot * warps),
                           .linear = linear,
                           .cluster.place = cluster ? *cluster : (struct cluster_place){.size = 1}};
    sm->ctas++;
    sm->warps += warps;
    for (uint32_t w = 0; w < warps; w++)
        start_warp(sm, cta->first_slot + w, cta_slot);
    sm->last_progress = sm->now;
}

/* The warp's slot is free, and its CTA's when it was the last. */
static void free_slot(struct sm *sm, uint32_t slot)
{
    const struct sm_warp *w = &sm->warp[slot];
    struct sm_cta *cta = &sm->cta[w->cta];
    mbarrier_unit_forget(&sm->objects, slot);
    gate_retire(&sm->gates.subcore[slot_subcore(slot)], slot_warp(slot));
    sm->warps--;
    sm->n.warps++;
    if (--cta->warps == 0) {
        cta->used = false;
        sm->ctas--;
        sm->n.ctas++;
        sm->finished[sm->finished_count++] = (struct sm_finished){sm->now, w->cta, cta->linear, cta->preexited};
    }
}

void sm_take_drained(struct sm *sm)
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
