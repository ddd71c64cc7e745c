#include "sm/constant_cache.h"

bool constant_l1_init(struct constant_l1 *c, const struct config_constant *config)
{
    c->config = config;
    return tags_init(&c->tags, config->l1_sets, config->l1_ways);
}

void constant_l1_free(struct constant_l1 *c) { tags_free(&c->tags); }
void constant_l1_clear(struct constant_l1 *c) { tags_clear(&c->tags); }

bool constant_l0_init(struct constant_l0 *c, uint32_t sets, uint32_t ways)
{
    c->recent = TAGS_EMPTY;
    return tags_init(&c->tags, sets, ways);
}

void constant_l0_free(struct constant_l0 *c) { tags_free(&c->tags); }

void constant_l0_clear(struct constant_l0 *c)
{
    tags_clear(&c->tags);
    c->recent = TAGS_EMPTY;
}

/* Cycle at which the L1.5 has the line. */
static uint64_t in_l1(struct constant_l1 *l1, uint64_t line, uint64_t now)
{
    uint64_t there = tags_lookup(&l1->tags, line);
    if (there == TAGS_MISS) {
        there = now + l1->config->l2_latency;
        tags_insert(&l1->tags, line, there);
    }
    return there > now ? there : now;
}

bool constant_lookup(struct constant_l0 *l0, struct constant_l1 *l1, uint8_t bank, uint32_t offset, uint64_t now,
                     uint32_t *delay)
{
    uint64_t line = ((uint64_t)bank << 16 | offset) / l1->config->line;
    if (line == l0->recent)
        return true;
    uint64_t ready = tags_lookup(&l0->tags, line);
    if (ready <= now) {
        l0->recent = line;
        return true;
    }
    if (ready == TAGS_MISS) {
        ready = in_l1(l1, line, now) + l1->config->l1_latency;
        tags_insert(&l0->tags, line, ready);
        l0->recent = TAGS_EMPTY; /* it may have been replaced */
    }
    *delay = (uint32_t)(ready - now);
    return false;
}
