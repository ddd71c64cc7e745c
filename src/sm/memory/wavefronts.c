#include "sm/memory/wavefronts.h"

#include "base/bits.h"
#include "isa/issued.h"

enum { BANKS = 32, ROW = 128 };

static unsigned conflicts(const uint64_t address[32], uint32_t lanes, unsigned words)
{
    uint64_t word[BANKS][32];
    uint8_t count[BANKS] = {0};
    unsigned passes = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint64_t first = address[lowest_bit32(m)] / 4;
        for (unsigned w = 0; w < words; w++) {
            unsigned bank = (first + w) % BANKS, i = 0;
            while (i < count[bank] && word[bank][i] != first + w)
                i++;
            if (i == count[bank])
                word[bank][count[bank]++] = first + w;
            if (count[bank] > passes)
                passes = count[bank];
        }
    }
    return passes;
}

/* The usual case: words that are no further apart than the banks are wide. */
static bool near(const uint64_t address[32], uint32_t lanes, unsigned bytes)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint64_t a = address[lowest_bit32(m)];
        least = a < least ? a : least;
        most = a > most ? a : most;
    }
    return most + bytes - least / 4 * 4 <= ROW;
}

struct bank_passes wavefronts_global(const uint64_t address[32], uint32_t lanes, unsigned bytes)
{
    struct bank_passes out = {0, 0};
    unsigned words = bytes <= 4 ? 1 : bytes / 4, group = 32 / words;
    if (lanes == UINT32_MAX && issued_in_a_row(address, bytes))
        return (struct bank_passes){(uint8_t)words, (uint8_t)words};
    for (unsigned first = 0; first < 32; first += group) {
        uint32_t members = group == 32 ? lanes : lanes & ((UINT32_C(1) << group) - 1) << first;
        if (!members)
            continue;
        out.groups++;
        out.passes = (uint8_t)(out.passes + (near(address, members, bytes) ? 1u : conflicts(address, members, words)));
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
