/* Tag store of a set-associative cache: instruction and constant caches are made of it. It replaces the least recently
 * used line of a set, or any line by a pseudo-random choice that depends on the number of uses alone. A line is
 * allocated when it is asked for and can be used when it has come, so that requests in between wait for the same line.
 * When it comes may be unknown until it does: then its cycle is TAGS_COMING, later than any other. */
#ifndef SUBCORE_SM_TAGS_H
#define SUBCORE_SM_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/arena.h"

struct tags {
    uint32_t sets, ways;
    bool random;      /* replacement */
    uint64_t *tag;    /* [sets][ways]; TAGS_EMPTY when unused */
    uint64_t *used;   /* time of last use, by counting uses */
    uint64_t *ready;  /* cycle from which the line is present */
    uint64_t *filled; /* bits of sets into which a line was put since all were empty */
    uint64_t uses;
};

#define TAGS_EMPTY UINT64_MAX
#define TAGS_MISS UINT64_MAX
#define TAGS_COMING (UINT64_MAX - 1)
#define TAGS_AHEAD (UINT64_MAX - 2) /* no request for the line yet, and a nearer cache than the L2 has it */

/* Returns false if the host is out of memory. */
bool tags_init(struct tags *t, uint32_t sets, uint32_t ways, bool random, struct arena *arena);
void tags_clear(struct tags *t);
/* Lines below `end` that have come stay, and are there from the beginning of time on. The others are evicted. */
void tags_keep(struct tags *t, uint64_t end);

/* Lines from `first` to before `end` go. */
void tags_drop(struct tags *t, uint64_t first, uint64_t end);

/* Cycle from which the line is there, TAGS_COMING if that is not known yet, TAGS_MISS without a request for it. It
 * becomes the most recently used. */
uint64_t tags_lookup(struct tags *t, uint64_t line);
/* Returns true if the line was requested. Nothing changes. */
bool tags_has(const struct tags *t, uint64_t line);
/* Puts the line, there from cycle `ready` on, in place of another in its set. Returns the line that it replaces,
 * TAGS_EMPTY if there is none. */
uint64_t tags_insert(struct tags *t, uint64_t line, uint64_t ready);
/* A line that was coming is there from cycle `ready` on. Does nothing when it has been replaced since. */
void tags_arrive(struct tags *t, uint64_t line, uint64_t ready);

void tags_archive(struct archive *a, struct tags *t);

#endif
