/* Findings of --check-hazards, as text and as JSON. */
#ifndef SUBCORE_CLI_HAZARD_REPORT_H
#define SUBCORE_CLI_HAZARD_REPORT_H

#include <stdio.h>

#include "base/json.h"
#include "base/status.h"
#include "cubin/cubin.h"
#include "hazard/hazard.h"

/* Text goes to `out` and the member "hazards" to `json`. Either may be NULL. `cubin` holds the kernels. When there are
 * hazards the status, if it is still good, says so. */
void hazard_report(const struct hazards *hazards, const struct cubin *cubin, FILE *out, struct json *json,
                   struct status *status);

#endif
