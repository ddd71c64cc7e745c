#include "cli/schedules.h"

#include "base/file.h"

bool schedules_check(const struct cli_options *o, struct status *status)
{
    const char *option = o->schedule ? "--schedule" : "--schedule-out";
    bool partly = o->ctas || o->until_stable_ipc;
    if (!o->schedule && !o->schedule_out)
        return true;
    if (o->functional || o->check)
        return status_fail(status, STATUS_USAGE, "%s is of timed launches: it does not go with %s", option,
                           o->check ? "--check" : "--functional");
    if (o->save || o->resume)
        return status_fail(status, STATUS_USAGE, "%s is of whole runs: it does not go with --save and --resume",
                           option);
    return !partly || status_fail(status, STATUS_USAGE, "%s is of whole grids: it does not go with %s", option,
                                  o->ctas ? "--ctas" : "--until-stable-ipc");
}

bool schedules_begin(struct schedules *s, const struct cli_options *options, struct status *status)
{
    *s = (struct schedules){.out = options->schedule_out};
    if (!schedules_check(options, status))
        return false;
    s->follows = options->schedule != NULL && cta_schedule_read(&s->followed, options->schedule, status);
    return !options->schedule || s->follows;
}

void schedules_end(struct schedules *s)
{
    cta_schedule_free(&s->followed);
    cta_schedule_free(&s->places);
}

const struct cta_schedule *schedules_followed(const struct schedules *s) { return s->follows ? &s->followed : NULL; }

struct cta_schedule *schedules_places(struct schedules *s) { return s->out ? &s->places : NULL; }

bool schedules_write(const struct schedules *s, struct status *status)
{
    struct file_output file;
    if (!s->out)
        return true;
    if (!file_output_open(&file, s->out, status))
        return false;
    if (cta_schedule_write(&s->places, file.stream))
        return file_output_commit(&file, status);
    file_output_abandon(&file);
    return status_fail(status, STATUS_MEMORY, "%s: no memory for a schedule", s->out);
}
