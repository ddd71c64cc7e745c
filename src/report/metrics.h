/* The numbers that follow from the counters of a kernel: the one place where ratios and shares are computed, for the
 * text and the JSON alike. */
#ifndef SUBCORE_REPORT_METRICS_H
#define SUBCORE_REPORT_METRICS_H

#include "config/config.h"
#include "probe/result.h"
#include "report/metrics.def"

enum metric {
#define X(id, name, unit, value, text) METRIC_##id,
    REPORT_METRICS(X)
#undef X
        METRIC_COUNT
};

struct metric_info {
    const char *name, *unit, *text;
};

/* A kernel that has run, and the configuration it ran with: peaks are in it. */
struct measured {
    const struct kernel_result *result;
    const struct config *config;
};

const struct metric_info *metric_info(enum metric metric);
double metric_value(const struct measured *measured, enum metric metric);

/* Share of the resident warp-cycles, in percent. */
double metric_stall_percent(const struct kernel_result *result, enum stall_reason reason);
/* Warp-cycles in this state for each issue: smsp__average_warps_issue_stalled_<reason>_per_issue_active.ratio. */
double metric_stall_per_issue(const struct kernel_result *result, enum stall_reason reason);
/* Shares of a sum in units of 0.1 %, rounded so that they add up to exactly 1000 (all 0 when the sum is 0). At
 * most METRIC_SHARES values. */
enum { METRIC_SHARES = 32 };
void metric_tenths(const uint64_t *values, unsigned count, unsigned *tenths);

/* Cycles of all sub-cores on SMs that have work, the sum of all cycle events. */
uint64_t metric_scheduler_cycles(const struct kernel_result *result);

/* Share of all sub-cores' active cycles in which the pipe is held, in percent. Where FP32 has two groups of
 * lanes, fma is a share of both. */
double metric_pipe_percent(const struct measured *measured, enum isa_pipe pipe);

#endif
