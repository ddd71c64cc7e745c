/* Issues by warp and cycle, between the last two clock reads of each warp. The second of them counts in. */
#ifndef SUBCORE_EXPERIMENT_TIMELINE_H
#define SUBCORE_EXPERIMENT_TIMELINE_H

#include "experiment/expression.h"
#include "sm/observer.h"

enum { TIMELINE_WARPS = 64, TIMELINE_ISSUES = 2048 };

/* Cycles of a warp's issues behind its last clock read, and of those between the last two. */
struct timeline_warp {
    unsigned open, closed;
    uint64_t start, read; /* the clock reads: before `closed`, and before `open` */
    uint64_t cycle[2][TIMELINE_ISSUES];
    unsigned current; /* which of `cycle` is open */
};

struct timeline {
    struct timeline_warp *warp; /* [TIMELINE_WARPS] */
};

bool timeline_init(struct timeline *timeline, struct status *status);
void timeline_free(struct timeline *timeline);
void timeline_clear(struct timeline *timeline);
struct sm_observer timeline_observer(struct timeline *timeline);

/* Issue cycles of warp 0 between its last two clock reads, counted from the first of them. */
void timeline_issues(const struct timeline *timeline, struct value *out);
/* Runs of consecutive issues by one warp in sub-core 0 as "W3 0-16 W2 16-48", from the first on. Numbers are those of
 * the warps in the sub-core. */
void timeline_text(const struct timeline *timeline, unsigned warps, char *text, size_t size);

#endif
