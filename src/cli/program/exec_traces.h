/* The traces that the processes of a program leave behind (`exec --record`). */
#ifndef SUBCORE_CLI_EXEC_TRACES_H
#define SUBCORE_CLI_EXEC_TRACES_H

#include <limits.h>
#include <stdio.h>

#include "base/status.h"
#include "report/launches.h"

struct exec_traces {
    const char *asked;          /* as --record gives it (NULL: none are wanted) */
    char pattern[PATH_MAX + 8]; /* SUBCORE_TRACE for the program: an absolute path, with %p for the process's number */
    bool renamed;               /* the user has not given %p: the first process's trace is renamed to `asked` */
};

/* `asked` may be NULL. */
bool exec_traces_prepare(struct exec_traces *traces, const char *asked, struct status *status);
/* The program has ended: gives each trace its name, removes the files of crashed processes, and reports the rest to
 * `out` (NULL: does not). */
bool exec_traces_collect(const struct exec_traces *traces, const struct launches *launches, FILE *out,
                         struct status *status);

#endif
