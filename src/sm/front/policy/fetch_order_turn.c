#include "sm/front/fetch_policy.h"
#include "sm/scheduler/scheduler.h"

static int choose(const struct scheduler *s, uint16_t candidates, uint64_t now)
{
    (void)now;
    return scheduler_last_or_next_older(s, candidates);
}

/* As the warps take turns to issue. */
const struct fetch_order_policy fetch_order_turn = {
    .name = "turn",
    .summary = "the warp that issued last, then the next older one with room, around",
    .choose = choose,
};
