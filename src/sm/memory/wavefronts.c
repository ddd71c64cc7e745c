#include "sm/memory/wavefronts.h"

#include "base/bits.h"
#include "base/order.h"
#include "isa/issued.h"

/* Passes of a group: as shared memory's, with whole addresses. */
static unsigned group_passes(const uint64_t address[32], uint32_t lanes, unsigned words)
{
    uint64_t word[32], least = UINT64_MAX, most = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned lane = lowest_bit32(m);
        word[lane] = address[lane] / 4;
        least = earliest(least, word[lane]);
        most = latest(most, word[lane]);
    }
    return bank_near(least, most, words) ? 1 : bank_group_passes(word, lanes, words, true);
}

struct bank_passes wavefronts_global(const uint64_t address[32], uint32_t lanes, unsigned bytes)
{
    struct bank_passes out = {0, 0};
    unsigned words = bytes <= 4 ? 1 : bytes / 4;
    if (lanes == UINT32_MAX && issued_in_a_row(address, bytes))
        return (struct bank_passes){(uint8_t)words, (uint8_t)words};
    for (unsigned group = 0; group < words; group++) {
        uint32_t members = lanes & bank_group(words, group);
        if (!members)
            continue;
        out.groups++;
        out.passes = (uint8_t)(out.passes + group_passes(address, members, words));
    }
    return out;
}

struct bank_passes wavefronts_local(uint32_t lanes, unsigned bytes)
{
    uint8_t passes = (uint8_t)(!lanes ? 0u : bytes <= 4 ? 1u : bytes / 4);
    return (struct bank_passes){passes, passes};
}

struct bank_passes wavefronts_copy(struct bank_passes shared, struct bank_passes source, unsigned tag_passes)
{
    unsigned passes = shared.passes > source.passes ? shared.passes : source.passes;
    unsigned tags = shared.groups + (tag_passes ? tag_passes - 1 : 0);
    return (struct bank_passes){shared.groups, (uint8_t)(shared.groups && tags > passes ? tags : passes)};
}
