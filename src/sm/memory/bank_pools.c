#include "base/bits.h"
#include "sm/memory/bank_conflicts.h"

/* Pascal: a pool is served for itself, and a wide load never in less than its pools. With one bank in use by two
 * different words the pool takes a transaction more (PasTiS: one and the largest number of conflicts in the pool). */
struct bank_passes bank_pools(const uint32_t offset[32], uint32_t lanes, unsigned bytes, enum bank_use use)
{
    struct bank_passes out = {0, 0};
    unsigned words = bytes <= 4 ? 1 : bytes / 4;
    bool merge = use != BANK_EACH;
    for (unsigned pool = 0; pool < words; pool++) {
        uint32_t members = lanes & bank_group(words, pool);
        if (!members)
            continue;
        out.groups++;
        bool alone = merge && bank_one_pass(offset, members, words);
        out.passes = (uint8_t)(out.passes + (alone ? 1u : bank_passes_of(offset, members, words, merge)));
    }
    return out;
}
