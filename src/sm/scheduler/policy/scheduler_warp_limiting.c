#include "base/bits.h"
#include "sm/scheduler/scheduler.h"

/* Warps that stand at a barrier or a fence, or have nothing left, make room for younger ones. Those that wait for
 * loads do not. */
static uint16_t allowed(const struct scheduler *s)
{
    uint32_t left = s->resident & ~(uint32_t)(s->closed[STALL_BARRIER] | s->closed[STALL_MEMBAR] |
                                              s->closed[STALL_SLEEPING] | s->closed[STALL_DRAIN]);
    uint32_t out = 0;
    for (unsigned i = 0; i < s->active_warps && left; i++) {
        uint32_t oldest = UINT32_C(1) << scheduler_oldest_of(s, (uint16_t)left);
        left &= ~oldest;
        out |= oldest;
    }
    return (uint16_t)out;
}

static int choose(const struct scheduler *s, const void *state, uint16_t eligible, uint64_t now)
{
    (void)state, (void)now;
    if (s->last != SCHEDULER_NONE && (eligible >> s->last & 1))
        return s->last;
    uint16_t may = eligible & allowed(s);
    return may ? scheduler_oldest_of(s, may) : SCHEDULER_NONE;
}

/* Static limiting (Rogers, O'Connor, Aamodt, MICRO 2012): GPGPU-Sim's warp_limiting:2:N. */
const struct scheduler_policy scheduler_warp_limiting = {
    .name = "warp-limiting",
    .summary = "gto among the `core.scheduler_warps` oldest warps",
    .always_asked = true,
    .choose = choose,
};
