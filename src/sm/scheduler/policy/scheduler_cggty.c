#include "sm/scheduler/scheduler.h"

static int choose(const struct scheduler *s, const void *state, uint16_t eligible, uint64_t now)
{
    (void)state, (void)now;
    return scheduler_last_or_youngest(s, eligible);
}

/* Compiler Guided Greedy Then Youngest (MICRO 2025 paper, issue scheduler; confirmed on A100): the warp that issued
 * last goes on as long as its control bits let it; else the eligible warp that started last takes over. */
const struct scheduler_policy scheduler_cggty = {
    .name = "cggty",
    .summary = "the warp that issued last, then the youngest",
    .greedy = true,
    .choose = choose,
};
