/* One quantum of a timed run: Q cycles of everything, Q being the shortest time a message needs between a GPC and a
 * slice.
 *
 *   1. GPCs     take the answers of slice groups, and hand those that reach them in [t, t+Q) to their SMs
 *      SMs      run [t, t+Q)
 *      GPCs     take their SMs' requests and let out those that can leave in [t, t+Q)
 *   2. caller   serves the SMs' requests to the driver
 *   3. groups   take the requests that GPCs let out, run [t, t+Q)
 *   4. caller   places new CTAs
 *
 * In 1 each GPC goes its own way (gpu/front.h). Nothing that a phase sends is read by another unit of the same phase
 * that shares no GPC with it, so units run in any order and in any number of threads. Nothing sent across the network
 * in a quantum arrives in it. Device memory changes only in phase 3. */
#ifndef SUBCORE_GPU_QUANTUM_H
#define SUBCORE_GPU_QUANTUM_H

#include <stdbool.h>

#include "gpu/timed.h"

/* Runs [t->now, t->now + t->quantum), or less where the launch is to end before. False, with status, when the host
 * has no memory left. */
bool quantum_run(struct timed *t, struct status *status);

#endif
