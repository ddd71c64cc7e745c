#include "sm/memory/l1_replacement.h"

enum { GROUP = L1_VICTIMS };

static uint32_t first_kept(const struct l1_tags *t, uint32_t set, enum l1_keep keep, uint32_t from, uint32_t to)
{
    for (uint32_t w = from; w < to; w++)
        if (l1_tags_line(t, set, w)->keep == keep)
            return w;
    return L1_NO_WAY;
}

/* The group of a pseudo-random way goes, except for lines to evict last. The first place in it is the new line's. Where
 * all of it stays, the next groups are asked. */
static uint32_t random_group(struct l1_tags *t, uint32_t set)
{
    t->state = t->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t groups = (t->ways + GROUP - 1) / GROUP, first = (uint32_t)((t->state >> 33) % groups);
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t from = (first + g) % groups * GROUP, to = from + GROUP < t->ways ? from + GROUP : t->ways;
        uint32_t place = first_kept(t, set, L1_KEEP_NORMAL, from, to);
        for (uint32_t w = to; place != L1_NO_WAY && w-- > place;)
            if (l1_tags_line(t, set, w)->keep == L1_KEEP_NORMAL)
                l1_tags_evict(t, set, w);
        if (place != L1_NO_WAY)
            return place;
    }
    return L1_NO_WAY;
}

static uint32_t choose(struct l1_tags *t, uint32_t set, enum l1_keep keep)
{
    return keep == L1_KEEP_NORMAL ? random_group(t, set) : first_kept(t, set, keep, 0, t->ways);
}

/* Four neighbours at once (Turing; GA102N). Of lines to be evicted first or last the first one goes, alone. */
const struct l1_replacement_policy l1_replacement_random = {
    .name = "random",
    .summary = "four neighbouring lines at once, pseudo-randomly",
    .choose = choose,
};
