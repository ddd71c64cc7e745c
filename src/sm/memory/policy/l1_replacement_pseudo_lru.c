#include "base/bits.h"
#include "sm/memory/l1_replacement.h"

/* When the last line of a set is marked, the marks of the others go. */
static void use(struct l1_tags *t, uint32_t set, uint32_t way)
{
    struct l1_ways *ways = l1_tags_ways(t, set);
    uint64_t bit = UINT64_C(1) << way % 64;
    if (ways[way / 64].marks & bit)
        return;
    ways[way / 64].marks |= bit;
    for (uint32_t i = 0; i < t->words; i++)
        if (ways[i].marks != l1_tags_all(t, i))
            return;
    for (uint32_t i = 0; i < t->words; i++)
        ways[i].marks = 0;
    ways[way / 64].marks = bit;
}

/* The first without a mark of lines that are all kept alike. */
static uint32_t first_unmarked(const struct l1_tags *t, uint32_t set)
{
    const struct l1_ways *ways = l1_tags_ways(t, set);
    for (uint32_t i = 0; i < t->words; i++) {
        uint64_t unmarked = ~ways[i].marks & l1_tags_all(t, i);
        if (unmarked)
            return 64 * i + lowest_bit64(unmarked);
    }
    return 0; /* the only way */
}

static uint32_t choose(struct l1_tags *t, uint32_t set, enum l1_keep keep)
{
    if (!t->ranked)
        return first_unmarked(t, set);
    const struct l1_ways *ways = l1_tags_ways(t, set);
    uint32_t first = L1_NO_WAY;
    for (uint32_t w = t->ways; w-- > 0;) {
        if (l1_tags_line(t, set, w)->keep != keep)
            continue;
        bool marked = ways[w / 64].marks >> w % 64 & 1;
        if (first == L1_NO_WAY || !marked || (ways[first / 64].marks >> first % 64 & 1))
            first = w;
    }
    return first;
}

/* A mark for each line that has been used since all others of its set were (Ampere and later; GA102N). */
const struct l1_replacement_policy l1_replacement_pseudo_lru = {
    .name = "pseudo-lru",
    .summary = "the first line without a mark; a use marks a line, and the last mark of a set clears the others",
    .use = use,
    .choose = choose,
};
