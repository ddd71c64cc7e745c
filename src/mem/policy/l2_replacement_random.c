#include "base/hash.h"
#include "mem/l2_replacement.h"

static void seek(struct l2_tags *tags, uint32_t set)
{
    (void)set;
    tags->state = hash_mix(tags->state);
}

/* The line at a place by chance, else the next more recent one that may go, else the oldest, and so on. */
static uint32_t choose(const struct l2_tags *tags, uint32_t set, enum l2_class class)
{
    uint32_t from = (uint32_t)(tags->state % tags->ways);
    for (uint32_t i = 0; i < tags->ways; i++) {
        uint32_t recency = from >= i ? from - i : from + tags->ways - i;
        if (l2_tags_may_go(tags, set, recency, class))
            return recency;
    }
    return tags->ways;
}

const struct l2_replacement_policy l2_replacement_random = {
    .name = "random",
    .summary = "a line by chance",
    .seek = seek,
    .choose = choose,
};
