/* The lines that say where a block stands in its cluster, from version 6 on: `cluster id = 1,0,0`,
 * `cluster cta = 0,0,0`, `cluster rank = 0`. How large clusters are is known when all blocks have been seen, unless the
 * header tells it. */
#ifndef SUBCORE_ACCELSIM_CLUSTER_H
#define SUBCORE_ACCELSIM_CLUSTER_H

#include "base/status.h"
#include "trace/launch.h"

struct cluster_marks {
    uint32_t most[3]; /* places in a cluster, x y z: the highest so far */
};

/* Returns the rank in its cluster of the block with this number, 0 without clusters. */
uint32_t cluster_rank(const uint32_t grid[3], const uint32_t cluster[3], uint64_t cta);

/* Reads a line, whose '\n' is at `end`; *rank becomes the rank that the line says. Returns false if it is wrong. */
bool cluster_mark(struct cluster_marks *marks, const char *text, const char *end, uint32_t *rank);

/* Sets the clusters of the launch, if the header has none. `targets`: ranks that copies are for, a bit for each.
 * Returns false, with status that begins with the path, if the blocks or the targets do not fit. */
bool cluster_end(const struct cluster_marks *marks, struct trace_launch *launch, uint32_t targets, const char *path,
                 struct status *status);

#endif
