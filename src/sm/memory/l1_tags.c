#include "sm/memory/l1_tags.h"

#include <string.h>

#include "base/bits.h"
#include "port/message.h"
#include "sm/memory/l1_replacement.h"

uint32_t l1_tags_words(const struct config_l1 *config, uint32_t lines)
{
    return div_up32(lines, config->ways) * div_up32(config->ways, 64);
}

bool l1_tags_init(struct l1_tags *t, const struct config_l1 *config, uint32_t max_lines, struct arena *arena)
{
    *t = (struct l1_tags){.config = config, .policy = l1_replacement_policy(config->replacement), .room = max_lines};
    t->lines = arena_take(arena, max_lines * sizeof *t->lines);
    t->set = arena_take(arena, l1_tags_words(config, max_lines) * sizeof *t->set);
    return t->lines && t->set;
}

#define ENTRY(constant, word, summary, policy) [CONFIG_##constant] = &policy,

const struct l1_replacement_policy *l1_replacement_policy(enum config_l1_replacement policy)
{
    static const struct l1_replacement_policy *const all[] = {POLICIES_L1_REPLACEMENT(ENTRY)};
    return all[policy];
}

void l1_tags_begin(struct l1_tags *t, uint32_t lines)
{
    if (lines > t->room)
        lines = t->room;
    t->sets = (lines + t->config->ways - 1) / t->config->ways;
    t->ways = t->sets ? lines / t->sets : 0;
    t->words = (t->ways + 63) / 64;
    t->uses = t->emptied = 0;
    t->state = 1;
    t->ranked = false;
    t->victims = 0;
    for (uint32_t i = 0; i < t->sets * t->words; i++)
        t->set[i] = (struct l1_ways){.empty = l1_tags_all(t, i % t->words)};
    memset(t->index, 0xff, sizeof t->index);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static uint32_t set_of(const struct l1_tags *t, const struct l1_line *way)
{
    return (uint32_t)(way - t->lines) % t->sets;
}

static uint32_t way_of(const struct l1_tags *t, const struct l1_line *way)
{
    return (uint32_t)(way - t->lines) / t->sets;
}

static void set_bit(uint64_t *bits, uint32_t way, bool value)
{
    uint64_t bit = UINT64_C(1) << way % 64;
    *bits = value ? *bits | bit : *bits & ~bit;
}

static uint16_t *bucket(struct l1_tags *t, uint64_t line) { return &t->index[line / PORT_LINE % L1_INDEX]; }

static bool holds(const struct l1_tags *t, const struct l1_line *way)
{
    return (way->valid || way->words) && (way->used > t->emptied || way->local);
}

static struct l1_line *lookup(const struct l1_tags *t, uint64_t line)
{
    uint16_t i = t->index[line / PORT_LINE % L1_INDEX];
    while (i != L1_NIL && t->lines[i].line != line)
        i = t->lines[i].next;
    return i != L1_NIL ? &t->lines[i] : NULL;
}

struct l1_line *l1_tags_find(const struct l1_tags *t, uint64_t line)
{
    struct l1_line *way = lookup(t, line);
    return way && holds(t, way) ? way : NULL;
}

void l1_tags_invalidate(struct l1_tags *t)
{
    t->emptied = t->uses;
    for (uint32_t i = 0; i < t->sets * t->words; i++)
        t->set[i].empty |= l1_tags_all(t, i % t->words) & ~t->set[i].local;
}

void l1_tags_give_up(struct l1_tags *t, struct l1_line *line, uint8_t sectors)
{
    line->valid &= (uint8_t)~sectors;
    line->words &= ~l1_words_of(sectors);
    if (line->valid || line->words)
        return;
    uint32_t w = way_of(t, line);
    set_bit(&l1_tags_ways(t, set_of(t, line))[w / 64].empty, w, true);
}

void l1_tags_use(struct l1_tags *t, struct l1_line *line)
{
    line->used = ++t->uses;
    if (t->policy->use)
        t->policy->use(t, set_of(t, line), way_of(t, line));
}

void l1_tags_evict(struct l1_tags *t, uint32_t set, uint32_t w)
{
    struct l1_line *way = l1_tags_line(t, set, w);
    struct l1_ways *ways = &l1_tags_ways(t, set)[w / 64];
    if (!(ways->found >> w % 64 & 1))
        return;
    if (way->dirty)
        t->victim[t->victims++] = (struct l1_victim){way->line, way->dirty};
    uint16_t *link = bucket(t, way->line), self = (uint16_t)(way - t->lines);
    while (*link != self)
        link = &t->lines[*link].next;
    *link = way->next;
    *way = (struct l1_line){0};
    set_bit(&ways->empty, w, true);
    set_bit(&ways->found, w, false);
}

/* The first that holds nothing, else the policy's choice. */
static uint32_t choose(struct l1_tags *t, uint32_t set)
{
    static const enum l1_keep order[] = {L1_KEEP_FIRST, L1_KEEP_NORMAL};
    const struct l1_ways *ways = l1_tags_ways(t, set);
    for (uint32_t i = 0; i < t->words; i++)
        if (ways[i].empty)
            return 64 * i + lowest_bit64(ways[i].empty);
    if (!t->ranked)
        return t->policy->choose(t, set, L1_KEEP_NORMAL);
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        uint32_t w = t->policy->choose(t, set, order[i]);
        if (w != L1_NO_WAY)
            return w;
    }
    return t->policy->choose(t, set, L1_KEEP_LAST);
}

static struct l1_line *make_room(struct l1_tags *t, uint32_t set)
{
    uint32_t w = choose(t, set);
    l1_tags_evict(t, set, w);
    return l1_tags_line(t, set, w);
}

static enum l1_keep stored(enum l1_keep keep) { return keep <= L1_KEEP_FIRST ? keep : L1_KEEP_NORMAL; }

struct l1_line *l1_tags_take(struct l1_tags *t, uint64_t line, enum l1_keep keep, bool local)
{
    t->victims = 0;
    if (!t->sets)
        return NULL;
    t->ranked |= stored(keep) != L1_KEEP_NORMAL;
    struct l1_line *way = lookup(t, line);
    if (way && holds(t, way)) {
        if (keep == L1_KEEP_UNCHANGED)
            return way;
    } else if (way) { /* invalidated, and not yet replaced */
        way->valid = way->dirty = 0;
        way->words = 0;
    } else {
        way = make_room(t, (uint32_t)(line / PORT_LINE % t->sets));
        uint16_t *link = bucket(t, line);
        *way = (struct l1_line){.line = line, .next = *link};
        *link = (uint16_t)(way - t->lines);
    }
    way->keep = (uint8_t)stored(keep);
    way->local = local;
    uint32_t w = way_of(t, way);
    struct l1_ways *ways = &l1_tags_ways(t, set_of(t, way))[w / 64];
    set_bit(&ways->empty, w, false);
    set_bit(&ways->found, w, true);
    set_bit(&ways->local, w, local);
    l1_tags_use(t, way);
    return way;
}
