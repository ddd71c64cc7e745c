#include "driver/state/process_schedule.h"

#include <unistd.h>

#include "base/file.h"
#include "driver/state/driver.h"
#include "driver/state/say.h"
#include "report/trace_path.h"

bool process_schedule_begin(struct process_schedule *s, const struct settings *settings, struct gpu_options *options,
                            struct status *status)
{
    pthread_mutex_init(&s->running, NULL);
    if (settings->schedule) {
        if (!cta_schedule_read(&s->followed, settings->schedule, status))
            return false;
        options->schedule = &s->followed;
    }
    if (settings->schedule_out) {
        s->process = getpid();
        options->places = &s->places;
    }
    return true;
}

void process_schedule_enter(struct process_schedule *s) { pthread_mutex_lock(&s->running); }

void process_schedule_leave(struct process_schedule *s) { pthread_mutex_unlock(&s->running); }

static bool write_places(const struct process_schedule *s, const char *pattern, struct status *status)
{
    char path[4096];
    struct file_output file;
    trace_path_of(pattern, (int)getpid(), path, sizeof path);
    if (!file_output_open(&file, path, status))
        return false;
    if (cta_schedule_write(&s->places, file.stream))
        return file_output_commit(&file, status);
    file_output_abandon(&file);
    return status_fail(status, STATUS_MEMORY, "%s: no memory for a schedule", path);
}

/* Later than anything that the program gave to atexit. In a child of the process that keeps it it does nothing. */
__attribute__((destructor)) static void complete(void)
{
    struct driver *driver = driver_get();
    struct process_schedule *s = &driver->device.schedule;
    struct status status = {0};
    if (s->process != getpid())
        return;
    driver->device.stop = true;
    pthread_mutex_lock(&s->running);
    if (s->places.count > 0 && !write_places(s, driver->settings.schedule_out, &status))
        say("%s", status.text);
    pthread_mutex_unlock(&s->running);
}
