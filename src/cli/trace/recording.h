/* The trace that a command writes of the launches that it executes (--record, and the command `record`). */
#ifndef SUBCORE_CLI_RECORDING_H
#define SUBCORE_CLI_RECORDING_H

#include <stdio.h>

#include "cli/options.h"
#include "config/config.h"
#include "plan/selection.h"
#include "report/record.h"
#include "trace/writer.h"

struct recording {
    struct trace_writer *writer; /* NULL: no trace is written */
    const char *path;            /* borrowed */
    struct selection only;       /* no rule: all launches */
    struct recorder counts;      /* numbers the launches of each kernel */
    uint64_t launches;           /* in the trace */
};

/* Does nothing without --record. */
bool recording_begin(struct recording *recording, const struct cli_options *options, const struct config *config,
                     struct status *status);
/* Whether the next launch of this kernel belongs in the trace. */
bool recording_wants(const struct recording *recording, const char *kernel);
/* It has run. */
void recording_launched(struct recording *recording, const char *kernel, bool wanted,
                        const struct kernel_result *result);
/* Completes the file, and describes it to `out` (NULL: does not). A trace without launches is an error. */
bool recording_finish(struct recording *recording, FILE *out, struct status *status);
/* Frees. A trace that is not complete is removed. */
void recording_free(struct recording *recording);

/* "12 launches, 1,234,567 warp instructions, 0.9 MB (0.73 bytes an instruction)" of a trace file. */
enum { RECORDING_TEXT = 200 };
bool recording_describe(const char *path, char text[static RECORDING_TEXT], struct status *status);

#endif
