#include "sm/scheduler.h"

#include <string.h>

#include "base/bits.h"

void scheduler_init(struct scheduler *s)
{
    memset(s, 0, sizeof *s);
    s->next_wake = UINT64_MAX;
    s->last = SCHEDULER_NONE;
}

void scheduler_stall(struct scheduler *s, unsigned warp, uint64_t until)
{
    s->stalled |= (uint16_t)(1u << warp);
    s->stall_until[warp] = until;
    if (until < s->next_wake)
        s->next_wake = until;
}

void scheduler_wake(struct scheduler *s, uint64_t now)
{
    if (now < s->next_wake)
        return;
    uint64_t next = UINT64_MAX;
    for (uint32_t m = s->stalled; m; m &= m - 1) {
        unsigned i = lowest_bit32(m);
        if (s->stall_until[i] <= now)
            s->stalled &= (uint16_t) ~(1u << i);
        else if (s->stall_until[i] < next)
            next = s->stall_until[i];
    }
    s->sleeping &= s->stalled;
    s->next_wake = next;
}

int scheduler_choose(const struct scheduler *s, uint16_t eligible)
{
    if (s->last != SCHEDULER_NONE && (eligible >> s->last & 1))
        return s->last;
    int best = (int)lowest_bit32(eligible);
    for (uint32_t m = eligible & (eligible - 1u); m; m &= m - 1) {
        int i = (int)lowest_bit32(m);
        if (s->age[i] > s->age[best])
            best = i;
    }
    return best;
}
