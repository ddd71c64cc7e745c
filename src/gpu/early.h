/* Ends a timed launch before its kernel does, because somebody asked for it (docs/long-runs.md). */
#ifndef SUBCORE_GPU_EARLY_H
#define SUBCORE_GPU_EARLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "probe/result.h"

/* 0: no such limit. */
struct gpu_limits {
    uint64_t cycles; /* of all timed launches together: ends before cycle N */
    uint64_t
        instructions; /* of all timed launches together: ends behind the cycle in which warp instruction N issues */
    double stable_percent;  /* ends a launch when the IPC of its last windows differs from their mean by no more */
    uint64_t stable_window; /* cycles; 0: EARLY_WINDOW */
    uint64_t ctas;          /* only the first N of each launch are timed; not of a cooperative one */
    bool finish;            /* what a limit of cycles or instructions leaves is executed without time; what the other
                             * two leave always is, where there is something to execute */
};

enum { EARLY_WINDOW = 4096, EARLY_WINDOWS = 8, EARLY_MOST_WINDOW = 1 << 30 };

static inline bool early_limits(const struct gpu_limits *l)
{
    return l->cycles || l->instructions || l->stable_percent > 0;
}

/* PERCENT or PERCENT:WINDOW. `option` is for messages. */
bool early_parse_stable(struct gpu_limits *limits, const char *option, const char *text, struct status *status);

/* Of one launch. */
struct early {
    struct gpu_limits limits; /* what is left of them */
    uint64_t first_wave;      /* CTAs that have to end before IPC can be called stable */
    uint64_t begin, before;   /* of the running window: first cycle, instructions before it */
    uint64_t window_instructions[EARLY_WINDOWS], window_cycles[EARLY_WINDOWS];
    uint64_t windows; /* that have ended; the last ones are kept */
    enum result_stop stop;
    double stable_ipc;
};

/* `ctas` of the launch, `resident` of them at once on the GPU. */
void early_begin(struct early *early, const struct gpu_limits *limits, uint64_t ctas, uint64_t resident, uint64_t now);

/* Where a quantum that begins at `now` and would end at `end` has to end. */
static inline uint64_t early_end(const struct early *early, uint64_t now, uint64_t end)
{
    uint64_t last = early->limits.cycles > now ? early->limits.cycles : now + 1;
    return early->limits.cycles && last < end ? last : end;
}

/* Whether the launch ends here, at a quantum's end: `instructions` issued, `ctas` that have ended. */
bool early_check(struct early *early, uint64_t now, uint64_t instructions, uint64_t ctas);

/* Fills in estimated_cycles of a launch that a stable IPC has ended, once its rest_instructions are known. */
void early_estimate(struct kernel_result *result);

#endif
