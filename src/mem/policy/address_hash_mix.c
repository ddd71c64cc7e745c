#include "base/hash.h"
#include "mem/address_hash.h"

static uint32_t turn(uint64_t block, uint32_t by) { return (uint32_t)(((hash_mix(block) >> 32) * by) >> 32); }

/* Spreads strides over any number of places like random numbers. */
const struct address_hash_policy address_hash_mix = {
    .name = "mix",
    .summary = "a mixer with full avalanche, the same for any number of places",
    .turn = turn,
};
