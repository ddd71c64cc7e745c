/* The places and times of work in timed launches, for timelines: CTAs on all SMs, and on one SM the states and
 * issues of its warps. Cycles count from the launch. */
#ifndef SUBCORE_PROBE_RUN_LOG_H
#define SUBCORE_PROBE_RUN_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/counters.h"

enum { RUN_LOG_NO_SM = UINT16_MAX, RUN_LOG_SLOTS = 64 };

struct run_log_cta {
    uint32_t launch; /* timed launches, from 0 */
    uint16_t sm, slot;
    uint64_t cta;        /* its linear number */
    uint64_t begin, end; /* the first cycle in which it is resident, and the first in which it is not */
};

struct run_log_state {
    uint32_t launch, pc; /* of the instruction that the warp would issue next */
    uint16_t slot;       /* of the warp */
    uint8_t state;       /* enum stall_reason */
    uint64_t begin, end;
};

struct run_log_issue {
    uint32_t launch, pc, active; /* lanes, a bit each */
    uint16_t slot;
    uint64_t cta, issued, written; /* written: consumers may issue from this cycle on (0: nothing is written) */
};

/* A list that grows. `most` ends it. */
struct run_log_list {
    void *item;
    size_t count, room;
};

struct run_log {
    uint16_t sm;       /* whose warps are logged (RUN_LOG_NO_SM: none) */
    uint64_t from, to; /* cycles of each launch in which they are */
    size_t most;       /* entries of a list; later ones are left out */
    uint32_t launch;   /* that runs (UINT32_MAX: none has) */
    bool cut;          /* something was left out */
    struct run_log_list ctas, states, issues;
    struct run_log_state now[RUN_LOG_SLOTS]; /* begin == end: none */
};

void run_log_init(struct run_log *log);
void run_log_free(struct run_log *log);

/* A timed launch begins, ends. */
void run_log_begin(struct run_log *log);
void run_log_end(struct run_log *log);

void run_log_cta(struct run_log *log, uint16_t sm, uint16_t slot, uint64_t cta, uint64_t begin, uint64_t end);

/* Of the SM whose warps are logged, by the thread that runs it. The warp is in this state for `cycles`. */
void run_log_state(struct run_log *log, uint32_t slot, uint32_t pc, enum stall_reason state, uint64_t begin,
                   uint64_t cycles);
void run_log_issue(struct run_log *log, uint32_t slot, uint64_t cta, uint32_t pc, uint32_t active, uint64_t cycle);
/* The result of the oldest instruction at `pc` of this warp that has none yet. */
void run_log_written(struct run_log *log, uint32_t slot, uint32_t pc, uint64_t cycle);

#endif
