/* A cache by reuse distances: lines of four sectors, whose distance alone tells whether they are still there.
 *
 * With one set, a line is there exactly if its distance is below the ways. With several, and addresses hashed over
 * them, each of the D lines since falls into its set with probability 1 / sets, and the line is there if fewer than
 * `ways` did: P(D) = sum over a < ways of C(D, a) (1/sets)^a (1 - 1/sets)^(D - a). This is the correction of PPT-GPU. A
 * hash of line and time decides, so that each access hits or misses and a run can be repeated.
 *
 * A line that is there may lack sectors. A sector that is written is dirty until its line is evicted: when it is as
 * deep as the cache has lines, or when it is found to be gone. */
#ifndef SUBCORE_MEM_REUSE_CACHE_H
#define SUBCORE_MEM_REUSE_CACHE_H

#include "mem/reuse_stack.h"

enum { REUSE_POINTS = 512 };

/* The probability that a line is still there, for distances that are multiples of `step`; linear between them. */
struct reuse_odds {
    uint32_t sets, ways;
    double step;
    double stays[REUSE_POINTS + 1]; /* the last is 0 */
};

/* `sets` and `ways` are at least 1. */
void reuse_odds_init(struct reuse_odds *o, uint32_t sets, uint32_t ways);
double reuse_odds_stays(const struct reuse_odds *o, uint64_t distance);

struct reuse_cache {
    struct reuse_stack stack;
    const struct reuse_odds *odds;
    uint64_t draws;
    uint64_t written; /* dirty sectors that have left */
};

/* Makes an empty cache, which `odds` must outlive. Returns false if the host is out of memory. */
bool reuse_cache_create(struct reuse_cache *c, const struct reuse_odds *odds);
void reuse_cache_free(struct reuse_cache *c);
void reuse_cache_clear(struct reuse_cache *c);

/* Accesses a line, which is most recent then, and returns its entry: `valid` are the sectors that are there, to which
 * the caller adds those that it brings, and `dirty` those that it has to write. */
struct reuse_entry *reuse_cache_access(struct reuse_cache *c, uint64_t line);
/* Removes sectors of a line that is there. Its place stays. */
void reuse_cache_drop(struct reuse_cache *c, uint64_t line, uint8_t sectors);

#endif
