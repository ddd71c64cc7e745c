#include "sm/issue/scheduler.h"

#include "base/bits.h"

void scheduler_init(struct scheduler *s, enum config_scheduler policy)
{
    static scheduler_policy *const policies[] = {[CONFIG_SCHEDULER_CGGTY] = cggty_choose,
                                                 [CONFIG_SCHEDULER_GTO] = gto_choose,
                                                 [CONFIG_SCHEDULER_LRR] = lrr_choose};
    s->choose = policies[policy];
    scheduler_begin(s);
}

void scheduler_begin(struct scheduler *s)
{
    *s = (struct scheduler){.choose = s->choose};
    s->turn = SUBCORE_WARPS - 1;
    s->next_wake = UINT64_MAX;
    s->last = SCHEDULER_NONE;
}

void scheduler_archive(struct archive *a, struct scheduler *s) { archive_keep(a, &s->choose); }

void scheduler_wake(struct scheduler *s, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t m = s->closed[STALL_WAIT]; m; m &= m - 1) {
        unsigned i = lowest_bit32(m);
        if (s->stall_until[i] <= now)
            s->closed[STALL_WAIT] &= (uint16_t) ~(1u << i);
        else if (s->stall_until[i] < next)
            next = s->stall_until[i];
    }
    s->closed[STALL_SLEEPING] &= s->closed[STALL_WAIT];
    s->next_wake = next;
}

void scheduler_retire(struct scheduler *s, unsigned warp)
{
    uint16_t keep = (uint16_t) ~(1u << warp);
#define X(reason) s->closed[STALL_##reason] &= keep;
    STALL_GATES(X)
#undef X
    s->resident &= keep;
    s->mio_data &= keep;
    s->redirected &= keep;
    scheduler_clear_class(s, warp);
    if (s->last == (int)warp)
        s->last = SCHEDULER_NONE;
}
