/* How far a series of runs is: a line on standard error, a second apart on a terminal, else as far as SUBCORE_PROGRESS
 * says. */
#ifndef SUBCORE_CLI_POINT_PROGRESS_H
#define SUBCORE_CLI_POINT_PROGRESS_H

#include <stddef.h>

#include "report/progress.h"

struct point_progress {
    struct progress progress;
    double begin, shown;
    size_t at_begin;
    bool begun;
};

void point_progress_begin(struct point_progress *progress, bool quiet);
/* Shows `done` of `count` points. `self` is a struct point_progress. */
void point_progress_show(void *self, size_t done, size_t count);
/* Takes the line away. */
void point_progress_end(struct point_progress *progress);

#endif
