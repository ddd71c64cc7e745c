/* Findings on their way from a program's processes to their starter: a file to which each process appends. */
#ifndef SUBCORE_CHECK_RECORD_H
#define SUBCORE_CHECK_RECORD_H

#include "base/status.h"
#include "check/found.h"

/* Appends the findings since the last call, occurrences included. Returns 0, or errno. */
int check_append(struct check_found *found, const char *path);
/* Adds a file's findings. One that does not exist holds nothing. Both sides are built from the same source. */
bool check_collect(struct check_found *found, const char *path, struct status *status);

#endif
