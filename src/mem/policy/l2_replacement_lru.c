#include "mem/l2_replacement.h"

static uint32_t choose(const struct l2_tags *tags, uint32_t set, enum l2_class class)
{
    for (uint32_t recency = tags->ways; recency-- > 0;)
        if (l2_tags_may_go(tags, set, recency, class))
            return recency;
    return tags->ways;
}

const struct l2_replacement_policy l2_replacement_lru = {
    .name = "lru",
    .summary = "the least recently used line",
    .choose = choose,
};
