#include "mem/bus.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/order.h"

/* The window covers so many cycles, within these limits of slots: some times the longest round trip to DRAM. */
enum { WINDOW_CYCLES = 4096, WINDOW_LEAST = 1024, WINDOW_MOST = 65536 };

uint64_t bus_period(double bytes, double bytes_per_cycle)
{
    double period = bytes / bytes_per_cycle * (1 << BUS_FRACTION);
    return period < 1 ? 1 : (uint64_t)llround(period);
}

bool bus_create(struct bus *bus, uint64_t period, struct arena *arena)
{
    uint32_t slots = WINDOW_LEAST;
    while (slots < WINDOW_MOST && slots * period < (uint64_t)WINDOW_CYCLES << BUS_FRACTION)
        slots *= 2;
    *bus = (struct bus){
        .period = period, .words = slots / 64, .taken = arena_take(arena, slots / 64 * sizeof *bus->taken)};
    return bus->taken != NULL;
}

void bus_reset(struct bus *bus)
{
    if (!bus->touched)
        return;
    bus->touched = false;
    bus->base = bus->full_from = bus->full_to = 0;
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

/* Set bits from the lowest one on without a gap. */
static inline uint32_t run_length(uint64_t bits)
{
    uint64_t beyond = ~(bits >> lowest_bit64(bits));
    return beyond == 0 ? 64 : lowest_bit64(beyond);
}

static inline void note_full(struct bus *bus, uint64_t word)
{
    if (word == bus->full_to)
        bus->full_to++;
    else if (word + 1 == bus->full_from)
        bus->full_from--;
    else {
        bus->full_from = word;
        bus->full_to = word + 1;
    }
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
        if (word >= bus->full_from && word < bus->full_to) {
            word = bus->full_to;
            from = UINT64_MAX;
        }
        if (word >= bus->base + bus->words)
            slide(bus, word);
        uint64_t *taken = &bus->taken[word & (bus->words - 1)];
        for (uint64_t open = ~*taken & from; open != 0; open = ~*taken & from) {
            uint32_t run = run_length(open);
            run = run < slots ? run : slots;
            uint32_t first = lowest_bit64(open);
            *taken |= UINT64_MAX >> (64 - run) << first;
            slots -= run;
            if (slots == 0)
                return word * 64 + first + run - 1;
        }
        if (*taken == UINT64_MAX)
            note_full(bus, word);
    }
}

uint64_t bus_take(struct bus *bus, uint64_t when, uint32_t slots)
{
    assert(slots > 0);
    bus->touched = true;
    uint64_t last = book(bus, (when << BUS_FRACTION) / bus->period, slots);
    uint64_t cycle = ((last - (slots - 1)) * bus->period) >> BUS_FRACTION;
    return latest(cycle, when);
}
