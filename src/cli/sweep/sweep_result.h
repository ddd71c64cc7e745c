/* Results for a point of a sweep: the document of its command without the host's times, so that two sweeps give the
 * same files, and beside it the host seconds. */
#ifndef SUBCORE_CLI_SWEEP_RESULT_H
#define SUBCORE_CLI_SWEEP_RESULT_H

#include <cjson/cJSON.h>

#include "cli/sweep/sweep_points.h"

struct sweep_outcome {
    int exit_status; /* 128 + n: signal n has ended it */
    double seconds;  /* of the host */
};

/* Turns the raw document of the point, if there is one, into its results. */
bool sweep_result_write(const char *folder, const struct sweep_point *point, const struct sweep_outcome *outcome,
                        struct status *status);
/* Returns the point's results; NULL with status. The caller gives them back with cJSON_Delete. Members: "command",
 * "exit_status", "message" (the end of the command's output, when it failed), "document" (null: there is none). */
cJSON *sweep_result_read(const char *folder, const struct sweep_point *point, struct status *status);
/* Returns the host seconds of a point that is done. Below 0 when they are not known. */
double sweep_result_seconds(const char *folder, const struct sweep_point *point);

#endif
