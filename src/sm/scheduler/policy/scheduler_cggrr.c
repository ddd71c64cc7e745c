#include "sm/scheduler/scheduler.h"

static int choose(const struct scheduler *s, const void *state, uint16_t eligible, uint64_t now)
{
    (void)state, (void)now;
    return scheduler_last_or_next_older(s, eligible);
}

/* Compiler Guided Greedy, then Round Robin: the warp that issued last goes on as long as its control bits let it; else
 * the next older one takes over, and the youngest one behind the oldest. Eight warps of a sub-core get equal shares so,
 * as on an H200. A sub-core in which none has issued before begins as CGGTY does. */
const struct scheduler_policy scheduler_cggrr = {
    .name = "cggrr",
    .summary = "the warp that issued last, then the next older one, around",
    .greedy = true,
    .choose = choose,
};
