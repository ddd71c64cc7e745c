#include "sm/scheduler/scheduler.h"

static int choose(const struct scheduler *s, const void *state, uint16_t eligible, uint64_t now)
{
    (void)state, (void)now;
    if (s->last != SCHEDULER_NONE && (eligible >> s->last & 1))
        return s->last;
    return scheduler_oldest_of(s, eligible);
}

/* Greedy Then Oldest (Rogers, O'Connor, Aamodt, MICRO 2012), for comparison. */
const struct scheduler_policy scheduler_gto = {
    .name = "gto",
    .summary = "the warp that issued last, then the oldest",
    .greedy = true,
    .choose = choose,
};
