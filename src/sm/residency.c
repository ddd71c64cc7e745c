#include "sm/residency.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "sm/legacy/core.h"
#include "sm/sm.h"

static void start_warp(struct sm *sm, uint32_t slot, uint32_t cta)
{
    const uint8_t window = sm->cta[cta].window;
    const struct code_window *code = &sm->code.window[window];
    struct sm_warp *w = &sm->warp[slot];
    sm->started_warps |= UINT64_C(1) << slot;
    uint8_t epoch = w->ib.epoch;
    uint16_t life = w->life;
    memset(w, 0, sizeof *w);
    w->ib.epoch = epoch;
    w->life = life;
    w->cta = (uint8_t)cta;
    w->window = window;
    w->code_base = w->pc = code->base * 16;
    w->code_end = code->end * 16;
    issue_start(&sm->subcore[slot_subcore(slot)].issue, slot_warp(slot), ++sm->next_age, sm->now);
}

void sm_start_cta(struct sm *sm, const struct cta_placement *place, uint64_t linear,
                  const struct cluster_place *cluster)
{
    struct sm_cta *cta = &sm->cta[place->slot];
    assert(!cta->used && place->window < sm->code.windows && place->first_warp + place->warps <= SM_WARPS);
    *cta = (struct sm_cta){.used = true,
                           .waits = place->waits,
                           .window = place->window,
                           .warps = place->warps,
                           .warps_left = place->warps,
                           .first_slot = place->first_warp,
                           .linear = linear,
                           .cluster.place = cluster ? *cluster : (struct cluster_place){.size = 1}};
    sm->ctas++;
    sm->next_age = scheduler_first_age(sm->next_age);
    sm->warps += place->warps;
    sm->started_ctas |= UINT64_C(1) << place->slot;
    for (uint32_t w = 0; w < place->warps; w++)
        start_warp(sm, cta->first_slot + w, place->slot);
    sm->last_progress = sm->now;
}

/* The warp's slot is free, and its CTA's when it was the last. */
static void free_slot(struct sm *sm, uint32_t slot)
{
    const struct sm_warp *w = &sm->warp[slot];
    struct sm_cta *cta = &sm->cta[w->cta];
    mbarrier_unit_forget(&sm->objects, slot);
    lsu_leave(&sm->lsu, slot);
    gate_retire(&sm->gates.subcore[slot_subcore(slot)], slot_warp(slot));
    sm->warps--;
    sm->n.warps++;
    sm->window[cta->window].warps++;
    if (--cta->warps == 0) {
        cta->used = false;
        sm->ctas--;
        if (sm->legacy && sm->ctas == 0)
            legacy_l1_invalidate(&sm->legacy->memory.l1);
        sm->n.ctas++;
        sm->window[cta->window].ctas++;
        sm->finished[sm->finished_count++] = (struct sm_finished){sm->now, w->cta, cta->linear, cta->preexited};
    }
}

/* Nothing is in flight for the exited warp that it waits for. Accel-Sim's core waits for acknowledgements too. */
static bool has_drained(const struct subcore *p, unsigned warp, const struct sm_warp *w, bool legacy)
{
    bool resident = p->scheduler.resident >> warp & 1;
    return resident && w->exited && (legacy ? sm_warp_done(w) : sm_warp_sent(w)) &&
           dependence_idle(&p->dependence, warp);
}

void sm_take_drained(struct sm *sm)
{
    for (uint32_t i = 0; i < sm->retire.count; i++) {
        uint32_t slot = sm->retire.drained[i];
        struct sm_warp *w = &sm->warp[slot];
        if (!has_drained(&sm->subcore[slot_subcore(slot)], slot_warp(slot), w, sm->legacy != NULL))
            continue;
        if (w->leaves <= sm->now) {
            free_slot(sm, slot);
        } else if (!w->leaves_later) {
            w->leaves_later = true;
            calendar_add(&sm->calendar, w->leaves, (struct event){EVENT_EXIT, (uint8_t)slot, 0});
        }
    }
    sm->retire.count = 0;
}
