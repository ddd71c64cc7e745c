#include "sm/l15.h"

bool l15_init(struct l15 *c, const struct config_l15 *config)
{
    c->config = config;
    return tags_init(&c->tags, config->sets, config->ways);
}

void l15_free(struct l15 *c) { tags_free(&c->tags); }
void l15_clear(struct l15 *c) { tags_clear(&c->tags); }

bool l15_has(const struct l15 *c, uint64_t address) { return tags_has(&c->tags, address / c->config->line); }

uint64_t l15_request(struct l15 *c, uint64_t address, uint64_t now, struct sm_counters *n)
{
    uint64_t line = address / c->config->line;
    uint64_t there = tags_lookup(&c->tags, line);
    if (there == TAGS_MISS) {
        there = now + c->config->l2_latency;
        tags_insert(&c->tags, line, there);
        n->l15_misses++;
    }
    return there > now ? there : now;
}
