#include "sm/front/l15.h"

#include "base/bits.h"

bool l15_init(struct l15 *c, const struct config_l15 *config, struct arena *arena)
{
    c->config = config;
    return tags_init(&c->tags, config->sets, config->ways, config->replacement == CONFIG_CODE_REPLACEMENT_RANDOM,
                     arena);
}

void l15_begin(struct l15 *c, bool keep)
{
    if (keep)
        tags_keep(&c->tags, L15_CONSTANTS / c->config->line);
    else
        tags_clear(&c->tags);
}

bool l15_has(const struct l15 *c, uint64_t address) { return tags_has(&c->tags, address / c->config->line); }

/* The kernel's code and constants have device addresses of their own, which no allocation has. */
static void ask_l2(struct l15 *c, uint64_t address, uint64_t now)
{
    uint64_t device = c->to.code->address + address;
    uint32_t line = c->config->line < PORT_LINE ? c->config->line : PORT_LINE;
    unsigned first = (unsigned)(device % PORT_LINE / PORT_SECTOR);
    port_send(c->to.port, PORT_CODE,
              (struct request){.arrival = now,
                               .line = device - device % PORT_LINE,
                               .sectors = (uint8_t)(((1u << line / PORT_SECTOR) - 1) << first),
                               .kind = REQUEST_LOAD});
    c->to.n->l15_misses++;
}

uint64_t l15_request(struct l15 *c, uint64_t address, uint64_t now)
{
    uint64_t line = address / c->config->line;
    uint64_t there = tags_lookup(&c->tags, line);
    if (there == TAGS_MISS) {
        there = TAGS_COMING;
        tags_insert(&c->tags, line, there);
        ask_l2(c, line * c->config->line, now);
    }
    return there > now ? there : now;
}

uint64_t l15_fill(struct l15 *c, const struct reply *reply, uint64_t now)
{
    uint64_t first = reply->line + PORT_SECTOR * lowest_bit32(reply->sectors);
    uint64_t address = first - c->to.code->address;
    tags_arrive(&c->tags, address / c->config->line, now);
    return address;
}

void l15_archive(struct archive *a, struct l15 *c)
{
    archive_keep(a, &c->config);
    archive_keep(a, &c->to);
    tags_archive(a, &c->tags);
}
