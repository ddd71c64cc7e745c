/* Loads of one SM, from its L1, through it, or from shared memory. */
#ifndef SUBCORE_MEASURE_INSIDE_H
#define SUBCORE_MEASURE_INSIDE_H

#include "bench.h"

struct inside {
    uint32_t offset[BENCH_LANES]; /* bytes */
    uint32_t advance;             /* bytes from one load of a warp to its next, eight of them */
    uint32_t flip;                /* a power of two: from one of four eights to the next (0: behind it) */
    unsigned warps;               /* 0: as many as a CTA can have */
    bool shared;                  /* within 32 KiB and 128 bytes */
};

/* Cycles that the SM takes for a warp's load, by kernels load_*. Releases the memory that the run has allocated. */
double inside_rate(struct measure_run *run, const char *kernel, const struct inside *inside);

#endif
