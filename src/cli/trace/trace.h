/* The part that the actions of `subcore trace` share. */
#ifndef SUBCORE_CLI_TRACE_H
#define SUBCORE_CLI_TRACE_H

#include <stdio.h>

#include "cli/options.h"
#include "report/progress.h"
#include "trace/reader.h"

/* One action: `path` is the trace's. */
typedef bool trace_action_fn(const struct cli_options *options, const char *path, struct status *status);
trace_action_fn trace_info, trace_convert, trace_verify_file, trace_cut_file;

/* Something that is worked through, shown on a terminal, until Ctrl-C. */
struct trace_work {
    struct progress progress;
    const volatile bool *stop;
};
void trace_work_begin(struct trace_work *work, const char *label, bool quiet);
void trace_work_end(struct trace_work *work);
/* As the libraries call it; `work` is a struct trace_work. */
void trace_work_show(void *work, uint64_t done, uint64_t all);

/* A native trace. With `damage`, one whose end is missing or damaged is opened as far as it is whole, and *damage names
 * the missing part (NULL: that is an error). */
struct trace_file *trace_input(const char *path, struct status *damage, struct status *status);

/* Whether the file `output` is another one than `path`, which is read while it is written. */
bool trace_spares(const char *path, const char *output, struct status *status);

/* One line on standard error, which is no failure. */
void trace_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
