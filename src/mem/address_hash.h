/* The hash by which address maps lay blocks of lines over slices, sets, channels and banks in rotated order. Each hash
 * is a file src/mem/policy/address_hash_NAME.c. A map rotates whole blocks, so that no hash can give two lines one
 * place. Vendors do not publish their hashes. */
#ifndef SUBCORE_MEM_ADDRESS_HASH_H
#define SUBCORE_MEM_ADDRESS_HASH_H

#include <stdint.h>

#include "config/config.h"

struct address_hash_policy {
    const char *name, *summary;
    /* Returns by how many of its `by` places, at least 1, a block is rotated; below `by`. */
    uint32_t (*turn)(uint64_t block, uint32_t by);
};

#define ADDRESS_DECLARE_HASH(constant, word, summary, policy) extern const struct address_hash_policy policy;
POLICIES_ADDRESS_HASH(ADDRESS_DECLARE_HASH)

/* The hash of all maps. There is no key yet, since there is one hash. A constant is inlined. */
#define ADDRESS_HASH address_hash_mix

/* Returns the place after the rotation of a block. */
static inline uint32_t address_turn(uint64_t block, uint32_t place, uint32_t by)
{
    uint32_t turned = place + ADDRESS_HASH.turn(block, by);
    return turned >= by ? turned - by : turned;
}

#endif
