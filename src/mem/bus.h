/* A wire that many messages share: time cut into equal slots, each taken at most once.
 *
 *   slot        ... 40 41 42 43 44 45 46 ...
 *   taken       ...  1  1  0  1  0  0  0 ...
 *                       ^ ready within slot 41: takes 42
 *
 * A message takes the first free slots from its ready time on, so one that is ready early passes one that was booked
 * before it but is ready late. Messages can be booked in any order of their times.
 *
 * A slot need not be a whole number of cycles: its length is fixed point, and slot boundaries are multiples of it,
 * so that nothing is lost to rounding. On a free wire a message leaves when it is ready, not at the next boundary.
 * Bookings more than the window ahead of the earliest free slot push the window on. Earlier slots are lost. */
#ifndef SUBCORE_MEM_BUS_H
#define SUBCORE_MEM_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum { BUS_FRACTION = 20 }; /* fraction bits of a slot's length in cycles */

struct bus {
    uint64_t period; /* length of a slot */
    uint64_t base;   /* first word of 64 slots in the window */
    uint32_t words;  /* in the window, a power of two */
    bool touched;    /* since the last reset */
    uint64_t *taken;
    uint64_t full_from, full_to; /* words known to be full, so that a backlog is not walked through each time */
};

/* Length of a slot that moves `bytes` at `bytes_per_cycle`. */
uint64_t bus_period(double bytes, double bytes_per_cycle);

/* Returns false if the host is out of memory. */
bool bus_create(struct bus *bus, uint64_t period, struct arena *arena);
void bus_reset(struct bus *bus);

/* Takes `slots` free slots at `when` or later. Returns the cycle in which the message begins to arrive: `when` on a
 * free wire, else as much later as its last slot is. */
uint64_t bus_take(struct bus *bus, uint64_t when, uint32_t slots);

#endif
