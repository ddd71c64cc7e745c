#include "base/bits.h"
#include "sm/issue/scheduler.h"

/* Loose Round Robin, for comparison: the first eligible warp behind the one that issued last, in the order of the
 * slots. Loose: who is not eligible loses its turn. */
int lrr_choose(const struct scheduler *s, uint16_t eligible)
{
    uint32_t behind = eligible & ~((2u << s->turn) - 1);
    return (int)lowest_bit32(behind ? behind : eligible);
}
