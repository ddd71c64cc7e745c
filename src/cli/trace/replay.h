/* A replay of a trace: the part that the files of `subcore replay` share. */
#ifndef SUBCORE_CLI_REPLAY_H
#define SUBCORE_CLI_REPLAY_H

#include <limits.h>

#include "accelsim/accelsim.h"
#include "cli/report/exec_report.h"
#include "cli/session.h"
#include "cli/trace/trace.h"
#include "probe/sample_sum.h"
#include "report/source_sum.h"
#include "trace/reader.h"

struct replay {
    struct session session;
    struct trace_file *file;
    struct exec_run run;
    char records[PATH_MAX];
    struct recorder recorder;
    struct trace_work work; /* its conversion */
    double now;             /* simulated seconds */
    uint64_t copies, bytes; /* from the host, which were passed over */
    uint64_t damaged;       /* kernels with warps that ended early, or of which nothing is whole */
    uint64_t left_out;      /* launches that --kernels or --fast-forward leave out */
    uint64_t likeness;      /* of the launch that replay_open has opened (0: unknown) */
    bool expected;          /* that launch is not replayed: it takes as long as those like it */
    bool repeats;           /* it repeats an earlier one, and the plan was not asked */
    uint64_t trace;         /* as kernel_result.trace has it, of a plan that compares launches */
    uint64_t replayed;      /* launches with at least one instruction */
    struct status lost;     /* gaps of the file itself, with --keep-going */
    uint32_t chosen_for;    /* the architecture for which the GPU was chosen (0: the GPU was named) */
    bool ended;             /* by a limit of cycles or instructions */
    bool converted;         /* from a trace for Accel-Sim, of which `conversion` tells */
    struct accelsim_report conversion;
    uint64_t stream;   /* of launches one after the other: the first that is not the default stream (0: none yet) */
    bool said_serial;  /* that these do not overlap, though their streams would let them */
    uint64_t *missing; /* launches of the list that its conversion left out, in their order */
    size_t missing_count;
    bool missing_failed;       /* no memory for one of them */
    struct source_sum sources; /* of all kernels, with --source */
    struct sample_sum so_far;  /* of a sampled run that shows its progress */
    double summed;             /* when its interval was made, in seconds */
};

/* All that the list says. */
bool replay_launches(struct replay *r, const struct cli_options *options, struct status *status);

/* Damaged parts of the trace for Accel-Sim end early, or are missing, in the converted trace. */
uint64_t replay_damaged(const struct replay *r);

/* ---- for launches in either order -------------------------------------------------------------------------------- */

/* The number of a launch is its place in the list, where some of them may have been left out. */
uint64_t replay_number(const struct replay *r, uint32_t index);
/* The kernel at `index` of the trace; *kernel == NULL: it is left out. */
bool replay_open(struct replay *r, uint32_t index, struct trace_kernel **kernel, struct status *status);
/* A copy from the host is passed over. */
void replay_copy(struct replay *r, const struct trace_copy *copy);
/* Reports on a launch between these simulated seconds. */
void replay_tell(struct replay *r, uint32_t index, const struct trace_kernel *kernel, struct launch_outcome *outcome,
                 double begin, double end);
/* Damage that not even a part of a kernel survives: with --keep-going it is passed over, and the status is empty. */
bool replay_passes(struct replay *r, const struct cli_options *options, struct status *status);
double replay_seconds(const struct kernel_result *result);

/* Launches of different streams overlap. *launches: of the list so far, also those that are left out. */
bool replay_streams(struct replay *r, const struct cli_options *options, uint64_t *launches, struct status *status);

#endif
