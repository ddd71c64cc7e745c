#include "sm/memory/fence.h"

#include "base/bits.h"
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
    *f = (struct fence){now + cycles(&sm->config->lsu, scope), sm->lsu.unacknowledged.last, (uint8_t)scope};
    if (scope != FENCE_CTA)
        sm->lsu.unacknowledged.waiting |= UINT64_C(1) << slot;
    gates_close(&sm->gates, slot, STALL_MEMBAR);
    calendar_add(&sm->calendar, f->until, (struct event){EVENT_MEMBAR, (uint8_t)slot, 0});
}

void fence_sent(struct sm *sm, uint16_t token)
{
    struct unacknowledged *u = &sm->lsu.unacknowledged;
    struct access *a = &sm->lsu.table.access[token];
    a->number = ++u->last;
    a->older = u->youngest;
    a->younger = LSU_NO_TOKEN;
    if (u->count++ == 0)
        u->oldest = token;
    else
        sm->lsu.table.access[u->youngest].younger = token;
    u->youngest = token;
}

void fence_acknowledged(struct sm *sm, uint16_t token)
{
    struct unacknowledged *u = &sm->lsu.unacknowledged;
    const struct access *a = &sm->lsu.table.access[token];
    u->count--;
    if (token != u->youngest)
        sm->lsu.table.access[a->younger].older = a->older;
    else
        u->youngest = a->older;
    if (token != u->oldest) {
        sm->lsu.table.access[a->older].younger = a->younger;
        return;
    }
    u->oldest = a->younger;
    for (uint64_t left = u->waiting; left; left &= left - 1)
        fence_try(sm, lowest_bit64(left));
}

/* Everything that the SM sent before the fence is acknowledged. */
static bool performed(const struct sm *sm, const struct fence *f)
{
    const struct unacknowledged *u = &sm->lsu.unacknowledged;
    return u->count == 0 || sm->lsu.table.access[u->oldest].number > f->number;
}

void fence_try(struct sm *sm, uint32_t slot)
{
    struct sm_warp *w = &sm->warp[slot];
    if (w->fence.scope == FENCE_NONE || sm->now < w->fence.until)
        return;
    if (w->accesses > (w->fence.scope == FENCE_CTA ? w->posted : 0u))
        return;
    if (w->fence.scope != FENCE_CTA && !performed(sm, &w->fence))
        return;
    w->fence.scope = FENCE_NONE;
    sm->lsu.unacknowledged.waiting &= ~(UINT64_C(1) << slot);
    gates_open(&sm->gates, slot, STALL_MEMBAR);
}
