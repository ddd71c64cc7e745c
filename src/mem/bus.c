#include "mem/bus.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* The window covers so many cycles, within these limits of slots: some times the longest round trip to DRAM. */
enum { WINDOW_CYCLES = 4096, WINDOW_LEAST = 1024, WINDOW_MOST = 65536 };

uint64_t bus_period(double bytes, double bytes_per_cycle)
{
    double period = bytes / bytes_per_cycle * (1 << BUS_FRACTION);
    return period < 1 ? 1 : (uint64_t)llround(period);
}

bool bus_create(struct bus *bus, uint64_t period)
{
    uint32_t slots = WINDOW_LEAST;
    while (slots < WINDOW_MOST && slots * period < (uint64_t)WINDOW_CYCLES << BUS_FRACTION)
        slots *= 2;
    *bus = (struct bus){.period = period, .words = slots / 64, .taken = calloc(slots / 64, sizeof *bus->taken)};
    return bus->taken != NULL;
}

void bus_destroy(struct bus *bus)
{
    free(bus->taken);
    bus->taken = NULL;
}

void bus_reset(struct bus *bus)
{
    bus->base = 0;
    memset(bus->taken, 0, bus->words * sizeof *bus->taken);
}

/* Moves the window so that `word` is its last. */
static void slide(struct bus *bus, uint64_t word)
{
    uint64_t base = word - bus->words + 1;
    if (base - bus->base >= bus->words)
        memset(bus->taken, 0, bus->words * sizeof *bus->taken);
    else
        for (uint64_t w = bus->base; w < base; w++)
            bus->taken[w & (bus->words - 1)] = 0;
    bus->base = base;
}

/* The `count` lowest set bits; there are more than `count`. */
static inline uint64_t lowest(uint64_t bits, uint32_t count)
{
    uint64_t run = ((UINT64_C(1) << count) - 1) << lowest_bit64(bits);
    if ((bits & run) == run)
        return run;
    uint64_t rest = bits;
    for (uint32_t i = 0; i < count; i++)
        rest &= rest - 1;
    return bits ^ rest;
}

/* Takes the slots and returns the last one. */
static uint64_t book(struct bus *bus, uint64_t slot, uint32_t slots)
{
    uint64_t word = slot / 64;
    uint64_t from = UINT64_MAX << (slot % 64);
    if (word < bus->base) {
        word = bus->base;
        from = UINT64_MAX;
    }
    for (;; word++, from = UINT64_MAX) {
        if (word >= bus->base + bus->words)
            slide(bus, word);
        uint64_t *taken = &bus->taken[word & (bus->words - 1)];
        uint64_t open = ~*taken & from;
        uint32_t count = (uint32_t)__builtin_popcountll(open);
        if (count >= slots) {
            uint64_t mine = count == slots ? open : lowest(open, slots);
            *taken |= mine;
            return word * 64 + highest_bit64(mine);
        }
        *taken |= open;
        slots -= count;
    }
}

uint64_t bus_take(struct bus *bus, uint64_t when, uint32_t slots)
{
    assert(slots > 0);
    uint64_t last = book(bus, (when << BUS_FRACTION) / bus->period, slots);
    uint64_t first = (last - (slots - 1)) * bus->period;
    uint64_t cycle = (first + (UINT64_C(1) << BUS_FRACTION) - 1) >> BUS_FRACTION;
    return cycle > when ? cycle : when;
}
