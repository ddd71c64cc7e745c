#include "sm/front/fetch_policy.h"
#include "sm/scheduler/scheduler.h"

static int choose(const struct scheduler *s, uint16_t candidates, uint64_t now)
{
    (void)now;
    uint16_t empty = candidates & (uint16_t)s->closed[STALL_NO_INSTRUCTION];
    return scheduler_last_or_next_older(s, empty ? empty : candidates);
}

/* Profiler counts of an H200: sixteen warps of a sub-core that branch wait no longer for instructions than a few do
 * (docs/core.md). */
const struct fetch_order_policy fetch_order_empty = {
    .name = "empty",
    .summary = "warps without a decoded instruction, then all with room: the one that issued last, then the next older",
    .choose = choose,
};
