/* What follows from the counters of a kernel: the one place where ratios and shares are computed, for the text and the
 * JSON alike. */
#ifndef SUBCORE_REPORT_METRICS_H
#define SUBCORE_REPORT_METRICS_H

#include "probe/result.h"
#include "report/metrics.def"

enum metric {
#define X(id, name, unit, value, text) METRIC_##id,
    REPORT_METRICS(X)
#undef X
    METRIC_COUNT
};

struct metric_info { const char *name, *unit, *text; };

const struct metric_info *metric_info(enum metric metric);
double metric_value(const struct kernel_result *result, enum metric metric);

/* Share of the resident warp-cycles, in percent. */
double metric_stall_percent(const struct kernel_result *result, enum stall_reason reason);
/* Warp-cycles in this state for each issue: smsp__average_warps_issue_stalled_<reason>_per_issue_active.ratio. */
double metric_stall_per_issue(const struct kernel_result *result, enum stall_reason reason);
/* The shares in tenths of a percent, rounded so that their sum is exactly 1000 (all 0 when there were no warps). */
void metric_stall_tenths(const struct kernel_result *result, unsigned tenths[STALL_COUNT]);

/* Share of the active cycles of all sub-cores in which the pipe is held, in percent; the same over elapsed cycles. */
double metric_pipe_percent(const struct kernel_result *result, enum isa_pipe pipe);
double metric_pipe_percent_elapsed(const struct kernel_result *result, enum isa_pipe pipe);

/* The pipe whose use over elapsed cycles is the compute throughput; ISA_PIPE_COUNT when the issue slots are. */
enum isa_pipe metric_busiest(const struct kernel_result *result);

#endif
