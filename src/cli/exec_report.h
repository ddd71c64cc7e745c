/* What `subcore exec` says after the program has ended, from the records of its launches. */
#ifndef SUBCORE_CLI_EXEC_REPORT_H
#define SUBCORE_CLI_EXEC_REPORT_H

#include "cli/options.h"
#include "config/config.h"
#include "report/launches.h"

struct exec_run {
    const char *program; /* as it was called */
    int exit_status;
    double seconds; /* wall time of the program */
    const struct config *config;
    const char *records; /* path of the file */
    struct launches launches;
};

/* Reads the records and sums them up. */
bool exec_report_read(struct exec_run *run, struct status *status);

/* launches.csv, report.json and report.txt in the folder `directory`, each whole or not at all. */
bool exec_report_write(const struct exec_run *run, const char *directory, struct status *status);
/* The document alone. */
bool exec_report_json(const struct exec_run *run, const char *path, struct status *status);

#endif
