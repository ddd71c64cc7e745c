#include "base/bits.h"
#include "sm/scheduler/scheduler.h"

static int choose(const struct scheduler *s, const void *state, uint16_t eligible, uint64_t now)
{
    (void)state, (void)now;
    uint32_t behind = eligible & ~((2u << s->turn) - 1);
    return (int)lowest_bit32(behind ? behind : eligible);
}

/* Loose Round Robin, for comparison, in the order of the slots. Loose: a warp that is not eligible loses its turn. */
const struct scheduler_policy scheduler_lrr = {
    .name = "lrr",
    .summary = "the first eligible warp behind the one that issued last",
    .choose = choose,
};
