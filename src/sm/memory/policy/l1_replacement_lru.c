#include "sm/memory/l1_replacement.h"

static uint32_t choose(struct l1_tags *t, uint32_t set, enum l1_keep keep)
{
    uint32_t oldest = L1_NO_WAY;
    uint64_t used = UINT64_MAX;
    for (uint32_t w = 0; w < t->ways; w++) {
        const struct l1_line *line = l1_tags_line(t, set, w);
        if (line->keep == keep && line->used < used) {
            used = line->used;
            oldest = w;
        }
    }
    return oldest;
}

/* True LRU, for comparison. */
const struct l1_replacement_policy l1_replacement_lru = {
    .name = "lru",
    .summary = "the line used longest ago",
    .choose = choose,
};
