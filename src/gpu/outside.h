/* A launch's accesses that lie outside of all allocations and pass (gpu_options.outside): their number, and the first
 * one in code order. */
#ifndef SUBCORE_GPU_OUTSIDE_H
#define SUBCORE_GPU_OUTSIDE_H

#include "exec/launch.h"
#include "gpu/gpu.h"

/* Lets them pass from now on. Out of memory: they stay faults. */
void outside_begin(struct exec_launch *launch);
/* Tells of them, if there were any, and frees. Nothing without outside_begin. */
void outside_end(struct exec_launch *launch, const struct gpu_outside *outside);

#endif
