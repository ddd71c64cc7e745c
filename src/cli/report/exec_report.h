/* The text of `subcore exec` after the program has ended, and `subcore replay` after the trace has, from the records of
 * the launches. */
#ifndef SUBCORE_CLI_EXEC_REPORT_H
#define SUBCORE_CLI_EXEC_REPORT_H

#include <limits.h>

#include "check/found.h"
#include "cli/options.h"
#include "config/config.h"
#include "exec/run.h"
#include "report/launches.h"
#include "report/range_sum.h"
#include "report/source_sum.h"

/* Launches in different streams that overlapped with each other, without a break. */
struct exec_overlap {
    uint64_t first; /* number of the first launch */
    uint64_t launches;
    uint64_t cycles;       /* from the first one's launch to the last one's end */
    uint64_t cycles_apart; /* the sum of theirs */
    double begin, end;     /* of a program: simulated seconds; of a replay: 0 */
    int32_t process;
};

struct exec_run {
    const char *program; /* as it was called (NULL: a trace was replayed) */
    const char *trace;   /* its path then */
    int exit_status;
    double seconds; /* wall time of the program or the replay */
    const struct config *config;
    const char *records; /* path of the file */
    struct launches launches;
    const struct check_found *checks; /* NULL: nothing was checked */
    const char *activities;           /* path of the file with copies and graphs (NULL: there is none) */
    struct range_sum *ranges;         /* read already (NULL: of a replay) */
    const struct source_sum *sources; /* of --source (NULL: not asked for) */
    struct exec_overlap *overlaps;
    size_t overlap_count, overlap_room;
};

/* Makes an empty file for records, in its own temporary folder. */
bool exec_report_file(char path[static PATH_MAX], struct status *status);
/* Removes it with its folder. Nothing where `path` is empty. */
void exec_report_forget(const char *path);
/* Fails for the errno of a record that could not be written; 0 is none. */
bool exec_report_failed(int error, struct status *status);
/* The folder of --report, made when it is not there (NULL: none is wanted). */
bool exec_report_folder(const char *path, struct status *status);

/* Adds one. */
bool exec_report_overlap(struct exec_run *run, const struct exec_overlap *overlap, struct status *status);
void exec_report_print_overlaps(const struct exec_run *run, FILE *out);
void exec_report_free(struct exec_run *run);

/* Reads the records and sums them up. */
bool exec_report_read(struct exec_run *run, struct status *status);

/* Goes through the records again: `each` is called for those of whole launches. */
typedef void exec_report_visit(const struct exec_run *run, const struct launch_record *record, uint64_t index,
                               void *context);
bool exec_report_each(const struct exec_run *run, exec_report_visit *each, void *context, struct status *status);

/* launches.csv, report.json and report.txt in the folder `directory`, each whole or not at all. */
bool exec_report_write(const struct exec_run *run, const char *directory, struct status *status);
/* The document alone, and the page of it. Each path may be NULL, `baseline` too. */
bool exec_report_json(const struct exec_run *run, const char *json, const char *html, const char *baseline,
                      struct status *status);
/* A timeline of the launches on their streams. */
bool exec_report_perfetto(const struct exec_run *run, const char *path, struct status *status);

#endif
