#include "mem/l2_tags.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "mem/l2_replacement.h"

#define ENTRY(constant, word, summary, policy) [CONFIG_##constant] = &policy,

const struct l2_replacement_policy *l2_replacement_policy(enum config_l2_replacement policy)
{
    static const struct l2_replacement_policy *const all[] = {POLICIES_L2_REPLACEMENT(ENTRY)};
    return all[policy];
}

bool l2_tags_create(struct l2_tags *tags, const struct l2_model *model, uint32_t number, struct arena *arena)
{
    size_t lines = (size_t)model->sets * model->ways;
    *tags = (struct l2_tags){.order = arena_take(arena, lines * sizeof *tags->order),
                             .line = arena_take(arena, lines * sizeof *tags->line),
                             .set = arena_take(arena, model->sets * sizeof *tags->set),
                             .sets = model->sets,
                             .ways = model->ways,
                             .last_ways = model->last_ways,
                             .policy = l2_replacement_policy(model->replacement),
                             .number = number};
    if (tags->order == NULL || tags->line == NULL || tags->set == NULL)
        return false;
    l2_tags_reset(tags);
    return true;
}

void l2_tags_reset(struct l2_tags *tags)
{
    tags->life++;
    memset(tags->resident, 0, sizeof tags->resident);
    tags->dirty = 0;
    tags->state = hash_mix(tags->number);
}

/* Small kernels touch few sets of a large cache: they are emptied one by one as they are used. */
static void empty_set(struct l2_tags *tags, uint32_t set)
{
    size_t first = (size_t)set * tags->ways;
    for (uint32_t way = 0; way < tags->ways; way++) {
        tags->order[first + way] = way;
        tags->line[first + way] = (struct l2_line){.mshr = L2_NO_MSHR};
    }
    tags->set[set] = (struct l2_set){.life = tags->life};
}

static inline void begin_set(struct l2_tags *tags, uint32_t set)
{
    if (tags->set[set].life != tags->life)
        empty_set(tags, set);
}

void l2_tags_settle(struct l2_tags *tags)
{
    for (uint32_t i = 0; i < tags->sets * tags->ways; i++) {
        struct l2_line *line = &tags->line[i];
        begin_set(tags, i / tags->ways);
        if (line->mshr == L2_NO_MSHR)
            continue;
        line->mshr = L2_NO_MSHR;
        uint8_t lost = line->dirty & (uint8_t) ~(line->valid | line->partial);
        tags->dirty -= popcount4(lost);
        line->dirty &= (uint8_t)~lost;
        if ((line->valid | line->partial) == 0)
            l2_tags_drop(tags, l2_tags_at(tags, i));
    }
}

static inline uint64_t *order_of(const struct l2_tags *tags, uint32_t set)
{
    return &tags->order[(size_t)set * tags->ways];
}

static inline struct l2_line *line_of(const struct l2_tags *tags, uint32_t set, uint64_t entry)
{
    return &tags->line[(size_t)set * tags->ways + entry % L2_WAYS];
}

/* Returns the place of the entry that begins with `first`, or `ways`. Four at a time, since most are not the one. */
static inline uint32_t find_entry(const uint64_t *order, uint32_t ways, uint64_t first)
{
    uint32_t i = 0;
    for (; i + 4 <= ways; i += 4) {
        bool a = (order[i] ^ first) < L2_WAYS, b = (order[i + 1] ^ first) < L2_WAYS;
        bool c = (order[i + 2] ^ first) < L2_WAYS, d = (order[i + 3] ^ first) < L2_WAYS;
        if (a | b | c | d)
            return i + (a ? 0 : b ? 1 : c ? 2 : 3);
    }
    while (i < ways && (order[i] ^ first) >= L2_WAYS)
        i++;
    return i;
}

struct l2_place l2_tags_find(struct l2_tags *tags, uint32_t set, uint64_t key)
{
    begin_set(tags, set);
    const uint64_t *order = order_of(tags, set);
    uint32_t i = find_entry(order, tags->ways, (key + 1) * L2_WAYS);
    return (struct l2_place){set, i, i < tags->ways ? line_of(tags, set, order[i]) : NULL};
}

struct l2_place l2_tags_at(const struct l2_tags *tags, uint32_t line)
{
    uint32_t set = line / tags->ways, i = 0;
    const uint64_t *order = order_of(tags, set);
    while (order[i] % L2_WAYS != line % tags->ways)
        i++;
    return (struct l2_place){set, i, &tags->line[line]};
}

/* Classes of lines in a set, and of all, as a line comes or goes. */
static inline void count_in(struct l2_tags *tags, uint32_t set, struct l2_line *line, enum l2_class class)
{
    line->class = (uint8_t) class;
    tags->set[set].lines[class]++;
    tags->resident[class]++;
}

static inline void count_out(struct l2_tags *tags, uint32_t set, const struct l2_line *line)
{
    tags->set[set].lines[line->class]--;
    tags->resident[line->class]--;
}

static enum l2_class class_of(const struct l2_tags *tags, uint32_t set, enum request_policy policy)
{
    switch (policy) {
    case POLICY_EVICT_FIRST: return L2_FIRST;
    case POLICY_EVICT_LAST: return tags->set[set].lines[L2_LAST] < tags->last_ways ? L2_LAST : L2_NORMAL;
    case POLICY_NO_ALLOCATE: /* says how the L1 treats the line (PTX ISA) */
    case POLICY_NORMAL: break;
    }
    return L2_NORMAL;
}

static inline void make_recent(struct l2_tags *tags, struct l2_place *place, uint64_t entry)
{
    uint64_t *order = order_of(tags, place->set);
    memmove(order + 1, order, place->recency * sizeof *order);
    order[0] = entry;
    place->recency = 0;
}

void l2_tags_touch(struct l2_tags *tags, struct l2_place *place, enum request_policy policy)
{
    if (place->recency > 0)
        make_recent(tags, place, order_of(tags, place->set)[place->recency]);
    if (tags->policy->use)
        tags->policy->use(tags, place->line);
    bool keeps = policy == POLICY_NORMAL || policy == POLICY_NO_ALLOCATE || place->line->class == L2_COPY;
    if (keeps)
        return;
    count_out(tags, place->set, place->line);
    count_in(tags, place->set, place->line, class_of(tags, place->set, policy));
}

uint32_t l2_tags_copies_pending(const struct l2_tags *tags, uint32_t set)
{
    const struct l2_line *line = &tags->line[(size_t)set * tags->ways];
    uint32_t count = 0;
    for (uint32_t way = 0; tags->set[set].lines[L2_COPY] > 0 && way < tags->ways; way++)
        count += line[way].class == L2_COPY && line[way].mshr != L2_NO_MSHR;
    return count;
}

bool l2_tags_victim(struct l2_tags *tags, uint32_t set, struct l2_place *victim)
{
    begin_set(tags, set);
    uint32_t oldest = tags->ways - 1;
    if (order_of(tags, set)[oldest] < L2_WAYS) { /* empty places are the oldest */
        *victim = (struct l2_place){set, oldest, l2_tags_line(tags, set, oldest)};
        return true;
    }
    if (tags->policy->seek)
        tags->policy->seek(tags, set);
    for (unsigned class = 0; class < L2_CLASSES; class ++) {
        uint32_t lines = tags->set[set].lines[class];
        uint32_t recency = lines ? tags->policy->choose(tags, set, (enum l2_class) class) : tags->ways;
        if (recency < tags->ways) {
            *victim = (struct l2_place){set, recency, l2_tags_line(tags, set, recency)};
            return true;
        }
    }
    return false;
}

bool l2_tags_key(const struct l2_tags *tags, struct l2_place place, uint64_t *key)
{
    uint64_t entry = order_of(tags, place.set)[place.recency];
    *key = entry / L2_WAYS - 1;
    return entry >= L2_WAYS;
}

void l2_tags_replace(struct l2_tags *tags, struct l2_place *place, uint64_t key, enum request_policy policy, bool copy)
{
    uint64_t entry = order_of(tags, place->set)[place->recency];
    if (entry >= L2_WAYS)
        count_out(tags, place->set, place->line);
    *place->line = (struct l2_line){.mshr = L2_NO_MSHR};
    count_in(tags, place->set, place->line, copy ? L2_COPY : class_of(tags, place->set, policy));
    make_recent(tags, place, (key + 1) * L2_WAYS + entry % L2_WAYS);
    if (tags->policy->use)
        tags->policy->use(tags, place->line);
}

void l2_tags_drop(struct l2_tags *tags, struct l2_place place)
{
    uint64_t *order = order_of(tags, place.set);
    uint64_t way = order[place.recency] % L2_WAYS;
    assert(order[place.recency] >= L2_WAYS && place.line->mshr == L2_NO_MSHR);
    count_out(tags, place.set, place.line);
    *place.line = (struct l2_line){.mshr = L2_NO_MSHR};
    uint32_t oldest = tags->ways - 1;
    memmove(order + place.recency, order + place.recency + 1, (oldest - place.recency) * sizeof *order);
    order[oldest] = way;
}
