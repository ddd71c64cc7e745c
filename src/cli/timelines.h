/* --perfetto and --kanata of commands that run kernels themselves: the lists to log, and the files. */
#ifndef SUBCORE_CLI_TIMELINES_H
#define SUBCORE_CLI_TIMELINES_H

#include "cli/options.h"
#include "exec/module.h"
#include "gpu/gpu.h"

struct timelines {
    const char *perfetto, *kanata; /* paths (NULL: not wanted) */
    struct run_log log;
    struct sm_observer observer;
};

/* Does nothing without these options. */
bool timelines_begin(struct timelines *t, const struct cli_options *options, struct status *status);
void timelines_end(struct timelines *t);

/* For gpu_options (NULL: not wanted). */
struct run_log *timelines_log(struct timelines *t);
const struct sm_observer *timelines_observer(const struct timelines *t);
bool timelines_want_lines(const struct timelines *t);

/* Launches one after the other, from which `samples` are those of the longest. May be without samples. */
struct timelines_run {
    struct exec_module *module;
    const struct kernel_result *results;
    size_t count, longest;
    const struct sample_series *samples;
};
bool timelines_write(const struct timelines *t, const struct timelines_run *run, struct status *status);

#endif
