#include "driver/launch/launches.h"

#include <stdlib.h>
#include <string.h>

#include "driver/state/say.h"

struct launches *launches_get(struct driver *driver)
{
    struct launches *l = driver->launches;
    struct status status = {0};
    if (l)
        return l;
    l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    recorder_init(&l->recorder, driver->settings.record, driver->settings.quiet);
    if (!selection_parse(&l->selection, driver->settings.detailed, &status))
        say("SUBCORE_DETAILED: %s", status.text);
    const struct settings *s = &driver->settings;
    status = (struct status){0};
    if (!launch_choice_parse(&l->choice, s->kernels, s->fast_forward, &status))
        say("SUBCORE_KERNELS, SUBCORE_FAST_FORWARD: %s", status.text);
    driver->launches = l;
    return l;
}

enum gpu_mode launches_mode(const struct driver *driver, struct launches *l, const char *kernel)
{
    if (l && !launch_choice_times(&l->choice, kernel))
        return GPU_MODE_FUNCTIONAL;
    if (!driver->settings.functional)
        return GPU_MODE_DETAILED;
    bool named = l && selection_names(&l->selection, kernel, record_number(&l->recorder, kernel));
    return named ? GPU_MODE_DETAILED : GPU_MODE_FUNCTIONAL;
}

void launches_record(struct driver *driver, struct launches *launches, const struct launch_info *info,
                     const struct kernel_result *result)
{
    struct recorder *recorder = &launches->recorder;
    int before = recorder->error;
    record_launch(recorder, info, result);
    if (!before && recorder->error) {
        say("%s: launch records cannot be written: %s", recorder->path, strerror(recorder->error));
        if (driver->device.progress.live)
            driver->device.progress.live->record_error = recorder->error;
    }
}
