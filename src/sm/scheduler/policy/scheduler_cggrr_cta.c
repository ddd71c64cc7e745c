#include "base/bits.h"
#include "sm/scheduler/scheduler.h"

/* Returns the warps among `eligible`, which is not 0, that belong to the CTA that started last. */
static uint16_t youngest_cta(const struct scheduler *s, uint16_t eligible)
{
    uint16_t warps = 0;
    uint64_t cta = 0;
    for (uint32_t m = eligible; m; m &= m - 1) {
        unsigned i = lowest_bit32(m);
        uint64_t of = scheduler_cta(s->age[i]);
        if (of > cta)
            warps = 0;
        if (of >= cta)
            warps |= (uint16_t)(1u << i);
        cta = of > cta ? of : cta;
    }
    return warps;
}

static int choose(const struct scheduler *s, const void *state, uint16_t eligible, uint64_t now)
{
    (void)state, (void)now;
    if (s->last != SCHEDULER_NONE && (eligible >> s->last & 1))
        return s->last;
    return scheduler_last_or_next_older(s, youngest_cta(s, eligible));
}

/* CGGRR within a CTA, and the youngest CTA first. Counts of an H200 (docs/core.md): the warps of a CTA advance evenly,
 * and eight CTAs on an SM end one after another. */
const struct scheduler_policy scheduler_cggrr_cta = {
    .name = "cggrr-cta",
    .summary = "cggrr within a CTA, of those that can issue the one that started last",
    .greedy = true,
    .choose = choose,
};
