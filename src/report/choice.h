/* Which launches of a run are timed: --kernels and --fast-forward. The others are executed without time, or left out
 * of a replay. */
#ifndef SUBCORE_REPORT_CHOICE_H
#define SUBCORE_REPORT_CHOICE_H

#include "report/selection.h"

struct launch_range {
    uint64_t first, last; /* numbers of launches, from 0, both included */
};

struct launch_choice {
    struct launch_range *ranges; /* owned */
    size_t count;                /* 0: all launches */
    uint64_t skip;               /* launches that only lead up to the first timed one */
    struct selection until;      /* no rule, or one: its kernel's first launch is the first timed one */
    bool reached;                /* that launch has come */
    uint64_t launches;           /* that have been asked for */
};

/* `kernels`: N, N-M, N- and lists of these with commas; `fast_forward`: a number of launches, or a kernel's name as
 * report/selection.h has it. Either may be NULL or empty. On failure there is nothing to free. */
bool launch_choice_parse(struct launch_choice *choice, const char *kernels, const char *fast_forward,
                         struct status *status);
void launch_choice_free(struct launch_choice *choice);

/* Whether the next launch is timed. Asked once for each launch, in their order; `kernel` is its mangled name. */
bool launch_choice_times(struct launch_choice *choice, const char *kernel);

#endif
