#include "sm/memory/constant_vl.h"

#include "base/bits.h"

bool constant_vl_init(struct constant_vl *c, const struct config_constant *config, struct arena *arena)
{
    c->config = config;
    c->port_free = 0;
    return tags_init(&c->tags, config->vl_sets, config->vl_ways, false, arena);
}

void constant_vl_begin(struct constant_vl *c)
{
    tags_clear(&c->tags);
    c->port_free = 0;
}

unsigned constant_vl_blocks(const struct config_constant *config, const struct issued *issued, uint8_t window,
                            struct line_access out[32])
{
    const uint64_t first = (uint64_t)window << L15_WINDOW_SHIFT;
    unsigned count = 0;
    for (uint32_t left = issued->active; left; left &= left - 1) {
        uint64_t block = issued->address[lowest_bit32(left)] & ~(uint64_t)(config->vl_block - 1);
        unsigned i = 0;
        while (i < count && out[i].line != block + first)
            i++;
        if (i == count)
            out[count++].line = block + first;
    }
    return count;
}

/* Cycle from which the line of this block is there. */
static uint64_t line_there(struct constant_vl *c, uint64_t address, uint64_t now)
{
    uint64_t line = address / c->config->line;
    uint64_t ready = tags_lookup(&c->tags, line);
    if (ready <= now) {
        c->n->ldc_hits++;
        return now;
    }
    c->n->ldc_misses++;
    if (ready == TAGS_MISS) {
        ready = constant_way_fetch(&c->way, line * c->config->line, now);
        tags_insert(&c->tags, line, ready);
    }
    return ready;
}

uint64_t constant_vl_access(struct constant_vl *c, struct line_access *block, unsigned blocks, uint64_t now,
                            unsigned *coming)
{
    uint64_t at = c->port_free > now ? c->port_free : now, last = now;
    *coming = 0;
    for (unsigned i = 0; i < blocks; i++, at++) {
        uint64_t ready = line_there(c, block[i].line, at);
        block[i].sectors = ready == TAGS_COMING;
        if (ready == TAGS_COMING)
            ++*coming;
        else if (ready > last)
            last = ready;
    }
    c->port_free = at;
    return last - now;
}

uint64_t constant_vl_operand(struct constant_vl *c, uint8_t bank, uint32_t offset, uint64_t now)
{
    struct line_access block = {.line = (uint64_t)bank << 16 | offset};
    unsigned coming;
    uint64_t late = constant_vl_access(c, &block, 1, now, &coming);
    return coming ? TAGS_COMING : now + late;
}

void constant_vl_archive(struct archive *a, struct constant_vl *c)
{
    archive_keep(a, &c->config);
    archive_keep(a, &c->way);
    archive_keep(a, &c->n);
    tags_archive(a, &c->tags);
}
