/* A kernel of SASS, assembled, run on one SM, with its result. */
#ifndef SUBCORE_TESTS_HAZARD_KERNEL_H
#define SUBCORE_TESTS_HAZARD_KERNEL_H

#include "gpu/gpu.h"
#include "tests/unit.h"

enum { KERNEL_WORDS = 128 };

struct kernel_run {
    uint32_t in[KERNEL_WORDS], out[KERNEL_WORDS];
    struct kernel_result result;
};

/* The lines stand between a prologue and an epilogue:
 *   before: R20 = address of `in`, R22 that of `out`, pairs; R24 = lane; R27 = 0; P6 = the lane is even; R0..R15 = 1.0;
 *   after:  out[lane] = R10.
 * `options->functional` and the rest are the caller's. */
struct kernel_run kernel_run(const char *lines, const struct gpu_options *options);

/* Runs on this GPU, assembled for its architecture, in place of an RTX A6000. */
struct kernel_run kernel_run_on(const char *name, const char *lines, const struct gpu_options *options);

#endif
