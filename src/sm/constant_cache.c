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

bool constant_lookup(struct constant_l0 *l0, struct constant_l1 *l1, uint8_t bank, uint32_t offset, uint32_t *delay)
{
    uint64_t line = ((uint64_t)bank << 16 | offset) / l1->config->line;
    if (line == l0->recent)
        return true;
    if (tags_lookup(&l0->tags, line)) {
        l0->recent = line;
        return true;
    }
    *delay = l1->config->l1_latency;
    if (!tags_lookup(&l1->tags, line)) {
        *delay += l1->config->l2_latency;
        tags_insert(&l1->tags, line);
    }
    tags_insert(&l0->tags, line);
    l0->recent = TAGS_EMPTY;
    return false;
}
