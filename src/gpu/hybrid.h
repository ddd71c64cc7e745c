/* Hybrid launches: one SM is timed with its CTAs, and the others execute theirs without time. Behind all of them is a
 * model of reuse distances in place of L2 and memory (mem/reuse_memory.h).
 *
 *   wave 0: CTAs of the timed SM | others      wave 1: CTAs of the timed SM | others      ...
 *
 * CTAs begin in this order (plan/share.h). The others of a wave are executed, or read from a trace, when the last
 * CTA of the timed SM's wave has begun, side by side. It takes
 *
 *   launch + max(timed SM * imbalance, bandwidth of the L2, bandwidth of memory, atomics of the busiest slice)
 *
 * The imbalance has the issue time of the SM that has the most warp instructions (plan/share.h). Launches whose atomics
 * return values are executed first (gpu/ordered.h). */
#ifndef SUBCORE_GPU_HYBRID_H
#define SUBCORE_GPU_HYBRID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "mem/reuse_memory.h"
#include "plan/share.h"
#include "probe/result.h"

struct kernel_run;
struct timed;
struct timed_launch;

struct hybrid {
    struct reuse_memory *memory; /* NULL: no launch of the run has been hybrid */
    bool on;                     /* the launch that runs is */
    struct share share;
    uint64_t work[TOPOLOGY_SMS]; /* warp instructions of the SMs without time */
};

/* A launch begins. Returns false, with status, if the host is out of memory. */
bool hybrid_begin(struct timed *t, const struct timed_launch *launch, const struct occupancy *occupancy,
                  struct status *status);
/* CTAs without time will be executed, up to `end` in the order. */
void hybrid_pass(struct hybrid *h, uint64_t end);
/* Serves the requests that have left the GPCs in this quantum. Returns false if the host is out of memory. */
bool hybrid_run_memory(struct timed *t);
/* A launch that is hybrid has ended: fills in result->hybrid. */
void hybrid_end(const struct timed *t, struct kernel_result *result);
void hybrid_free(struct hybrid *h);

#endif
