/* A cache by reuse distances in its sets: each set has its lines in the order of their last use, as deep as it has
 * ways. A line is there exactly if fewer than `ways` other lines of its set were used since.
 *
 * This is an LRU stack for each set (Mattson et al., "Evaluation techniques for storage hierarchies", 1970) that
 * forgets distances from the ways on. Lines are hashed over the sets. One stack for the whole cache, with the odds that
 * a line of distance D is still in its set, gives the same rates within half a percent. It takes ten times the host's
 * memory, and that memory is the cost of it.
 *
 * A set is a ring, whose head is the line used last: a new line takes the place of the one behind the tail, and nothing
 * moves. Eight bits of each key lie side by side, so that a set is searched eight ways at a time.
 *
 * A line that is there may lack sectors. Dirty sectors are written when their line leaves its set. */
#ifndef SUBCORE_MEM_REUSE_SETS_H
#define SUBCORE_MEM_REUSE_SETS_H

#include <stdbool.h>
#include <stdint.h>

/* A line: 39 bits of its number, and a bit that tells copies from others. */
struct reuse_line {
    uint32_t key_low; /* both 0: there is none */
    uint8_t key_high;
    uint8_t note; /* of the cache's user; 0 in a line that has just come */
    uint8_t valid, dirty;
};

struct reuse_sets {
    uint32_t sets, ways;
    uint32_t words;          /* of `mark` for a set */
    uint64_t written;        /* dirty sectors that have left */
    struct reuse_line *line; /* [sets][ways] */
    uint64_t *mark;          /* [sets][words]: the way used last, then a byte of each way's key, eight in a word */
};

/* Makes an empty cache of at least one set and one way. Returns false if the host is out of memory. */
bool reuse_sets_create(struct reuse_sets *c, uint32_t sets, uint32_t ways);
void reuse_sets_free(struct reuse_sets *c);
void reuse_sets_clear(struct reuse_sets *c);

/* Accesses the line of a number (address / PORT_LINE), or its copy, which is most recent then. Returns it until the
 * next call: `valid` are the sectors that are there, to which the caller adds those that it brings, and `dirty` those
 * that it has to write. */
struct reuse_line *reuse_sets_access(struct reuse_sets *c, uint64_t number, bool copy);
/* Brings the set of a line into the host's caches. Returns its number, for an access soon after. */
uint32_t reuse_sets_fetch(const struct reuse_sets *c, uint64_t number, bool copy);
/* The same as reuse_sets_access, with that number. */
struct reuse_line *reuse_sets_access_in(struct reuse_sets *c, uint32_t set, uint64_t number, bool copy);
/* Removes sectors of a line that is there. Its place stays. */
void reuse_sets_drop(struct reuse_sets *c, uint64_t number, bool copy, uint8_t sectors);

#endif
