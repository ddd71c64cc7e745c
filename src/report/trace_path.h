/* The names of traces: SUBCORE_TRACE has "%p" where the number of the process stands. */
#ifndef SUBCORE_REPORT_TRACE_PATH_H
#define SUBCORE_REPORT_TRACE_PATH_H

#include <stdio.h>
#include <string.h>

#define TRACE_PATH_PROCESS "%p"

/* Cut where it is too long. */
static inline void trace_path_of(const char *pattern, int process, char *path, size_t size)
{
    const char *at = strstr(pattern, TRACE_PATH_PROCESS);
    if (at)
        snprintf(path, size, "%.*s%d%s", (int)(at - pattern), pattern, process, at + strlen(TRACE_PATH_PROCESS));
    else
        snprintf(path, size, "%s", pattern);
}

#endif
