/* The timeline of a program or a trace. */
#include "base/file.h"
#include "cli/report/exec_report.h"
#include "report/perfetto.h"
#include "report/perfetto_ranges.h"

static void timeline_launch(const struct exec_run *run, const struct launch_record *record, uint64_t index,
                            void *context)
{
    (void)index;
    const struct perfetto_launch launch = {
        .process = launches_process(&run->launches, record),
        .stream = record->stream,
        .number = record->number,
        .name = record->name,
        .result = &record->result,
        .begin = (uint64_t)(1e9 * record->begin + 0.5),
        .end = (uint64_t)(1e9 * record->end + 0.5),
    };
    perfetto_launch(context, &launch);
}

static uint64_t process_of(const void *self, int32_t id)
{
    const struct exec_run *run = self;
    uint64_t i = 0;
    while (i < run->launches.process_count && run->launches.processes[i] != id)
        i++;
    return i;
}

static void timeline_activities(const struct exec_run *run, struct perfetto *perfetto)
{
    struct activity activity;
    FILE *file = run->activities ? fopen(run->activities, "rbe") : NULL;
    while (file && activity_next(file, &activity))
        perfetto_activity(perfetto, &activity, process_of(run, activity.process));
    if (file)
        fclose(file);
}

bool exec_report_perfetto(const struct exec_run *run, const char *path, struct status *status)
{
    struct file_output file;
    struct perfetto perfetto;
    if (!file_output_open(&file, path, status))
        return false;
    perfetto_begin(&perfetto, file.stream, run->config->gpu.name, false);
    bool ok = exec_report_each(run, timeline_launch, &perfetto, status);
    timeline_activities(run, &perfetto);
    if (run->ranges)
        perfetto_ranges(&perfetto, run->ranges, process_of, run);
    ok = (perfetto_end(&perfetto) || status_fail(status, STATUS_MEMORY, "no memory for a timeline")) && ok;
    if (ok)
        return file_output_commit(&file, status);
    file_output_abandon(&file);
    return false;
}
