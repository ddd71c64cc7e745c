/* The choice of a warp scheduler. Each policy is a file src/sm/scheduler/policy/scheduler_NAME.c. It chooses among
 * eligible warps only, so that no policy can break a dependence. */
#ifndef SUBCORE_SM_SCHEDULER_POLICY_H
#define SUBCORE_SM_SCHEDULER_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"

struct scheduler;

enum { SCHEDULER_NONE = -1, SCHEDULER_STATE = 1024 /* bytes at most of a policy's state */ };

enum scheduler_event {
    SCHEDULER_STARTS, /* the warp becomes resident */
    SCHEDULER_LEAVES, /* it has exited, and leaves its slot */
    SCHEDULER_ISSUES,
    SCHEDULER_MISSES /* its load misses the L1 in `line` */
};

struct scheduler_policy {
    const char *name, *summary;
    size_t
        state_bytes;   /* of a sub-core: zeros when a kernel begins, without pointers, aligned to 8; saved with a run */
    bool greedy;       /* chooses the warp that issued last whenever it is eligible, and is not asked then */
    bool always_asked; /* choose is asked when a single warp is eligible, too: for a policy that may decline */
    bool residency;    /* is told only of warps that start and leave */
    /* Returns the warp that issues among `eligible`, which is not 0, or SCHEDULER_NONE to decline: nothing issues in
     * this cycle, and it is asked again in the next. Nothing changes by the question, which is also asked to attribute
     * cycles. */
    int (*choose)(const struct scheduler *s, const void *state, uint16_t eligible, uint64_t now);
    /* Takes note of a warp's event. NULL: nothing to note. */
    void (*event)(const struct scheduler *s, void *state, enum scheduler_event what, unsigned warp, uint64_t line);
};

const struct scheduler_policy *scheduler_policy(enum config_scheduler policy);

#define SCHEDULER_DECLARE(constant, word, summary, policy) extern const struct scheduler_policy policy;
POLICIES_SCHEDULER(SCHEDULER_DECLARE)

#endif
