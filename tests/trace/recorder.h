/* Runs an example on the functional machine and writes its trace; remembers the work of every warp. */
#ifndef SUBCORE_TESTS_TRACE_RECORDER_H
#define SUBCORE_TESTS_TRACE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "examples/example.h"
#include "trace/writer.h"

struct recorded_warp {
    uint64_t hash, instructions;
};

struct recorded_kernel {
    struct recorded_warp *warp; /* [cta * warps + warp] */
    uint64_t ctas, instructions;
    uint32_t warps;
};

struct recording {
    struct recorded_kernel kernel[64];
    uint32_t kernels;
    uint64_t instructions;
    struct trace_writer *writer;
    struct status status;
};

/* False: the example is wrong on this architecture, or does not have code for it. */
bool record_example(const struct example *example, unsigned sm, struct recording *r);
void recording_free(struct recording *r);

#endif
