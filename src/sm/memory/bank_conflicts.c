#include "sm/memory/bank_conflicts.h"

#include "base/bits.h"

enum { BANKS = 32 };

uint32_t bank_group(unsigned words, unsigned group)
{
    unsigned size = 32 / words;
    return (uint32_t)((UINT64_C(1) << size) - 1) << (group * size);
}

/* If each lane's words begin at a multiple of their number, two lanes meet in all their banks or in none, and their
 * first words tell everything. Returns the distance between the words of a lane that must be looked at. */
static unsigned stride(uint64_t firsts, unsigned words)
{
    bool whole = (words & (words - 1)) == 0 && (firsts & (words - 1)) == 0;
    return whole ? words : 1;
}

unsigned bank_group_passes(const uint64_t word[32], uint32_t lanes, unsigned words, bool merge)
{
    uint64_t wanted[BANKS][32], firsts = 0;
    uint8_t count[BANKS] = {0};
    unsigned passes = 0;
    for (uint32_t m = lanes; m; m &= m - 1)
        firsts |= word[lowest_bit32(m)];
    unsigned step = stride(firsts, words);
    for (uint32_t m = lanes; m; m &= m - 1) {
        for (unsigned w = 0; w < words; w += step) {
            uint64_t at = word[lowest_bit32(m)] + w;
            unsigned bank = at % BANKS;
            bool again = false;
            for (unsigned i = 0; merge && i < count[bank] && !again; i++)
                again = wanted[bank][i] == at;
            if (!again)
                wanted[bank][count[bank]++] = at;
            if (count[bank] > passes)
                passes = count[bank];
        }
    }
    return passes;
}

/* No bank holds two of the words that the lanes read. */
static bool fits_one_pass(const uint32_t offset[32], uint32_t lanes, unsigned words)
{
    uint32_t word[BANKS];
    uint32_t used = 0, firsts = 0;
    for (uint32_t m = lanes; m; m &= m - 1)
        firsts |= offset[lowest_bit32(m)] / 4;
    unsigned step = stride(firsts, words);
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t first = offset[lowest_bit32(m)] / 4;
        for (unsigned w = 0; w < words; w += step) {
            unsigned bank = (first + w) % BANKS;
            if ((used >> bank & 1) && word[bank] != first + w)
                return false;
            used |= UINT32_C(1) << bank;
            word[bank] = first + w;
        }
    }
    return true;
}

/* The same where it is quickly seen. */
static bool near(const uint32_t offset[32], uint32_t lanes, unsigned words)
{
    uint32_t least = UINT32_MAX, most = 0;
    if (lanes == UINT32_MAX) {
        for (unsigned i = 0; i < 32; i++) {
            least = offset[i] < least ? offset[i] : least;
            most = offset[i] > most ? offset[i] : most;
        }
    } else {
        for (uint32_t m = lanes; m; m &= m - 1) {
            uint32_t a = offset[lowest_bit32(m)];
            least = a < least ? a : least;
            most = a > most ? a : most;
        }
    }
    return bank_near(least / 4, most / 4, words);
}

bool bank_one_pass(const uint32_t offset[32], uint32_t lanes, unsigned words)
{
    return near(offset, lanes, words) || fits_one_pass(offset, lanes, words);
}

unsigned bank_passes_of(const uint32_t offset[32], uint32_t lanes, unsigned words, bool merge)
{
    uint64_t word[32];
    bank_words(word, offset);
    return bank_group_passes(word, lanes, words, merge);
}

/* The passes of these lanes, group by group. */
static void add_groups(struct bank_passes *out, const uint32_t offset[32], uint32_t lanes, unsigned words,
                       enum bank_use use)
{
    for (unsigned group = 0; group < words; group++) {
        uint32_t members = lanes & bank_group(words, group);
        if (!members)
            continue;
        bool alone = use != BANK_EACH && bank_one_pass(offset, members, words);
        out->passes = (uint8_t)(out->passes + (alone ? 1u : bank_passes_of(offset, members, words, use != BANK_EACH)));
        out->groups++;
    }
}

/* Each active lane n wants the same as lane n ^ `apart`, if that is active. */
static bool shared(const uint32_t offset[32], uint32_t lanes, unsigned apart)
{
    for (uint32_t m = lanes; m; m &= m - 1) {
        unsigned lane = lowest_bit32(m), other = lane ^ apart;
        if ((lanes >> other & 1) && offset[lane] != offset[other])
            return false;
    }
    return true;
}

/* Joins the groups of a wide load two by two. Returns false if it may not. */
static bool join(struct bank_passes *out, const uint32_t offset[32], uint32_t lanes, unsigned words)
{
    if (!shared(offset, lanes, 1) && !shared(offset, lanes, 2))
        return false;
    unsigned pairs = words / 2;
    for (unsigned pair = 0; pair < pairs; pair++) {
        uint32_t members = lanes & bank_group(pairs, pair);
        if (members && !bank_one_pass(offset, members, words))
            return false;
        out->passes = (uint8_t)(out->passes + (members != 0));
    }
    out->groups = out->passes;
    return true;
}

struct bank_passes bank_conflicts(const uint32_t offset[32], uint32_t lanes, unsigned bytes, enum bank_use use)
{
    struct bank_passes out = {0, 0};
    unsigned words = bytes <= 4 ? 1 : bytes / 4;
    if (use == BANK_LOAD && words > 1 && join(&out, offset, lanes, words))
        return out;
    out = (struct bank_passes){0, 0};
    add_groups(&out, offset, lanes, words, use);
    return out;
}
