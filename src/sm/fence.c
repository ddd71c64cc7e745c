#include "sm/fence.h"

#include "sm/sm.h"

enum fence_scope fence_scope_of(unsigned encoded)
{
    enum { CTA = 0, SM = 1, SYS = 3, CTA_PARTIAL = 6 };
    switch (encoded) {
    case CTA:
    case SM:
    case CTA_PARTIAL: return FENCE_CTA;
    case SYS: return FENCE_SYS;
    default: return FENCE_GPU; /* VC, before EXIT in code for debuggers, is not documented */
    }
}

static uint32_t cycles(const struct config_lsu *c, enum fence_scope scope)
{
    return scope == FENCE_CTA ? c->fence_cta : scope == FENCE_SYS ? c->fence_sys : c->fence_gpu;
}

void fence_begin(struct sm *sm, uint32_t slot, enum fence_scope scope, uint64_t now)
{
    struct fence *f = &sm->warp[slot].fence;
    *f = (struct fence){now + cycles(&sm->config->lsu, scope), (uint8_t)scope};
    sm->partition[slot % SM_PARTITIONS].scheduler.membar |= (uint16_t)(1u << slot / SM_PARTITIONS);
    calendar_add(&sm->calendar, f->until, (struct event){EVENT_MEMBAR, (uint8_t)slot, 0});
}

void fence_try(struct sm *sm, uint32_t slot)
{
    struct sm_warp *w = &sm->warp[slot];
    if (w->fence.scope == FENCE_NONE || sm->now < w->fence.until)
        return;
    if (w->accesses > (w->fence.scope == FENCE_CTA ? w->posted : 0u))
        return;
    w->fence.scope = FENCE_NONE;
    sm->partition[slot % SM_PARTITIONS].scheduler.membar &= (uint16_t) ~(1u << slot / SM_PARTITIONS);
}
