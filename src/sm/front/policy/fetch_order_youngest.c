#include "sm/front/fetch_policy.h"
#include "sm/scheduler/scheduler.h"

static int choose(const struct scheduler *s, uint16_t candidates, uint64_t now)
{
    (void)now;
    return scheduler_last_or_youngest(s, candidates);
}

/* MICRO 2025 paper, fetch; the authors' assumption: the warp that issued last, until its buffer entries and fetches
 * under way fill its buffer; then the youngest warp with room. */
const struct fetch_order_policy fetch_order_youngest = {
    .name = "youngest",
    .summary = "the warp that issued last, then the youngest with room",
    .choose = choose,
};
