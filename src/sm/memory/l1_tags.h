/* Tags of the L1: lines of four sectors, found by an index, replaced within sets.
 *
 * Which line makes room: one that holds nothing, else one that was loaded to be evicted first, else a normal one, and
 * one that was loaded to be evicted last only when there is no other. Among lines of one kind the policy chooses
 * (l1_replacement.h). */
#ifndef SUBCORE_SM_L1_TAGS_H
#define SUBCORE_SM_L1_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "config/config.h"
#include "port/message.h"

/* How a load wants its line to be kept. Of several that wait for one line the first in this order counts. */
enum l1_keep {
    L1_KEEP_NORMAL,
    L1_KEEP_LAST,      /* evicted after all others */
    L1_KEEP_FIRST,     /* evicted before all others */
    L1_KEEP_UNCHANGED, /* a hit leaves the order of replacement as it is */
    L1_KEEP_NOT,       /* a miss takes no line */
    L1_KEEP_LAST_USE   /* likewise, and a hit gives the sectors up */
};

struct l1_line {
    uint64_t line, used;
    uint32_t words;       /* that stores have left in sectors that are not valid: a bit for each */
    uint16_t next;        /* with the same index */
    uint8_t valid, dirty; /* sector masks */
    uint8_t keep;         /* enum l1_keep, the first three */
    bool local;
    uint16_t note; /* the policy's own; 0 in a line that has just taken its place */
};

/* 64 ways of a set, a bit each. */
struct l1_ways {
    uint64_t marks; /* the policy's own; 0 when a kernel begins */
    uint64_t empty; /* hold nothing */
    uint64_t found; /* the index leads to them, though they may hold nothing any more */
    uint64_t local; /* were taken for local memory */
};

/* A dirty line that has to be written to the L2. */
struct l1_victim {
    uint64_t line;
    uint8_t sectors;
};

enum { L1_INDEX = 2048, L1_NIL = 0xffff, L1_VICTIMS = 4 };

struct l1_replacement_policy;

struct l1_tags {
    const struct config_l1 *config;
    const struct l1_replacement_policy *policy;
    uint32_t sets, ways, room; /* room: lines allocated */
    struct l1_line *lines;     /* [way][set]: lines that follow each other are neighbours in the host's cache */
    struct l1_ways *set;       /* [set][words], room for l1_tags_words */
    uint32_t words;
    uint16_t index[L1_INDEX];
    uint64_t uses;
    uint64_t emptied;                    /* lines used last before this have been invalidated, except for local ones */
    uint64_t state;                      /* the policy's own; 1 when a kernel begins */
    bool ranked;                         /* some line was not loaded to be kept as others are */
    struct l1_victim victim[L1_VICTIMS]; /* of the last allocation */
    uint32_t victims;
};

/* Returns an upper bound for sets times words, if at most `lines` are used. */
uint32_t l1_tags_words(const struct config_l1 *config, uint32_t lines);
/* Returns false if the host is out of memory. */
bool l1_tags_init(struct l1_tags *t, const struct config_l1 *config, uint32_t max_lines, struct arena *arena);
/* Empty, with so many lines: as many sets as config->ways asks for, and all lines used that divide into them. */
void l1_tags_begin(struct l1_tags *t, uint32_t lines);

/* ---- places ------------------------------------------------------------------------------------------------------ */

static inline struct l1_line *l1_tags_line(const struct l1_tags *t, uint32_t set, uint32_t way)
{
    return &t->lines[way * t->sets + set];
}

static inline struct l1_ways *l1_tags_ways(const struct l1_tags *t, uint32_t set) { return &t->set[set * t->words]; }

/* Returns a bit for each way that a word of a set has. */
static inline uint64_t l1_tags_all(const struct l1_tags *t, uint32_t word)
{
    uint32_t left = t->ways - 64 * word;
    return left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Returns the words of these sectors. */
static inline uint32_t l1_words_of(uint8_t sectors)
{
    enum { WORDS = PORT_SECTOR / 4 };
    uint32_t first = (sectors & 1u) | (sectors & 2u) << (WORDS - 1) | (sectors & 4u) << 2 * (WORDS - 1) |
                     (sectors & 8u) << 3 * (WORDS - 1);
    return first * ((1u << WORDS) - 1);
}

/* NULL when it is not there. */
struct l1_line *l1_tags_find(const struct l1_tags *t, uint64_t line);
/* Invalidates sectors of a resident line. A line without sectors and words is free. */
void l1_tags_give_up(struct l1_tags *t, struct l1_line *line, uint8_t sectors);
void l1_tags_use(struct l1_tags *t, struct l1_line *line);
/* Returns the line, resident or put in place of another, for sectors that the caller adds. NULL if there is none. */
struct l1_line *l1_tags_take(struct l1_tags *t, uint64_t line, enum l1_keep keep, bool local);
/* Empties a place. Its dirty sectors are a victim: at most L1_VICTIMS places may be emptied for one line. */
void l1_tags_evict(struct l1_tags *t, uint32_t set, uint32_t way);
/* Empties the cache except for local memory, which no other SM writes. */
void l1_tags_invalidate(struct l1_tags *t);

#endif
