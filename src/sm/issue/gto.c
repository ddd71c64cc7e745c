#include "base/bits.h"
#include "sm/issue/scheduler.h"

/* Greedy Then Oldest (Rogers, O'Connor, Aamodt, MICRO 2012), for comparison: the warp that issued last goes on; else
 * the eligible warp that started first takes over. */
int gto_choose(const struct scheduler *s, uint16_t eligible)
{
    if (s->last != SCHEDULER_NONE && (eligible >> s->last & 1))
        return s->last;
    int oldest = (int)lowest_bit32(eligible);
    for (uint32_t m = eligible & (eligible - 1u); m; m &= m - 1) {
        int i = (int)lowest_bit32(m);
        if (s->age[i] < s->age[oldest])
            oldest = i;
    }
    return oldest;
}
