/* An example's device that is the functional machine. */
#ifndef SUBCORE_TESTS_EXEC_EXAMPLE_RUN_H
#define SUBCORE_TESTS_EXEC_EXAMPLE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "examples/example.h"
#include "exec/run.h"

struct example_run {
    struct exec_totals totals; /* of all launches */
    double seconds;            /* inside exec_run */
    struct status status;      /* why a launch failed */
    struct example_result result;
};

/* Runs the example's host program with its cubin for `sm`. With a seed on deferred cores (deferred_run.h), else at
 * once. */
struct example_run example_run(const struct example *example, unsigned sm, uint64_t seed);

#endif
