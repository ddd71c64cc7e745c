/* Straight runs of one instruction kind on one SM, a short and a long one. */
#ifndef SUBCORE_MEASURE_INSTRUCTION_H
#define SUBCORE_MEASURE_INSTRUCTION_H

#include "bench.h"

/* The parameters of the kernels in units.cuh and matrix.cuh. */
struct unit {
    uint64_t out;
    uint32_t first, step, b, c, streams;
};

enum {
    UNIT_CHAIN = 32,   /* steps of a chain by which the long run of a kernel unit_* is longer, */
    UNIT_STREAM = 256, /* of a stream's chains together, for each of its `streams` turns, */
    UNIT_BARRIER = 32, /* of a kernel barrier_*, */
    UNIT_MATRIX = 8    /* of a chain in a kernel matrix_* */
};

/* Cycles by which the long run of `warps` warps takes longer, from the first one's begin to the last one's end. */
double unit_difference(struct measure_run *run, const char *kernel, unsigned warps, const struct unit *unit);
/* Cycles of one run alone, for kernels that make one. */
double unit_cycles(struct measure_run *run, const char *kernel, unsigned warps, const struct unit *unit);

/* Cycles from one step to the next of a dependent chain; warp instructions, steps, that the SM issues in a cycle when
 * `warps` warps have four chains each. Kernels unit_* and mix_*. */
double unit_latency(struct measure_run *run, const char *kernel);
double unit_rate(struct measure_run *run, const char *kernel, unsigned warps);

#endif
