#include "probe/lines.h"

#include <stdlib.h>

bool line_profile_reset(struct line_profile *profile, uint32_t count)
{
    line_profile_free(profile);
    profile->line = calloc((size_t)count + 1, sizeof *profile->line);
    profile->count = profile->line ? count : 0;
    return profile->line != NULL;
}

void line_profile_free(struct line_profile *profile)
{
    free(profile->line);
    *profile = (struct line_profile){0};
}

void line_counters_add(struct line_counters *to, const struct line_counters *from)
{
    to->inst_issued += from->inst_issued;
    to->thread_inst_executed += from->thread_inst_executed;
    to->thread_inst_executed_pred_on += from->thread_inst_executed_pred_on;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        to->stall[i] += from->stall[i];
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        to->cycle[i] += from->cycle[i];
}

uint64_t line_warp_cycles(const struct line_counters *n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        sum += n->stall[i];
    return sum;
}

uint64_t line_scheduler_cycles(const struct line_counters *n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < CYCLE_EVENT_COUNT; i++)
        sum += n->cycle[i];
    return sum;
}
