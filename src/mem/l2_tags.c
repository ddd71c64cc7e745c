#include "mem/l2_tags.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/host_line.h"
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
    uint32_t bytes = (uint32_t)align_up(model->ways, sizeof(uint64_t));
    uint32_t stride = (uint32_t)align_up(sizeof(struct l2_set) + 2 * bytes, HOST_LINE);
    *tags = (struct l2_tags){.tag = arena_take(arena, lines * sizeof *tags->tag),
                             .line = arena_take(arena, lines * sizeof *tags->line),
                             .set = arena_take(arena, (size_t)model->sets * stride),
                             .stride = stride,
                             .bytes = bytes,
                             .sets = model->sets,
                             .ways = model->ways,
                             .last_ways = model->last_ways,
                             .policy = l2_replacement_policy(model->replacement),
                             .number = number};
    if (tags->tag == NULL || tags->line == NULL || tags->set == NULL)
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

/* ---- bytes of a set ---------------------------------------------------------------------------------------------- */

/* A byte that tells most tags of a set apart. */
static inline uint8_t byte_of(uint64_t tag) { return (uint8_t)(tag * UINT64_C(0x9e3779b97f4a7c15) >> 56); }

static inline uint8_t *tag_bytes(const struct l2_tags *tags, struct l2_set *set) { return set->order + tags->bytes; }

/* Returns a mark, the top bit, in each of eight bytes that equals `byte`. Marks above the lowest may be wrong. */
static inline uint64_t equal_bytes(const uint8_t *bytes, uint8_t byte)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    word ^= byte * ones;
    return (word - ones) & ~word & ones << 7;
}

/* Returns the place of a way in the order. */
static inline uint32_t place_in(const uint8_t *order, uint32_t way)
{
    uint32_t i = 0;
    uint64_t marks;
    while ((marks = equal_bytes(&order[i], (uint8_t)way)) == 0)
        i += sizeof marks;
    return i + lowest_bit64(marks) / 8;
}

uint32_t l2_tags_recency(const struct l2_tags *tags, struct l2_place place)
{
    return place_in(l2_tags_set(tags, place.set)->order, place.way);
}

static inline void make_recent(struct l2_set *set, uint32_t way)
{
    uint8_t *order = set->order;
    if (order[0] == way)
        return;
    memmove(order + 1, order, place_in(order, way));
    order[0] = (uint8_t)way;
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

/* Small kernels touch few sets of a large cache: they are emptied one by one as they are used. */
static void empty_set(struct l2_tags *tags, uint32_t number)
{
    size_t first = (size_t)number * tags->ways;
    struct l2_set *set = l2_tags_set(tags, number);
    memset(set, 0, tags->stride);
    set->life = tags->life;
    memset(set->order, L2_WAYS, tags->bytes); /* no way has this number */
    for (uint32_t way = 0; way < tags->ways; way++) {
        set->order[way] = (uint8_t)way;
        tags->tag[first + way] = 0;
        tags->line[first + way] = (struct l2_line){.mshr = L2_NO_MSHR};
    }
}

static inline struct l2_set *begin_set(struct l2_tags *tags, uint32_t number)
{
    struct l2_set *set = l2_tags_set(tags, number);
    if (set->life != tags->life)
        empty_set(tags, number);
    return set;
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

static inline uint64_t *tag_of(const struct l2_tags *tags, uint32_t set, uint32_t way)
{
    return &tags->tag[(size_t)set * tags->ways + way];
}

static inline struct l2_place place_of(const struct l2_tags *tags, uint32_t set, uint32_t way)
{
    return (struct l2_place){set, way, &tags->line[(size_t)set * tags->ways + way]};
}

struct l2_place l2_tags_find(struct l2_tags *tags, uint32_t set, uint64_t key)
{
    uint64_t tag = key + 1;
    const uint8_t *bytes = tag_bytes(tags, begin_set(tags, set));
    for (uint32_t i = 0; i < tags->bytes; i += sizeof(uint64_t)) {
        for (uint64_t marks = equal_bytes(&bytes[i], byte_of(tag)); marks != 0; marks &= marks - 1) {
            uint32_t way = i + lowest_bit64(marks) / 8;
            if (way < tags->ways && *tag_of(tags, set, way) == tag)
                return place_of(tags, set, way);
        }
    }
    return (struct l2_place){set, tags->ways, NULL};
}

struct l2_place l2_tags_at(const struct l2_tags *tags, uint32_t line)
{
    return place_of(tags, line / tags->ways, line % tags->ways);
}

/* Classes of lines in a set, and of all, as a line comes or goes. */
static inline void count_in(struct l2_tags *tags, uint32_t set, struct l2_line *line, enum l2_class class)
{
    line->class = (uint8_t) class;
    l2_tags_set(tags, set)->lines[class]++;
    tags->resident[class]++;
}

static inline void count_out(struct l2_tags *tags, uint32_t set, const struct l2_line *line)
{
    l2_tags_set(tags, set)->lines[line->class]--;
    tags->resident[line->class]--;
}

static enum l2_class class_of(const struct l2_tags *tags, uint32_t set, enum request_policy policy)
{
    switch (policy) {
    case POLICY_EVICT_FIRST: return L2_FIRST;
    case POLICY_EVICT_LAST: return l2_tags_set(tags, set)->lines[L2_LAST] < tags->last_ways ? L2_LAST : L2_NORMAL;
    case POLICY_NO_ALLOCATE: /* says how the L1 treats the line (PTX ISA) */
    case POLICY_NORMAL: break;
    }
    return L2_NORMAL;
}

void l2_tags_touch(struct l2_tags *tags, const struct l2_place *place, enum request_policy policy)
{
    make_recent(l2_tags_set(tags, place->set), place->way);
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
    for (uint32_t way = 0; l2_tags_set(tags, set)->lines[L2_COPY] > 0 && way < tags->ways; way++)
        count += line[way].class == L2_COPY && line[way].mshr != L2_NO_MSHR;
    return count;
}

bool l2_tags_victim(struct l2_tags *tags, uint32_t number, struct l2_place *victim)
{
    const struct l2_set *set = begin_set(tags, number);
    uint32_t oldest = set->order[tags->ways - 1];
    if (*tag_of(tags, number, oldest) == 0) { /* empty places are the oldest */
        *victim = place_of(tags, number, oldest);
        return true;
    }
    if (tags->policy->seek)
        tags->policy->seek(tags, number);
    for (unsigned class = 0; class < L2_CLASSES; class ++) {
        uint32_t lines = set->lines[class];
        uint32_t recency = lines ? tags->policy->choose(tags, number, (enum l2_class) class) : tags->ways;
        if (recency < tags->ways) {
            *victim = place_of(tags, number, set->order[recency]);
            return true;
        }
    }
    return false;
}

bool l2_tags_key(const struct l2_tags *tags, struct l2_place place, uint64_t *key)
{
    uint64_t tag = *tag_of(tags, place.set, place.way);
    *key = tag - 1;
    return tag != 0;
}

void l2_tags_replace(struct l2_tags *tags, const struct l2_place *place, uint64_t key, enum request_policy policy,
                     bool copy)
{
    struct l2_set *set = l2_tags_set(tags, place->set);
    uint64_t *tag = tag_of(tags, place->set, place->way);
    if (*tag != 0)
        count_out(tags, place->set, place->line);
    *place->line = (struct l2_line){.mshr = L2_NO_MSHR};
    *tag = key + 1;
    tag_bytes(tags, set)[place->way] = byte_of(*tag);
    count_in(tags, place->set, place->line, copy ? L2_COPY : class_of(tags, place->set, policy));
    make_recent(set, place->way);
    if (tags->policy->use)
        tags->policy->use(tags, place->line);
}

void l2_tags_drop(struct l2_tags *tags, struct l2_place place)
{
    uint8_t *order = l2_tags_set(tags, place.set)->order;
    uint64_t *tag = tag_of(tags, place.set, place.way);
    assert(*tag != 0 && place.line->mshr == L2_NO_MSHR);
    count_out(tags, place.set, place.line);
    *place.line = (struct l2_line){.mshr = L2_NO_MSHR};
    *tag = 0;
    uint32_t oldest = tags->ways - 1, recency = place_in(order, place.way);
    memmove(order + recency, order + recency + 1, oldest - recency);
    order[oldest] = (uint8_t)place.way;
}
