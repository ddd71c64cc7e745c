#include "sm/scheduler/scheduler.h"

static int choose(const struct scheduler *s, const void *state, uint16_t eligible, uint64_t now)
{
    (void)state, (void)now;
    return scheduler_oldest_of(s, eligible);
}

/* Oldest first, without greed: GPGPU-Sim's old. */
const struct scheduler_policy scheduler_oldest = {
    .name = "oldest",
    .summary = "the oldest warp",
    .choose = choose,
};
