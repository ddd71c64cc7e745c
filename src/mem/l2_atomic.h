/* The atomic unit of an L2 slice: does one operation each l2.atomic_interval, whatever the address. A request brings so
 * many as coalesce_operations of the SM counts. Each sector takes l2.atomic_extra on top.
 *
 * The interval need not be a whole number of cycles: n operations that wait begin at the cycles floor(i * interval),
 * i = 0 .. n-1, so that a contended address is served at exactly the configured rate. The unit takes its operands past
 * the data port of the loads. */
#ifndef SUBCORE_MEM_L2_ATOMIC_H
#define SUBCORE_MEM_L2_ATOMIC_H

#include <stdint.h>

#include "mem/bus.h"

struct l2_atomic {
    uint64_t free; /* fixed point as in struct bus */
};

/* First cycle in which it can begin another operation. */
static inline uint64_t l2_atomic_next(const struct l2_atomic *unit) { return unit->free >> BUS_FRACTION; }

/* Takes so many operations, at least one, at `now` or later, after `extra` (fixed point as in struct bus) in which it
 * does none. Returns the cycle in which the last of them begins. */
static inline uint64_t l2_atomic_take(struct l2_atomic *unit, uint64_t interval, uint64_t now, uint32_t operations,
                                      uint64_t extra)
{
    uint64_t begin = now << BUS_FRACTION;
    if (l2_atomic_next(unit) >= now)
        begin = unit->free;
    unit->free = begin + extra + operations * interval;
    return (unit->free - interval) >> BUS_FRACTION;
}

#endif
