/* The latches in front of and behind the operand collectors: one of each unit for each scheduler, so that an
 * instruction issues when the latch of its unit is free, and leaves its collector when the unit's input is. */
#ifndef SUBCORE_SM_LEGACY_LATCHES_H
#define SUBCORE_SM_LEGACY_LATCHES_H

#include <assert.h>

#include "base/bits.h"
#include "sm/legacy/units.h"
#include "sm/slot.h"

/* The latches of one side. All bytes 0: empty. */
struct legacy_latches {
    struct legacy_op op[LEGACY_UNITS][SM_SUBCORES];
    uint8_t taken[LEGACY_UNITS]; /* bit for each sub-core */
    uint32_t count;
};

static inline bool legacy_latch_taken(const struct legacy_latches *l, unsigned unit, unsigned subcore)
{
    return l->taken[unit] >> subcore & 1;
}

static inline void legacy_latch_put(struct legacy_latches *l, unsigned unit, unsigned subcore, struct legacy_op op)
{
    assert(!legacy_latch_taken(l, unit, subcore));
    l->op[unit][subcore] = op;
    l->taken[unit] |= (uint8_t)(1u << subcore);
    l->count++;
}

static inline struct legacy_op legacy_latch_take(struct legacy_latches *l, unsigned unit, unsigned subcore)
{
    assert(legacy_latch_taken(l, unit, subcore));
    l->taken[unit] &= (uint8_t) ~(1u << subcore);
    l->count--;
    return l->op[unit][subcore];
}

/* Returns the sub-core whose instruction for the unit is the oldest. There is one. */
static inline unsigned legacy_latch_oldest(const struct legacy_latches *l, unsigned unit)
{
    unsigned oldest = lowest_bit32(l->taken[unit]);
    for (uint32_t m = l->taken[unit] & (l->taken[unit] - 1u); m; m &= m - 1) {
        unsigned i = lowest_bit32(m);
        if ((int32_t)(l->op[unit][i].age - l->op[unit][oldest].age) < 0)
            oldest = i;
    }
    return oldest;
}

#endif
