/* --save and --resume: a run in a file, in the middle of a launch.
 *
 * Of launches that have ended the file has the outcomes, and the host's reads of device memory until then: a
 * run that goes on does all that it did before, but it gets outcomes and memory from the file instead of launching,
 * up to the launch that was saved. A replay names its trace in the file. */
#ifndef SUBCORE_CLI_CHECKPOINT_H
#define SUBCORE_CLI_CHECKPOINT_H

#include "base/archive.h"
#include "cli/options.h"
#include "gpu/gpu.h"

/* The facts of a launch that has ended. */
struct launch_outcome {
    struct kernel_result result;
    struct status failed; /* a replay that goes on behind damage: of a launch that it lost */
    uint64_t damaged;     /* warps whose streams ended early, and the error of the first */
    struct status damage;
};

struct checkpoint_trace {
    char path[512]; /* for messages (empty: there is none) */
    uint64_t identity;
};

struct checkpoint {
    char path[4096];                /* of --save (empty: not saved) */
    uint64_t every;                 /* cycles of a launch (0: only when the run is interrupted) */
    const char *resumed;            /* file of --resume (NULL: none) */
    struct archive *from;           /* that file, until its launch has been reached */
    bool refused;                   /* it is not of this run */
    uint64_t saved;                 /* the number of that launch */
    uint64_t launches;              /* that have begun */
    struct launch_outcome *outcome; /* of launches that have ended */
    uint64_t ended, outcome_room;
    uint64_t choice; /* of launches: a hash of the command line */
    struct checkpoint_trace trace, saved_trace;
    uint8_t *read; /* the host's reads before the running launch */
    uint64_t read_bytes, read_room;
    uint64_t read_at; /* of these, those that a resumed run has repeated */
    struct gpu **gpu; /* of the session */
    bool has_saved;   /* the run was interrupted, and is in the file */
};

/* The options that checkpoint_begin reads. */
#define CHECKPOINT_OPTIONS (CLI_BIT(SAVE) | CLI_BIT(RESUME))

/* Reads FILE[:EVERY] and the head of the file to resume. */
bool checkpoint_begin(struct checkpoint *c, const struct cli_options *options, struct gpu **gpu, struct status *status);
void checkpoint_end(struct checkpoint *c);
/* The run is a replay of this trace; false, with status, when the one to resume is of another. */
bool checkpoint_trace(struct checkpoint *c, struct trace_file *file, const char *path, struct status *status);
/* The run executes; false, with status, when the one to resume is a replay. */
bool checkpoint_no_trace(struct checkpoint *c, struct status *status);
/* The message of a GPU's options about it. */
struct gpu_pause checkpoint_pause(struct checkpoint *c);

/* A launch begins. True: it is one that has ended in the saved run, in this way. */
bool checkpoint_launch(struct checkpoint *c, struct launch_outcome *outcome);
/* It has ended; false without memory. */
bool checkpoint_launched(struct checkpoint *c, const struct launch_outcome *outcome, struct status *status);
/* The run was interrupted, and can go on: says how. */
void checkpoint_say(const struct checkpoint *c, struct status *status);
/* The host reads device memory. */
bool checkpoint_read(struct checkpoint *c, void *to, uint64_t from, uint64_t bytes);
/* All has been run; false, with status, when the saved launch was not among it. */
bool checkpoint_reached(struct checkpoint *c, struct status *status);

#endif
