/* Another program as a child: started, sent the signals that we get, waited for. */
#ifndef SUBCORE_CLI_EXEC_CHILD_H
#define SUBCORE_CLI_EXEC_CHILD_H

#include <signal.h>
#include <stdbool.h>

#include "base/status.h"

/* Sets or, where `value` is NULL, removes a variable of the child's environment. */
struct child_variable {
    const char *name, *value;
};

struct child {
    const char *path;
    char *const *argv;
    const struct child_variable *variables; /* to a name of NULL */
    const struct sigaction *on_pipe;        /* its action at SIGPIPE */
    bool output_to_error;                   /* its standard output is our standard error */
};

enum { CHILD_NOT_FOUND = 127, CHILD_NOT_RUNNABLE = 126, CHILD_SIGNAL = 128 };

/* Runs it to its end. *exit_status: the child's, or CHILD_SIGNAL + n when signal n ended it. False: it was not started,
 * and *exit_status is CHILD_NOT_FOUND or CHILD_NOT_RUNNABLE. */
bool child_run(const struct child *child, int *exit_status, struct status *status);

#endif
