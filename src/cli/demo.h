/* Runs an example on the simulated GPU and keeps the results of its launches. */
#ifndef SUBCORE_CLI_DEMO_H
#define SUBCORE_CLI_DEMO_H

#include "cli/session.h"
#include "examples/example.h"
#include "validate/kernels/workload.h"

struct demo_run {
    const struct example *example; /* NULL: a workload */
    struct session *session;
    struct exec_module *module;
    struct kernel_result *results;
    size_t count, room;
    size_t longest;               /* launch: the one with the most cycles, or instructions where there are none */
    struct line_profile lines;    /* of the longest launch, with --source */
    struct sample_series samples; /* of that launch, with --sample or --html */
    struct example_result check;
    uint64_t memory_digest;
    bool ended;           /* a limit ended the run before the example's end: there is nothing to check */
    struct status status; /* why a launch failed */
};

/* The demo that runs where none is named. */
extern const char demo_default[];

/* NULL with a status that lists all examples. */
const struct example *demo_find(const char *name, struct status *status);

/* The cubin of a module for an architecture: exact, else the same major with the highest minor not above. */
bool demo_cubin(const char *module, unsigned sm, struct cubin_bytes *out, struct status *status);

/* Returns false if the example could not run, a launch failed or its check did. The rest of *run is filled in as far as
 * it came. The session's GPU is fresh. */
bool demo_run(struct demo_run *run, const struct example *example, struct session *session, struct status *status);
bool demo_run_workload(struct demo_run *run, const struct workload *workload, const struct workload_scale *scale,
                       struct session *session, struct status *status);
void demo_run_free(struct demo_run *run);

#endif
