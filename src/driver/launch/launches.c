#include "driver/launch/launches.h"

#include <stdlib.h>
#include <string.h>

#include "driver/state/say.h"

/* A list that cannot be read names no launch to --detailed, and leaves none out of the others. */
static void complete_plan(struct settings *s)
{
    struct status status = {0};
    if (s->functional && !plan_add(&s->plan, "detailed", "--detailed", s->detailed, &status)) {
        say("SUBCORE_DETAILED: %s", status.text);
        plan_add(&s->plan, "detailed", "--detailed", "", &(struct status){0});
    }
    status = (struct status){0};
    if ((*s->kernels && !plan_add(&s->plan, "kernels", "--kernels", s->kernels, &status)) ||
        (*s->fast_forward && !plan_add(&s->plan, "fast-forward", "--fast-forward", s->fast_forward, &status)))
        say("SUBCORE_KERNELS, SUBCORE_FAST_FORWARD: %s", status.text);
}

struct launches *launches_get(struct driver *driver)
{
    struct launches *l = driver->launches;
    if (l)
        return l;
    l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    recorder_init(&l->recorder, driver->settings.record, driver->settings.quiet);
    complete_plan(&driver->settings);
    driver->launches = l;
    return l;
}

void launches_record(struct driver *driver, struct launches *launches, const struct launch_info *info,
                     const struct kernel_result *result)
{
    struct recorder *recorder = &launches->recorder;
    int before = recorder->error;
    struct launch_record copy;
    struct launch_info own = *info;
    own.copy = blocks_hold(&driver->ranges.blocks, info->order) ? &copy : NULL;
    record_launch(recorder, &own, result);
    if (own.copy)
        blocks_add(&driver->ranges.blocks, &copy);
    if (info->left_out && driver->device.progress.live)
        driver->device.progress.live->left_out++;
    if (!before && recorder->error) {
        say("%s: launch records cannot be written: %s", recorder->path, strerror(recorder->error));
        if (driver->device.progress.live)
            driver->device.progress.live->record_error = recorder->error;
    }
}
