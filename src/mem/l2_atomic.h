/* The atomic unit of an L2 slice: does one operation each l2.atomic_interval, whatever the address. A request brings so
 * many as coalesce_operations of the SM counts. Each of its sectors takes l2.atomic_extra on top, and one other than
 * the sector before takes l2.atomic_least at least.
 *
 * The interval need not be a whole number of cycles: n operations that wait begin at the cycles floor(i * interval),
 * i = 0 .. n-1, so that a contended address is served at exactly the configured rate. The unit takes its operands past
 * the data port of the loads. */
#ifndef SUBCORE_MEM_L2_ATOMIC_H
#define SUBCORE_MEM_L2_ATOMIC_H

#include <stdint.h>

#include "base/bits.h"
#include "mem/bus.h"
#include "port/message.h"

struct l2_atomic {
    uint64_t free;   /* fixed point as in struct bus */
    uint64_t sector; /* address of the sector that it changed last, and 1 (0: none yet) */
};

/* First cycle in which it can begin another operation. */
static inline uint64_t l2_atomic_next(const struct l2_atomic *unit) { return unit->free >> BUS_FRACTION; }

/* Notes that sectors of a line follow, in their order. Returns the number of those that are not the one before. */
static inline uint32_t l2_atomic_open(struct l2_atomic *unit, uint64_t line, uint8_t sectors)
{
    uint64_t first = line + lowest_bit32(sectors) * PORT_SECTOR + 1;
    uint32_t opened = popcount4(sectors) - (first == unit->sector);
    unit->sector = line + highest_bit32(sectors) * PORT_SECTOR + 1;
    return opened;
}

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
