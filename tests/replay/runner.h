/* Runs an example on a GPU, and keeps the result of each launch. */
#ifndef SUBCORE_TESTS_REPLAY_RUNNER_H
#define SUBCORE_TESTS_REPLAY_RUNNER_H

#include "examples/example.h"
#include "gpu/gpu.h"

struct runner {
    struct gpu *gpu;
    struct exec_module *module;
    struct kernel_result *results; /* [count] */
    size_t count;
    struct status status;
};

/* `set`: assignments to keys of the configuration, with spaces between; NULL: none.
 * `trace`: the path of a file that is written; NULL:
 * none. The test fails when anything does. */
void runner_run(struct runner *runner, const struct example *example, const char *gpu, const char *set, bool functional,
                const char *trace);
void runner_end(struct runner *runner);

#endif
