/* Launches of a replay that repeat an earlier one: the same launch of the same code, with the same instructions,
 * lanes and addresses in each warp (trace/identify.c). A launch that runs alone begins with cold caches, and has the
 * result of the earlier one, to the cycle and the counter. It need not be timed again. */
#ifndef SUBCORE_GPU_REPEATS_H
#define SUBCORE_GPU_REPEATS_H

#include "probe/keys.h"
#include "probe/result.h"
#include "trace/reader.h"

enum { REPEATS_MOST = 4096 /* launches that are remembered: the first ones */ };

struct repeat {
    struct trace_identity identity;
    struct kernel_result result;
    uint64_t end; /* cycle of its end, from its launch */
};

/* All bytes 0: none is known. */
struct repeats {
    struct keys keys;     /* first words of the identities */
    struct repeat **item; /* owned, as are they: one for each key */
    size_t room;
};

/* Returns the launch with this identity; NULL: none is known. */
const struct repeat *repeats_find(const struct repeats *r, const struct trace_identity *identity);
/* Remembers a launch that ran alone, timed to its end or hybrid. Without memory it is forgotten. */
void repeats_add(struct repeats *r, const struct repeat *launch);
void repeats_free(struct repeats *r);

#endif
