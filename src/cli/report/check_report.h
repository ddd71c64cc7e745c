/* Findings of --check, as text and as JSON. */
#ifndef SUBCORE_CLI_CHECK_REPORT_H
#define SUBCORE_CLI_CHECK_REPORT_H

#include <stdio.h>

#include "base/json.h"
#include "base/status.h"
#include "check/found.h"

/* Text goes to `out` and the member "checks" to `json`. Either may be NULL. When there
 * are findings the status, if it is still good, says so. */
void check_report(const struct check_found *found, FILE *out, struct json *json, struct status *status);

/* Returns the exit status of --error-exitcode where something was found (0: as without it). */
int check_exit(const struct check_found *found, uint32_t error_exitcode);

#endif
