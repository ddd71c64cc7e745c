/* The pieces of a timeline's document: for perfetto.c and perfetto_ranges.c only. */
#ifndef SUBCORE_REPORT_PERFETTO_WRITE_H
#define SUBCORE_REPORT_PERFETTO_WRITE_H

#include "report/perfetto.h"

/* Processes stand for parts of the machine; viewers order tracks by these numbers. Track numbers are those of their
 * process times TRACKS, and more. */
enum {
    PID_RANGES = 1,
    PID_STREAMS = 2,
    PID_COPIES = 3,
    PID_GRAPHS = 4,
    PID_COUNTERS = 90,
    PID_SMS = 100,
    TRACKS = 1000,
    WARP_TRACKS = 100
};

/* Microseconds with the nanoseconds behind the point. */
void perfetto_put_time(struct perfetto *p, const char *key, uint64_t ns);
void perfetto_put_string(struct perfetto *p, const char *key, const char *text);
/* `what` is "process" or "thread". */
void perfetto_name_track(struct perfetto *p, const char *what, uint64_t pid, uint64_t tid, const char *name);
/* A slice up to its arguments, of which the first follows. */
void perfetto_begin_slice(struct perfetto *p, uint64_t pid, uint64_t tid, const char *category, const char *name,
                          uint64_t begin, uint64_t end);

#endif
