/* Runs a launch on deferred cores: accesses take effect after random delays, at slices that keep the order of arrivals,
 * and complete in random order. */
#ifndef SUBCORE_TESTS_EXEC_DEFERRED_RUN_H
#define SUBCORE_TESTS_EXEC_DEFERRED_RUN_H

#include "exec/launch.h"
#include "exec/run.h"

bool deferred_run(const struct exec_launch *launch, uint64_t seed, struct exec_totals *totals, struct status *status);

#endif
