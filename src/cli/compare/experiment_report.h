/* Results of an experiment, as text and as JSON. */
#ifndef SUBCORE_CLI_EXPERIMENT_REPORT_H
#define SUBCORE_CLI_EXPERIMENT_REPORT_H

#include <stdio.h>

#include "base/json.h"
#include "experiment/experiment.h"

/* Title, source, explanation, a table of the rows that ran, and a sum. `gpu` is the product. */
void experiment_report_text(const struct experiment_run *run, const char *gpu, FILE *out);
/* One line; `gpu` is the name. */
void experiment_report_heading(FILE *out);
void experiment_report_line(const struct experiment_run *run, const char *gpu, FILE *out);
/* Members of an object that is open. */
void experiment_report_json(const struct experiment_run *run, const char *gpu, struct json *json);
/* The assembled code of one row, counted from 0, as `subcore disasm` prints it. */
bool experiment_report_code(const struct experiment_run *run, unsigned row, FILE *out, struct status *status);

#endif
