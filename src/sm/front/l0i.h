/* L0 instruction cache of a sub-core, with its stream buffer.
 *
 *   fetch -> L0 (miss) -> stream buffer (miss) -> L1 (miss) -> L1.5 (miss) -> L2
 *
 * Source: MICRO 2025 paper, front end; size and organisation from the configurations of its artifact. */
#ifndef SUBCORE_SM_L0I_H
#define SUBCORE_SM_L0I_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "probe/counters.h"
#include "sm/front/l1i.h"
#include "sm/front/stream_buffer.h"
#include "sm/front/tags.h"

enum { L0_MISSES = 16, L0_RECENT = 8 };

struct l0i {
    const struct config_icache *config;
    struct l1i *l1i; /* ports */
    const struct code_table *code;
    struct sm_counters *n;
    unsigned subcore;
    unsigned line_shift;
    uint64_t recent[L0_RECENT]; /* by line: the one used last, so that most fetches need no search and LRU stays true */
    struct tags tags;
    struct stream_buffer stream;
    struct stream_line miss[L0_MISSES]; /* demand misses on their way */
    uint32_t miss_count;
};

bool l0i_init(struct l0i *c, const struct config_icache *config, unsigned subcore, struct arena *arena);
/* Empties it before a kernel. Lines behind the end of the code are not prefetched. */
void l0i_begin(struct l0i *c);

/* Fetch from byte address `pc` at cycle `now`. Returns `now` on a hit, else the later cycle at which the
 * line is there, or TAGS_COMING. */
uint64_t l0i_fetch(struct l0i *c, uint32_t pc, uint64_t now);
static inline uint64_t l0i_line(const struct l0i *c, uint32_t pc) { return pc >> c->line_shift; }
/* The fetch hits without a search. */
static inline bool l0i_known(const struct l0i *c, uint32_t pc)
{
    uint64_t line = pc >> c->line_shift;
    return line == c->recent[line % L0_RECENT] && line != c->stream.head;
}

/* A line that was coming reaches the L0 at `ready`. */
void l0i_arrive(struct l0i *c, uint64_t line, uint64_t ready);

void l0i_archive(struct archive *a, struct l0i *c);

#endif
