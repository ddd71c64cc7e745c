#include "sm/memory/l1_tags.h"

#include <string.h>

#include "base/bits.h"
#include "port/message.h"

bool l1_tags_init(struct l1_tags *t, const struct config_l1 *config, uint32_t max_lines, struct arena *arena)
{
    *t = (struct l1_tags){.config = config, .room = max_lines};
    t->lines = arena_take(arena, max_lines * sizeof *t->lines);
    t->set = arena_take(arena, max_lines * sizeof *t->set);
    return t->lines && t->set;
}

static uint64_t all_of(const struct l1_tags *t, uint32_t word)
{
    uint32_t left = t->ways - 64 * word;
    return left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
}

void l1_tags_begin(struct l1_tags *t, uint32_t lines)
{
    if (lines > t->room)
        lines = t->room;
    t->sets = (lines + t->config->ways - 1) / t->config->ways;
    t->ways = t->sets ? lines / t->sets : 0;
    t->words = (t->ways + 63) / 64;
    t->uses = t->emptied = 0;
    t->random = 1;
    t->ranked = false;
    t->victims = 0;
    for (uint32_t i = 0; i < t->room; i++)
        t->lines[i] = (struct l1_line){.line = L1_NO_LINE};
    for (uint32_t i = 0; i < t->sets * t->words; i++)
        t->set[i] = (struct l1_ways){.empty = all_of(t, i % t->words)};
    memset(t->index, 0xff, sizeof t->index);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static struct l1_line *line_at(const struct l1_tags *t, uint32_t set, uint32_t way)
{
    return &t->lines[way * t->sets + set];
}

static uint32_t set_of(const struct l1_tags *t, const struct l1_line *way)
{
    return (uint32_t)(way - t->lines) % t->sets;
}

static uint32_t way_of(const struct l1_tags *t, const struct l1_line *way)
{
    return (uint32_t)(way - t->lines) / t->sets;
}

static struct l1_ways *ways_of(const struct l1_tags *t, uint32_t set) { return &t->set[set * t->words]; }

static void set_bit(uint64_t *bits, uint32_t way, bool value)
{
    uint64_t bit = UINT64_C(1) << way % 64;
    *bits = value ? *bits | bit : *bits & ~bit;
}

static uint16_t *bucket(struct l1_tags *t, uint64_t line) { return &t->index[line / PORT_LINE % L1_INDEX]; }

static bool holds(const struct l1_tags *t, const struct l1_line *way)
{
    return way->valid && (way->used > t->emptied || way->local);
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
        t->set[i].empty |= all_of(t, i % t->words) & ~t->set[i].local;
}

void l1_tags_give_up(struct l1_tags *t, struct l1_line *line, uint8_t sectors)
{
    line->valid &= (uint8_t)~sectors;
    if (line->valid)
        return;
    uint32_t w = way_of(t, line);
    set_bit(&ways_of(t, set_of(t, line))[w / 64].empty, w, true);
}

/* When the last line of a set is marked, the marks of the others go. */
static void mark(struct l1_tags *t, const struct l1_line *way)
{
    uint32_t w = way_of(t, way);
    struct l1_ways *ways = ways_of(t, set_of(t, way));
    uint64_t bit = UINT64_C(1) << w % 64;
    if (ways[w / 64].marks & bit)
        return;
    ways[w / 64].marks |= bit;
    for (uint32_t i = 0; i < t->words; i++)
        if (ways[i].marks != all_of(t, i))
            return;
    for (uint32_t i = 0; i < t->words; i++)
        ways[i].marks = 0;
    ways[w / 64].marks = bit;
}

void l1_tags_use(struct l1_tags *t, struct l1_line *line)
{
    line->used = ++t->uses;
    if (t->config->replacement == CONFIG_L1_REPLACEMENT_PSEUDO_LRU)
        mark(t, line);
}

static void drop(struct l1_tags *t, uint32_t set, uint32_t w)
{
    struct l1_line *way = line_at(t, set, w);
    if (way->line == L1_NO_LINE)
        return;
    if (way->dirty)
        t->victim[t->victims++] = (struct l1_victim){way->line, way->dirty};
    uint16_t *link = bucket(t, way->line), self = (uint16_t)(way - t->lines);
    while (*link != self)
        link = &t->lines[*link].next;
    *link = way->next;
    *way = (struct l1_line){.line = L1_NO_LINE};
    set_bit(&ways_of(t, set)[w / 64].empty, w, true);
}

/* The lower, the sooner a line that is there goes. */
static uint64_t rank(const struct l1_tags *t, uint32_t set, uint32_t w)
{
    const struct l1_line *way = line_at(t, set, w);
    uint64_t class = way->keep == L1_KEEP_FIRST ? 1 : way->keep == L1_KEEP_LAST ? 3 : 2;
    bool lru = t->config->replacement == CONFIG_L1_REPLACEMENT_LRU;
    return class << 60 | (lru ? way->used : ways_of(t, set)[w / 64].marks >> w % 64 & 1);
}

static uint32_t least_rank(const struct l1_tags *t, uint32_t set)
{
    uint32_t victim = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t w = 0; w < t->ways; w++) {
        uint64_t r = rank(t, set, w);
        if (r < least) {
            least = r;
            victim = w;
        }
    }
    return victim;
}

/* The first that holds nothing, else the first in the order of ranks. */
static uint32_t first_out(const struct l1_tags *t, uint32_t set)
{
    const struct l1_ways *ways = ways_of(t, set);
    for (uint32_t i = 0; i < t->words; i++)
        if (ways[i].empty)
            return 64 * i + lowest_bit64(ways[i].empty);
    if (t->ranked || t->config->replacement == CONFIG_L1_REPLACEMENT_LRU)
        return least_rank(t, set);
    for (uint32_t i = 0; i < t->words; i++) { /* lines that are all alike */
        uint64_t unmarked = ~ways[i].marks & all_of(t, i);
        if (unmarked)
            return 64 * i + lowest_bit64(unmarked);
    }
    return 0;
}

/* The group of a pseudo-random way goes but for what is to stay to the last; the first place in it is the new line's.
 * Where all of it stays, the next groups are asked. */
static uint32_t random_group(struct l1_tags *t, uint32_t set)
{
    enum { GROUP = L1_VICTIMS };
    t->random = t->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t groups = (t->ways + GROUP - 1) / GROUP, first = (uint32_t)((t->random >> 33) % groups);
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t from = (first + g) % groups * GROUP, to = from + GROUP < t->ways ? from + GROUP : t->ways;
        uint32_t place = t->ways;
        for (uint32_t w = to; w-- > from;) {
            const struct l1_line *way = line_at(t, set, w);
            if (holds(t, way) && way->keep == L1_KEEP_LAST)
                continue;
            drop(t, set, w);
            place = w;
        }
        if (place < t->ways)
            return place;
    }
    return first_out(t, set);
}

static struct l1_line *make_room(struct l1_tags *t, uint32_t set)
{
    uint32_t w = first_out(t, set);
    const struct l1_line *way = line_at(t, set, w);
    if (t->config->replacement == CONFIG_L1_REPLACEMENT_RANDOM && holds(t, way) && way->keep != L1_KEEP_FIRST)
        w = random_group(t, set);
    drop(t, set, w);
    return line_at(t, set, w);
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
    } else {
        way = make_room(t, (uint32_t)(line / PORT_LINE % t->sets));
        uint16_t *link = bucket(t, line);
        *way = (struct l1_line){.line = line, .next = *link};
        *link = (uint16_t)(way - t->lines);
    }
    way->keep = (uint8_t)stored(keep);
    way->local = local;
    uint32_t w = way_of(t, way);
    struct l1_ways *ways = &ways_of(t, set_of(t, way))[w / 64];
    set_bit(&ways->empty, w, false);
    set_bit(&ways->local, w, local);
    l1_tags_use(t, way);
    return way;
}
