#include "base/bits.h"
#include "sm/issue/scheduler.h"

/* Compiler Guided Greedy Then Youngest (MICRO 2025 paper, issue scheduler; confirmed on A100): the warp that issued
 * last goes on as long as its control bits let it; else the eligible warp that started last takes over. */
int cggty_choose(const struct scheduler *s, uint16_t eligible)
{
    if (s->last != SCHEDULER_NONE && (eligible >> s->last & 1))
        return s->last;
    int youngest = (int)lowest_bit32(eligible);
    for (uint32_t m = eligible & (eligible - 1u); m; m &= m - 1) {
        int i = (int)lowest_bit32(m);
        if (s->age[i] > s->age[youngest])
            youngest = i;
    }
    return youngest;
}
