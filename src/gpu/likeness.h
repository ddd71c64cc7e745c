/* Likeness of launches: those with the same number are expected to take about the same time. They have the kernel, the
 * shape and the small integers among their parameters in common. Sizes of a problem are small integers. Addresses and
 * floating-point numbers, which change from launch to launch, do not count. */
#ifndef SUBCORE_GPU_LIKENESS_H
#define SUBCORE_GPU_LIKENESS_H

#include <stdint.h>

#include "exec/memory.h"
#include "gpu/gpu.h"

/* Returns the number of the launch's kind, never 0. */
uint64_t likeness_of(const struct memory *memory, const struct gpu_launch *launch);

#endif
