/* Tags and state of an L2 slice: sets of lines in last-use order, sectors with their own state, and the choice of the
 * line that goes.
 *
 * Eviction classes, first to go: copies of the other partition's lines, lines marked evict first, normal lines, lines
 * marked evict last (eviction priorities of the PTX ISA). Within a class the policy chooses (l2_replacement.h). The
 * share of a set that may be evict last is limited, as the set-aside of the CUDA runtime limits it. Lines that exceed
 * it are normal. Lines with sectors in flight stay.
 *
 * A line is named by a key that tells home lines from copies: both exist under the same number. */
#ifndef SUBCORE_MEM_L2_TAGS_H
#define SUBCORE_MEM_L2_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "mem/l2_model.h"
#include "mem/l2_mshr.h"
#include "port/message.h"

enum { L2_WAYS = 64 };

enum l2_class { L2_COPY, L2_FIRST, L2_NORMAL, L2_LAST, L2_CLASSES };

/* Bits of sectors. A partial sector holds only bytes that were written (the hardware has byte masks); valid and partial
 * exclude each other. */
struct l2_line {
    uint8_t valid, partial, dirty;
    uint8_t copied; /* the mirror may have a copy */
    uint8_t class;
    uint8_t note;  /* the policy's own; 0 in a line that has just taken its place */
    uint16_t mshr; /* L2_NO_MSHR: nothing is in flight */
};

/* A set, in one line of the host's cache up to 24 ways. A look-up compares a byte of each way's tag, and then seldom
 * more than one tag. */
struct l2_set {
    uint32_t life; /* that of the tags when it was last emptied */
    uint8_t lines[L2_CLASSES];
    uint8_t order[]; /* [tags->bytes]: ways, the most recent first; [tags->bytes]: a byte of each way's tag */
};

struct l2_replacement_policy;

struct l2_tags {
    uint64_t *tag;        /* [set][way]: key + 1; 0: empty */
    struct l2_line *line; /* [set][way] */
    uint8_t *set;         /* structs l2_set, `stride` bytes each */
    uint32_t stride;
    uint32_t bytes; /* ways, rounded up to whole words */
    uint32_t life;  /* resets so far: a set of an earlier life is empty, whatever stands in it */
    uint32_t sets, ways, last_ways;
    const struct l2_replacement_policy *policy;
    uint64_t state; /* the policy's own; at a reset a hash of the slice's number */
    uint32_t number;
    uint32_t resident[L2_CLASSES]; /* lines */
    uint32_t dirty;                /* sectors */
};

/* A line's place. */
struct l2_place {
    uint32_t set;
    uint32_t way; /* tags->ways: not there */
    struct l2_line *line;
};

static inline uint64_t l2_key(uint64_t local, bool copy) { return local << 1 | copy; }
static inline uint64_t l2_key_local(uint64_t key) { return key >> 1; }

/* Returns false if the host is out of memory. `number` tells slices apart where a policy decides by chance. */
bool l2_tags_create(struct l2_tags *tags, const struct l2_model *model, uint32_t number, struct arena *arena);
void l2_tags_reset(struct l2_tags *tags);

/* Gives up lines in flight: the state between two kernels when contents stay. */
void l2_tags_settle(struct l2_tags *tags);

static inline bool l2_tags_has(const struct l2_tags *tags, struct l2_place place) { return place.way < tags->ways; }

static inline struct l2_set *l2_tags_set(const struct l2_tags *tags, uint32_t set)
{
    return (struct l2_set *)(void *)&tags->set[(size_t)set * tags->stride];
}

/* Hint to the host that the set is looked up next. */
static inline void l2_tags_prefetch(const struct l2_tags *tags, uint32_t set)
{
    size_t first = (size_t)set * tags->ways, last = first + tags->ways - 1;
    __builtin_prefetch(l2_tags_set(tags, set));
    __builtin_prefetch(&tags->tag[first]);
    __builtin_prefetch(&tags->tag[last]);
    __builtin_prefetch(&tags->line[first]);
    __builtin_prefetch(&tags->line[last]);
}

struct l2_place l2_tags_find(struct l2_tags *tags, uint32_t set, uint64_t key);

/* Makes a resident line the most recent of its set, and gives it the class of an access with this policy. */
void l2_tags_touch(struct l2_tags *tags, const struct l2_place *place, enum request_policy policy);

/* Copies in the set with sectors in flight. */
uint32_t l2_tags_copies_pending(const struct l2_tags *tags, uint32_t set);

/* Returns the line at a place in the order of last use; 0 is the most recent. */
static inline struct l2_line *l2_tags_line(const struct l2_tags *tags, uint32_t set, uint32_t recency)
{
    return &tags->line[(size_t)set * tags->ways + l2_tags_set(tags, set)->order[recency]];
}

/* Returns a line's place in the order of last use. */
uint32_t l2_tags_recency(const struct l2_tags *tags, struct l2_place place);

/* Returns whether the line at a place is of a class and nothing is in flight to it. */
static inline bool l2_tags_may_go(const struct l2_tags *tags, uint32_t set, uint32_t recency, enum l2_class class)
{
    const struct l2_line *line = l2_tags_line(tags, set, recency);
    return line->class == class && line->mshr == L2_NO_MSHR;
}

/* The line that has to go for another one; false when all lines of the set wait for sectors. */
bool l2_tags_victim(struct l2_tags *tags, uint32_t set, struct l2_place *victim);

/* Its key; false when the place is empty. */
bool l2_tags_key(const struct l2_tags *tags, struct l2_place place, uint64_t *key);

/* Puts a line without sectors in place of the victim, as the most recent of its set. */
void l2_tags_replace(struct l2_tags *tags, const struct l2_place *place, uint64_t key, enum request_policy policy,
                     bool copy);

/* Empties the place. */
void l2_tags_drop(struct l2_tags *tags, struct l2_place place);

/* Place of the line with this number in [set][way]. */
struct l2_place l2_tags_at(const struct l2_tags *tags, uint32_t line);

static inline uint32_t l2_tags_index(const struct l2_tags *tags, const struct l2_line *line)
{
    return (uint32_t)(line - tags->line);
}

#endif
