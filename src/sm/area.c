#include "sm/area.h"

#include "sm/issue/dependence_counters.h"

enum { REGISTER_BITS = 32, STALL_BITS = 4, YIELD_BITS = 1 };

/* Bits of a count from 0 to `most`. */
static uint32_t count_bits(uint32_t most)
{
    uint32_t bits = 0;
    for (; most; most >>= 1)
        bits++;
    return bits;
}

/* The last name of each kind is no register: RZ, URZ, PT, UPT. The names of uniform registers have 6 bits, from sm_100
 * on 8. */
struct area_entries area_entries(const struct config *config)
{
    return (struct area_entries){255, config->gpu.architecture >= 100 ? 255 : 63, 7, 7};
}

uint32_t area_control_bits(void) { return ISA_COUNTERS * count_bits(ISA_COUNTER_MOST) + STALL_BITS + YIELD_BITS; }

uint32_t area_scoreboard(const struct config *config, uint32_t consumers)
{
    struct area_entries e = area_entries(config);
    uint32_t entries = e.regular + e.uniform + e.predicate + e.uniform_predicate;
    return entries * (1 + count_bits(consumers)); /* pending, and the count */
}

struct area area_of(const struct config *config, uint32_t warp_bits)
{
    uint64_t bits = (uint64_t)warp_bits * config->sm.warps;
    return (struct area){warp_bits, bits, (double)bits / ((double)config->sm.registers * REGISTER_BITS)};
}
