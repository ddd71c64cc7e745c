/* A trace whose kernels are loops of several CUDA streams, and their times. */
#ifndef SUBCORE_TESTS_REPLAY_LOOPS_H
#define SUBCORE_TESTS_REPLAY_LOOPS_H

#include "gpu/gpu.h"
#include "tests/temporary.h"

enum { LOOPS_KERNELS = 160 };

/* Turns of a loop that each CTA makes. `loads`: each with a load. */
struct loop {
    uint64_t stream;
    uint32_t ctas, turns;
    uint32_t threads, registers, shared; /* 0: 32, 16, none */
    bool loads;
    uint32_t first; /* CTA that makes fewer turns, by `fewer` */
    uint32_t fewer;
    bool same_code; /* at one address for all streams */
};

struct loops {
    char path[TEMPORARY_PATH];
    struct trace_file *file;
    struct trace_kernel *kernel[LOOPS_KERNELS];
    struct gpu *gpu;
    struct kernel_result result[LOOPS_KERNELS];
    bool has_ended[LOOPS_KERNELS], never_began[LOOPS_KERNELS];
    uint32_t given, count, ended;
    uint32_t runs;           /* from cold caches */
    uint64_t cycles;         /* of the last */
    uint32_t barrier_before; /* a copy in the default stream comes before this kernel (0: none) */
    uint64_t copy_stream;
    bool passes;
    struct status status;
};

/* Writes the trace and opens it. Failures fail the test, here and below. */
void loops_begin(struct loops *r, const struct loop *kernels, uint32_t count);
void loops_end(struct loops *r);

/* On an A100 on which every instruction fetch hits; `set`: another assignment to a key, or NULL. False: status says
 * why. */
bool loops_run(struct loops *r, const char *set, struct gpu_options options);
void loops_check(const struct loops *r, bool ok);

#endif
