/* One quantum of a timed run: Q cycles of everything, Q being the shortest time a message needs between a GPC and a
 * slice.
 *
 *   1. GPCs     hand the replies that reach them in [t, t+Q) to their SMs
 *   2. SMs      run [t, t+Q); the caller serves what their programs asked of the driver
 *   3. GPCs     take their SMs' requests and let out what can leave in [t, t+Q)
 *   4. caller   moves these to the groups of slices
 *   5. groups   run [t, t+Q)
 *   6. caller   moves their replies to the GPCs, and places new CTAs
 *
 * Nothing that a phase sends is read by another unit of the same phase, so units run in any order and in any number of
 * threads. Nothing sent across the network in a quantum arrives in it. Device memory changes only in phase 5. */
#ifndef SUBCORE_GPU_QUANTUM_H
#define SUBCORE_GPU_QUANTUM_H

#include <stdbool.h>

#include "gpu/timed.h"

/* Runs [t->now, t->now + t->quantum), or less where the launch is to end before. False when the host has no memory
 * left. */
bool quantum_run(struct timed *t);

#endif
