/* Counters for each instruction of a kernel. Warp-cycles and scheduler cycles are added to the instruction that the
 * warp would issue next, as the profiler's samples are. */
#ifndef SUBCORE_PROBE_LINES_H
#define SUBCORE_PROBE_LINES_H

#include <stdbool.h>

#include "probe/counters.h"

struct line_counters {
    uint64_t inst_issued, thread_inst_executed, thread_inst_executed_pred_on;
    uint64_t stall[STALL_COUNT];       /* warp-cycles */
    uint64_t cycle[CYCLE_EVENT_COUNT]; /* sub-core cycles */
};

/* Sums over SMs. Each counter, added up over all places, is the SMs' counter of that name. */
struct line_profile {
    uint32_t count;             /* instructions, 16 bytes each */
    struct line_counters *line; /* [count + 1]. The place behind the end has the cycles without a resident warp */
};

/* Empty counters for so many instructions, in place of the profile's contents. False: no memory. */
bool line_profile_reset(struct line_profile *profile, uint32_t count);
void line_profile_free(struct line_profile *profile);

/* Sums over all states, and over all events. */
uint64_t line_warp_cycles(const struct line_counters *n);
uint64_t line_scheduler_cycles(const struct line_counters *n);
void line_counters_add(struct line_counters *to, const struct line_counters *from);

#endif
