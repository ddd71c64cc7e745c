#include "sm/scheduler/scheduler.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"

const struct scheduler_policy *scheduler_policy(enum config_scheduler policy)
{
#define ENTRY(constant, word, summary, policy) [CONFIG_##constant] = &policy,
    static const struct scheduler_policy *const all[] = {POLICIES_SCHEDULER(ENTRY)};
#undef ENTRY
    return all[policy];
}

void scheduler_init(struct scheduler *s, enum config_scheduler policy, unsigned active_warps, void *state)
{
    s->policy = scheduler_policy(policy);
    s->state = state;
    s->active_warps = (uint8_t)active_warps;
    s->renewal = 0;
    assert(s->policy->state_bytes <= SCHEDULER_STATE);
    scheduler_begin(s);
}

void scheduler_renew(struct scheduler *s, uint32_t cycles) { s->renewal = cycles; }

void scheduler_begin(struct scheduler *s)
{
    *s = (struct scheduler){
        .policy = s->policy, .state = s->state, .active_warps = s->active_warps, .renewal = s->renewal};
    memset(s->state, 0, s->policy->state_bytes);
    s->always_asked = s->policy->always_asked;
    if (s->policy->event != NULL)
        s->told = s->policy->residency ? 1 << SCHEDULER_STARTS | 1 << SCHEDULER_LEAVES : UINT8_MAX;
    s->turn = SUBCORE_WARPS - 1;
    s->next_wake = UINT64_MAX;
    s->last = SCHEDULER_NONE;
}

int scheduler_oldest_of(const struct scheduler *s, uint16_t warps)
{
    int oldest = (int)lowest_bit32(warps);
    for (uint32_t m = warps & (warps - 1u); m; m &= m - 1) {
        int i = (int)lowest_bit32(m);
        if (s->age[i] < s->age[oldest])
            oldest = i;
    }
    return oldest;
}

void scheduler_archive(struct archive *a, struct scheduler *s)
{
    archive_keep(a, &s->policy);
    archive_keep(a, &s->state);
}

int scheduler_last_or_youngest(const struct scheduler *s, uint16_t warps)
{
    if (s->last != SCHEDULER_NONE && (warps >> s->last & 1))
        return s->last;
    int youngest = (int)lowest_bit32(warps);
    for (uint32_t m = warps & (warps - 1u); m; m &= m - 1) {
        int i = (int)lowest_bit32(m);
        if (s->age[i] > s->age[youngest])
            youngest = i;
    }
    return youngest;
}

int scheduler_last_or_next_older(const struct scheduler *s, uint16_t warps)
{
    if (s->last != SCHEDULER_NONE && (warps >> s->last & 1))
        return s->last;
    uint64_t turn = s->age[s->turn];
    int next = SCHEDULER_NONE, youngest = (int)lowest_bit32(warps);
    for (uint32_t m = warps; m; m &= m - 1) {
        int i = (int)lowest_bit32(m);
        if (s->age[i] > s->age[youngest])
            youngest = i;
        if (s->age[i] < turn && (next == SCHEDULER_NONE || s->age[i] > s->age[next]))
            next = i;
    }
    return next == SCHEDULER_NONE ? youngest : next;
}

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
    s->residents = (uint16_t)(s->residents - (s->resident >> warp & 1));
    s->resident &= keep;
    s->mio_data &= keep;
    s->redirected &= keep;
    scheduler_clear_class(s, warp);
    s->again &= keep;
    if (s->last == (int)warp)
        s->last = SCHEDULER_NONE;
    scheduler_tell(s, SCHEDULER_LEAVES, warp, 0);
}
