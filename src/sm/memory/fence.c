#include "sm/memory/fence.h"

#include "base/bits.h"
#include "sm/memory/pending_table.h"
#include "sm/scheduler/warp_gate.h"
#include "sm/warp.h"

enum fence_scope fence_scope_of(unsigned scope)
{
    switch (scope) {
    case ISA_SCOPE_CTA:
    case ISA_SCOPE_SM:
    case ISA_SCOPE_CTA_PARTIAL: return FENCE_CTA;
    case ISA_SCOPE_SYS: return FENCE_SYS;
    default: return FENCE_GPU; /* VC, before EXIT in code for debuggers, is not documented */
    }
}

static uint32_t cycles(const struct config_lsu *c, enum fence_scope scope)
{
    return scope == FENCE_CTA ? c->fence_cta : scope == FENCE_SYS ? c->fence_sys : c->fence_gpu;
}

void fence_begin(struct fences *f, uint32_t slot, enum fence_scope scope, uint64_t now)
{
    uint64_t until = now + cycles(f->to.config, scope);
    f->to.warp[slot].fence = (struct fence){until, f->unacknowledged.last, (uint8_t)scope};
    if (scope != FENCE_CTA)
        f->unacknowledged.waiting |= UINT64_C(1) << slot;
    gates_close(f->to.gates, slot, STALL_MEMBAR);
    calendar_add(f->to.calendar, until, (struct event){EVENT_MEMBAR, (uint8_t)slot, 0});
}

void fence_sent(struct fences *f, uint16_t token)
{
    struct unacknowledged *u = &f->unacknowledged;
    struct access *access = f->to.table->access, *a = &access[token];
    a->number = ++u->last;
    a->older = u->youngest;
    a->younger = LSU_NO_TOKEN;
    if (u->count++ == 0)
        u->oldest = token;
    else
        access[u->youngest].younger = token;
    u->youngest = token;
}

void fence_acknowledged(struct fences *f, uint16_t token, uint64_t now)
{
    struct unacknowledged *u = &f->unacknowledged;
    struct access *access = f->to.table->access;
    const struct access *a = &access[token];
    u->count--;
    if (token != u->youngest)
        access[a->younger].older = a->older;
    else
        u->youngest = a->older;
    if (token != u->oldest) {
        access[a->older].younger = a->younger;
        return;
    }
    u->oldest = a->younger;
    for (uint64_t left = u->waiting; left; left &= left - 1)
        fence_try(f, lowest_bit64(left), now);
}

/* Everything that the SM sent before the fence is acknowledged. */
static bool performed(const struct fences *f, const struct fence *fence)
{
    const struct unacknowledged *u = &f->unacknowledged;
    return u->count == 0 || f->to.table->access[u->oldest].number > fence->number;
}

void fence_try(struct fences *f, uint32_t slot, uint64_t now)
{
    struct sm_warp *w = &f->to.warp[slot];
    if (w->fence.scope == FENCE_NONE || now < w->fence.until)
        return;
    if (w->accesses > (w->fence.scope == FENCE_CTA ? w->posted : 0u))
        return;
    if (w->fence.scope != FENCE_CTA && !performed(f, &w->fence))
        return;
    w->fence.scope = FENCE_NONE;
    f->unacknowledged.waiting &= ~(UINT64_C(1) << slot);
    gates_open(f->to.gates, slot, STALL_MEMBAR);
}
