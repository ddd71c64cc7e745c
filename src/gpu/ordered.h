/* Hybrid launches whose atomics return values. The values depend on the order of CTAs, so that a CTA without time could
 * wait for a warp that is timed. Such a launch has two passes:
 *
 *   1. All CTAs are executed without time, in an order that a GPU may have, and recorded in a temporary trace.
 *   2. The trace is replayed as a hybrid launch (gpu/hybrid.h). Warps repeat their work of the first pass.
 *
 * The time that a warp waits for another CTA is that of the first pass: it is as long as its retries. */
#ifndef SUBCORE_GPU_ORDERED_H
#define SUBCORE_GPU_ORDERED_H

#include <stdbool.h>

#include "base/status.h"
#include "exec/exec.h"
#include "gpu/record.h"
#include "probe/result.h"

struct gpu;

/* Returns whether the launch is one of these, and no option needs its values while it is timed. */
bool ordered_run_fits(const struct gpu *gpu, const struct exec_launch *launch);
/* Runs the launch. *r has its facts, and has the results behind it. */
bool ordered_run(struct gpu *gpu, struct exec_launch *launch, const struct record_facts *facts, struct kernel_result *r,
                 struct status *status);

#endif
