/* The parts of a grid: the plan says of each CTA whether it is timed, executed without time, or left out.
 *
 * Timed parts follow each other in grid order. The CTAs between two of them are executed when all CTAs before them and
 * their memory accesses have ended: memory is then as a run in grid order leaves it. They take no time. The SMs begin
 * the next part as they begin a kernel, empty. The L2 is as the part before has left it. The CTAs behind the last timed
 * part are the launch's rest (gpu/rest.h).
 *
 * A policy may let the CTAs that it leaves out pass at once (plan_policy.flows): they are executed while CTAs before
 * them are on their SMs, and those behind them take the places that become free. Such a part may show the L2 its
 * accesses (PLAN_WARM, gpu/warming.h).
 *
 * CTAs of a cooperative grid wait for each other: such a grid is timed whole, as is one that follows a schedule. A part
 * ends with a CTA group. */
#ifndef SUBCORE_GPU_GRID_PARTS_H
#define SUBCORE_GPU_GRID_PARTS_H

#include <stdbool.h>

#include "base/status.h"
#include "plan/plan.h"

struct gpu_options;
struct kernel_run;
struct timed;

/* Asks for the first part of a launch. False, with status, when it cannot be passed; the same below. */
bool grid_parts_begin(struct timed *t, struct kernel_run *k, struct status *status);
/* Asks for the next part when all CTAs of the running part have been handed out: so that a timed part which follows
 * another continues without a gap. */
bool grid_parts_ask(struct timed *t, struct kernel_run *k, struct status *status);

/* Between two quanta: does the work before the next timed part, if the part before it has ended. *begun: that
 * part may be placed now. False, with status, when it cannot be done. */
bool grid_parts_advance(struct timed *t, struct kernel_run *k, const struct gpu_options *options, bool *begun,
                        struct status *status);

/* Returns whether a kernel has a timed part to come that waits for the end of the one before. */
bool grid_parts_wait(const struct timed *t);

/* Returns the plan for the CTAs behind the timed ones, and why not all of the grid was timed. */
struct plan_answer grid_parts_rest(const struct kernel_run *k);

#endif
