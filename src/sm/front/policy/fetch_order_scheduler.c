#include "sm/front/fetch_policy.h"
#include "sm/scheduler/scheduler.h"

static int choose(const struct scheduler *s, uint16_t candidates, uint64_t now)
{
    return (int)scheduler_prefers(s, candidates, now);
}

/* For comparison: instructions are fetched for the warp that would issue first. */
const struct fetch_order_policy fetch_order_scheduler = {
    .name = "scheduler",
    .summary = "the warp that the warp scheduler would let issue",
    .choose = choose,
};
