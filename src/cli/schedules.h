/* --schedule and --schedule-out of commands that run kernels themselves (gpu/cta_schedule.h). */
#ifndef SUBCORE_CLI_SCHEDULES_H
#define SUBCORE_CLI_SCHEDULES_H

#include "cli/options.h"
#include "gpu/cta_schedule.h"

#define SCHEDULE_OPTIONS (CLI_BIT(SCHEDULE) | CLI_BIT(SCHEDULE_OUT))

struct schedules {
    const char *out; /* path (NULL: not wanted) */
    bool follows;
    struct cta_schedule followed, places;
};

/* Returns whether the options fit each other; false, with status, where they do not. */
bool schedules_check(const struct cli_options *options, struct status *status);
/* Reads the file of --schedule. Does nothing without these options. */
bool schedules_begin(struct schedules *s, const struct cli_options *options, struct status *status);
void schedules_end(struct schedules *s);

/* For gpu_options (NULL: not wanted). */
const struct cta_schedule *schedules_followed(const struct schedules *s);
struct cta_schedule *schedules_places(struct schedules *s);

/* Writes the file of --schedule-out, if that is asked for. */
bool schedules_write(const struct schedules *s, struct status *status);

#endif
