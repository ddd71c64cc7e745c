#include "sm/constant_fl.h"

#include "base/bits.h"

bool constant_fl_init(struct constant_fl *c, const struct config_constant *config)
{
    c->config = config;
    c->line_shift = lowest_bit32(config->line);
    c->recent = TAGS_EMPTY;
    return tags_init(&c->tags, config->fl_sets, config->fl_ways);
}

void constant_fl_free(struct constant_fl *c) { tags_free(&c->tags); }

void constant_fl_clear(struct constant_fl *c)
{
    tags_clear(&c->tags);
    c->recent = TAGS_EMPTY;
}

/* A cycle for the arbiter of the port, then 39 cycles each way: the 78 of the artifact make the 79 that the paper
 * measured. */
uint64_t constant_fetch(const struct config_constant *config, struct l1i *l1i, uint64_t address, uint64_t now,
                        struct sm_counters *n)
{
    uint64_t slot = l1i_pass_port(l1i, now, 1);
    return l15_request(l1i->l15, L15_CONSTANTS + address, slot, n) - 1 + config->l15_latency;
}

bool constant_fl_lookup(struct constant_fl *c, struct l1i *l1i, uint8_t bank, uint32_t offset, uint64_t now,
                        uint64_t *ready, struct sm_counters *n)
{
    uint64_t line = ((uint64_t)bank << 16 | offset) >> c->line_shift;
    if (line == c->recent)
        return true;
    *ready = tags_lookup(&c->tags, line);
    if (*ready <= now) {
        c->recent = line;
        return true;
    }
    if (*ready == TAGS_MISS) {
        *ready = constant_fetch(c->config, l1i, line << c->line_shift, now, n);
        tags_insert(&c->tags, line, *ready);
        c->recent = TAGS_EMPTY; /* it may have been replaced */
    }
    return false;
}
