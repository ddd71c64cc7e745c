/* A GPU as the command line asks for it: configuration, threads, Ctrl-C, progress. */
#ifndef SUBCORE_CLI_SESSION_H
#define SUBCORE_CLI_SESSION_H

#include "cli/checkpoint.h"
#include "cli/options.h"
#include "cli/schedules.h"
#include "cli/timelines.h"
#include "cli/trace/recording.h"
#include "gpu/gpu.h"
#include "plan/selection.h"
#include "report/progress.h"

struct session {
    struct config config;
    struct gpu_options options; /* progress_context points into this struct: do not move it */
    struct progress progress;
    struct hazards hazards;       /* findings of --check-hazards; options.hazards points to it */
    struct check check;           /* findings of --check; options.check points to it */
    struct line_profile lines;    /* of the last launch, with --source */
    struct sample_series samples; /* of the last launch, with --sample or --html */
    struct timelines timelines;   /* with --perfetto or --kanata */
    struct schedules schedules;   /* with --schedule or --schedule-out */
    struct checkpoint checkpoint;
    struct plan plan;           /* the plan; options.plan points to it */
    struct recording recording; /* with --record; options.trace is its writer */
    struct gpu *gpu;
};

/* The options that session_begin reads. */
#define PAGE_OPTIONS (CLI_BIT(HTML) | CLI_BIT(BASELINE))
#define TIMELINE_OPTIONS (CLI_BIT(PERFETTO) | CLI_BIT(KANATA) | CLI_BIT(WARPS))
#define SESSION_OPTIONS                                                                                                \
    (CLI_BIT(GPU) | CLI_BIT(SET) | CLI_BIT(FUNCTIONAL) | CLI_BIT(CHECK_HAZARDS) | CLI_BIT(STRICT_HAZARDS) |            \
     CLI_BIT(THREADS) | CLI_BIT(QUIET))

/* Those that end timing early; session_begin reads them where the command takes them. */
#define LIMIT_OPTIONS (CLI_BIT(UNTIL_CYCLES) | CLI_BIT(UNTIL_INSTS) | CLI_BIT(UNTIL_STABLE_IPC) | CLI_BIT(CTAS))
/* Findings of the kernel checks; session_begin reads them, and session_checked concludes. */
#define CHECK_OPTIONS (CLI_BIT(CHECK) | CLI_BIT(ERROR_EXITCODE) | CLI_BIT(PASS_OUTSIDE))
/* Those that choose launches. */
#define CHOICE_OPTIONS (CLI_BIT(KERNELS) | CLI_BIT(FAST_FORWARD))

/* A GPU by its name (NULL: the usual one), with assignments laid over it, checked. */
bool session_config(struct config *config, const char *gpu, const struct cli_list *set, struct status *status);

/* The architecture of the GPU that --gpu and --set describe (0: --gpu is not given). */
bool session_architecture(uint32_t *architecture, const struct cli_options *options, struct status *status);

/* Host threads: those of --threads, else all processors up to a limit. */
bool session_threads(const struct cli_options *options, unsigned *threads, struct status *status);

/* The plan that the options ask for. On failure there is nothing to free. */
bool session_plan(struct plan *plan, const struct cli_options *options, struct status *status);

/* Rules for launches, as --detailed and --only have them. */
bool session_selection(struct selection *selection, const struct cli_list *list, struct status *status);

/* The checks that --check names, a bit each of enum check_bit; false, with status, where options do not fit. */
bool session_checks(uint32_t *checks, const struct cli_options *options, struct status *status);

bool session_begin(struct session *session, const struct cli_options *options, struct status *status);
/* A new GPU of the same kind, with empty memory. */
bool session_renew(struct session *session, struct status *status);
/* Completes the trace of --record and describes it to `out` (NULL: does not). */
bool session_finish(struct session *session, FILE *out, struct status *status);
void session_end(struct session *session);

bool session_launch(struct session *session, const struct gpu_launch *launch, struct kernel_result *result,
                    struct status *status);
/* The same for a kernel of a trace. The outcome says in any case how far it came. */
bool session_replay(struct session *session, const struct trace_kernel *kernel, struct launch_outcome *outcome,
                    struct status *status);
/* The host reads device memory between launches. */
bool session_read(struct session *session, void *to, uint64_t from, uint64_t bytes);
/* All launches are over; false when a saved run was to go on and its launch has not come. */
bool session_complete(struct session *session, struct status *status);
/* Whether the file of --resume is from another run: nothing has run, whatever results it has. */
static inline bool session_refused(const struct session *session) { return session->checkpoint.refused; }
/* Whether a launch that failed got as far as to run. */
static inline bool session_ran(const struct kernel_result *result) { return result->host_seconds > 0; }

#endif
