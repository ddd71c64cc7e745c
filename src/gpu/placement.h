/* Which kernels an SM works for, and when CTAs get their places.
 *
 * The GPU hands out the CTAs of one kernel at a time: of those that have CTAs left to begin, the one with the highest
 * priority, and among these the one that was launched first. The next one's turn comes when it has none left (leftover
 * policy). A CTA that runs is never taken away. Source: Amert et al., "GPU Scheduling on the NVIDIA TX2: Hidden Details
 * Revealed", RTSS 2017; Gilman and Walls, "Characterizing Concurrency Mechanisms for NVIDIA GPUs under Deep Learning
 * Workloads", 2021, which finds the same on an RTX 3090. The CUDA C++ Programming Guide says about priorities that
 * pending work of a higher one goes first, and that running work is not preempted.
 *
 * A kernel takes SMs on which nothing is under way, those first that have been free for longer. In a run in which
 * kernels share SMs (timed.shares) it then takes the room that others have left on theirs (gpu/tenants.h): an SM that
 * has fewer CTAs gets one first. In a replay each SM holds CTAs of one kernel at a time, as Accel-Sim has it unless it
 * is asked for more: an SM is free when its kernel has no CTA left to begin, and all that it held have ended with their
 * accesses.
 *
 * A policy tells in which order CTAs go to the SMs (gpu/placement_policy.h). When a CTA starts on its SM tells
 * gpu/cta_scheduler.h. */
#ifndef SUBCORE_GPU_PLACEMENT_H
#define SUBCORE_GPU_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct sm_finished;
struct timed;

/* Between two quanta: gives free SMs, and the room that is left on others, to kernels that wait for them. */
bool placement_run(struct timed *t, struct status *status);
/* Returns the next cycle at which a kernel that has been launched may get its first CTAs (UINT64_MAX: none waits for
 * that). */
uint64_t placement_next(const struct timed *t);

/* At the end of a quantum, in the order (cycle, SM): a CTA of this SM has ended, and others may take its place. False,
 * with status, when the host has no memory. */
bool placement_cta_ended(struct timed *t, uint32_t sm, const struct sm_finished *finished, struct status *status);

#endif
