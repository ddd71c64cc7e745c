#include "sm/front/constant_fl.h"

#include "base/bits.h"

bool constant_fl_init(struct constant_fl *c, const struct config_constant *config, struct arena *arena)
{
    c->line_shift = lowest_bit32(config->line);
    c->recent = TAGS_EMPTY;
    return tags_init(&c->tags, config->fl_sets, config->fl_ways, false, arena);
}

void constant_fl_begin(struct constant_fl *c)
{
    tags_clear(&c->tags);
    c->recent = TAGS_EMPTY;
}

bool constant_fl_lookup(struct constant_fl *c, uint8_t bank, uint32_t offset, uint64_t now, uint64_t *ready)
{
    if (constant_fl_again(c, bank, offset))
        return true;
    uint64_t line = constant_fl_line(c, bank, offset);
    *ready = tags_lookup(&c->tags, line);
    if (*ready <= now) {
        c->recent = line;
        return true;
    }
    if (*ready == TAGS_MISS) {
        *ready = constant_way_fetch(&c->way, line << c->line_shift, now);
        tags_insert(&c->tags, line, *ready);
        c->recent = TAGS_EMPTY; /* it may have been replaced */
    }
    return false;
}

void constant_fl_archive(struct archive *a, struct constant_fl *c)
{
    archive_keep(a, &c->way);
    tags_archive(a, &c->tags);
}
