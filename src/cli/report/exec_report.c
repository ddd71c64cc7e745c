#include "cli/report/exec_report.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/document.h"
#include "cli/report/check_report.h"
#include "report/format.h"
#include "report/report.h"
#include "report/sampled.h"
#include "report/samples.h"

enum { LONGEST = 10 };

bool exec_report_file(char path[static PATH_MAX], struct status *status)
{
    char folder[FILE_FOLDER];
    path[0] = '\0';
    if (!file_temporary_make(folder, "launches", status))
        return false;
    int n = snprintf(path, PATH_MAX, "%s/records", folder);
    int file = n < PATH_MAX ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (file < 0) {
        status_fail(status, STATUS_IO, "%.300s: %s; TMPDIR names another place for temporary files", path,
                    strerror(n < PATH_MAX ? errno : ENAMETOOLONG));
        file_temporary_remove(folder);
        path[0] = '\0';
        return false;
    }
    close(file);
    return true;
}

void exec_report_forget(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    file_temporary_remove(slash ? folder : "");
}

bool exec_report_failed(int error, struct status *status)
{
    return error == 0 || status_fail(status, STATUS_IO,
                                     "%.300s: launch records cannot be written: %s; tables and reports lack launches, "
                                     "and TMPDIR names another place for temporary files",
                                     file_temporary_folder(), strerror(error));
}

bool exec_report_folder(const char *path, struct status *status)
{
    struct stat info;
    if (!path || mkdir(path, 0777) == 0)
        return true;
    if (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return true;
    return status_fail(status, STATUS_IO, "--report %.200s: %s", path, errno == EEXIST ? "no folder" : strerror(errno));
}

bool exec_report_overlap(struct exec_run *run, const struct exec_overlap *overlap, struct status *status)
{
    if (run->overlap_count == run->overlap_room) {
        size_t room = run->overlap_room ? 2 * run->overlap_room : 16;
        struct exec_overlap *overlaps = realloc(run->overlaps, room * sizeof *overlaps);
        if (!overlaps)
            return status_fail(status, STATUS_MEMORY, "no memory for the launches that overlap");
        run->overlaps = overlaps;
        run->overlap_room = room;
    }
    run->overlaps[run->overlap_count++] = *overlap;
    return true;
}

static bool touches(const struct exec_overlap *a, const struct exec_overlap *b)
{
    return a->process == b->process && a->begin < b->end && b->begin < a->end;
}

/* A launch of a program that was not alone. They come in the order of their ends: one may join several before it. */
static bool add_launch(struct exec_run *run, const struct launch_record *record, struct status *status)
{
    struct exec_overlap o = {.first = record->number,
                             .launches = 1,
                             .cycles_apart = record->result.cycles,
                             .begin = record->begin,
                             .end = record->end,
                             .process = record->process};
    size_t kept = 0;
    for (size_t i = 0; i < run->overlap_count; i++) {
        const struct exec_overlap *before = &run->overlaps[i];
        if (!touches(before, &o)) {
            run->overlaps[kept++] = *before;
            continue;
        }
        o.first = before->first < o.first ? before->first : o.first;
        o.launches += before->launches;
        o.cycles_apart += before->cycles_apart;
        o.begin = before->begin < o.begin ? before->begin : o.begin;
        o.end = before->end > o.end ? before->end : o.end;
    }
    run->overlap_count = kept;
    o.cycles = (uint64_t)llround((o.end - o.begin) * record->result.clock_mhz * 1e6);
    return exec_report_overlap(run, &o, status);
}

void exec_report_print_overlaps(const struct exec_run *run, FILE *out)
{
    enum { SHOWN = 8 };
    uint64_t launches = 0, cycles = 0, apart = 0;
    for (size_t i = 0; i < run->overlap_count; i++) {
        const struct exec_overlap *o = &run->overlaps[i];
        launches += o->launches;
        cycles += o->cycles;
        apart += o->cycles_apart;
        if (i < SHOWN)
            fprintf(out, "Overlap: %s launches from number %s on took %s cycles together, theirs add up to %s\n",
                    format_count(o->launches).text, format_count(o->first).text, format_count(o->cycles).text,
                    format_count(o->cycles_apart).text);
    }
    if (run->overlap_count > 1)
        fprintf(out, "%s overlaps of %s launches: %s cycles together, theirs add up to %s\n",
                format_count(run->overlap_count).text, format_count(launches).text, format_count(cycles).text,
                format_count(apart).text);
}

void exec_report_free(struct exec_run *run)
{
    launches_free(&run->launches);
    free(run->overlaps);
    run->overlaps = NULL;
    run->overlap_count = run->overlap_room = 0;
}

/* Copies are work of a range, too. */
static bool add_activities(struct exec_run *run)
{
    struct activity activity;
    FILE *file = run->ranges && run->activities ? fopen(run->activities, "rbe") : NULL;
    bool ok = true;
    while (file && ok && activity_next(file, &activity))
        ok = range_sum_activity(run->ranges, &activity);
    if (file)
        fclose(file);
    return ok && (!run->ranges || range_sum_end(run->ranges));
}

bool exec_report_read(struct exec_run *run, struct status *status)
{
    struct record_reader reader;
    if (!record_open(&reader, run->records, status))
        return false;
    struct launch_record *record = malloc(sizeof *record);
    bool ok = record != NULL;
    while (ok && record_next(&reader, record)) {
        ok = launches_add(&run->launches, record);
        ok = ok && (!run->ranges || range_sum_launch(run->ranges, record));
        if (ok && run->program && record->result.overlapped > 0)
            ok = add_launch(run, record, status);
    }
    ok = ok && add_activities(run);
    if (!ok)
        status_fail(status, STATUS_MEMORY, "no memory for the sums over %ju launches", (uintmax_t)run->launches.count);
    if (ok && reader.cut)
        ok = status_fail(status, STATUS_FORMAT,
                         "the records of launches end inside one: the report has those before it");
    free(record);
    record_close(&reader);
    if (!launches_sort(&run->launches) && ok)
        ok = status_fail(status, STATUS_MEMORY, "no memory for the estimate of a sampled run");
    return ok;
}

bool exec_report_each(const struct exec_run *run, exec_report_visit *each, void *context, struct status *status)
{
    struct record_reader reader;
    struct launch_record *record = malloc(sizeof *record);
    if (!record)
        return status_fail(status, STATUS_MEMORY, "no memory for a launch record");
    bool ok = record_open(&reader, run->records, status);
    for (uint64_t i = 0; ok && i < run->launches.count && record_next(&reader, record); i++)
        each(run, record, i, context);
    if (ok)
        record_close(&reader);
    free(record);
    return ok;
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

static void csv_row(const struct exec_run *run, const struct launch_record *record, uint64_t index, void *context)
{
    (void)index;
    char ranges[RANGES_TEXT] = "";
    if (run->ranges)
        range_sum_names(run->ranges, record, ranges);
    launches_csv(record, launches_process(&run->launches, record), ranges, run->config, context);
}

static bool write_csv(const struct exec_run *run, const char *path, struct status *status)
{
    struct file_output file;
    if (!file_output_open(&file, path, status))
        return false;
    launches_csv_heading(file.stream);
    if (exec_report_each(run, csv_row, file.stream, status))
        return file_output_commit(&file, status);
    file_output_abandon(&file);
    return false;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_launch(const struct exec_run *run, const struct launch_record *record, uint64_t index, void *context)
{
    struct json *json = context;
    (void)index;
    json_object(json, NULL);
    launches_json(record, launches_process(&run->launches, record), json);
    if (run->ranges && run->ranges->rows > 0)
        range_sum_json_launch(run->ranges, record, json);
    json_end(json);
}

static void json_kernel(const struct exec_run *run, const struct launch_record *record, uint64_t index, void *context)
{
    (void)index;
    report_json(&record->result, run->config, context, NULL);
}

static void json_overlaps(const struct exec_run *run, struct json *json)
{
    json_array(json, "overlaps");
    for (size_t i = 0; i < run->overlap_count; i++) {
        const struct exec_overlap *o = &run->overlaps[i];
        json_object(json, NULL);
        json_uint(json, "first_launch", o->first);
        json_uint(json, "launches", o->launches);
        json_uint(json, "cycles", o->cycles);
        json_uint(json, "cycles_apart", o->cycles_apart);
        json_end(json);
    }
    json_end(json);
}

/* Samples of the longest launch for --source. */
static void json_samples(const struct exec_run *run, const struct launch_record *record, uint64_t index, void *context)
{
    const struct source_launch *longest = &run->sources->longest;
    if (record->process == longest->process && record->number == longest->number)
        report_samples_json(&run->sources->samples, &record->result, index, context, "samples");
}

static bool write_json(const struct exec_run *run, const char *path, struct status *status)
{
    return exec_report_json(run, path, NULL, NULL, status);
}

bool exec_report_json(const struct exec_run *run, const char *path, const char *html, const char *baseline,
                      struct status *status)
{
    struct document document;
    if (!document_begin_page(&document, path, html, baseline, status))
        return false;
    struct json *json = &document.json;
    if (run->program) {
        json_string(json, "program", run->program);
        json_uint(json, "exit_status", (uint64_t)run->exit_status);
    } else {
        json_string(json, "trace", run->trace);
        json_uint(json, "repeated_launches", run->launches.repeated);
    }
    if (!run->program || run->overlap_count > 0)
        json_overlaps(run, json);
    if (run->ranges && run->ranges->rows > 0)
        range_sum_json(run->ranges, json);
    sampled_json(&run->launches, run->config, json);
    json_array(json, "launches");
    bool ok = exec_report_each(run, json_launch, json, status);
    json_end(json);
    json_array(json, "kernels");
    ok = ok && exec_report_each(run, json_kernel, json, status);
    json_end(json);
    if (run->sources)
        source_sum_report(run->sources, !run->program, NULL, json);
    if (run->sources && run->sources->samples.sample)
        ok = ok && exec_report_each(run, json_samples, json, status);
    if (run->checks)
        check_report(run->checks, NULL, json, &(struct status){0});
    if (ok)
        return document_commit(&document, status);
    document_abandon(&document);
    return false;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

struct longest {
    uint64_t index[LONGEST];
    size_t count;
    struct launch_record *records;
};

static void keep_longest(const struct exec_run *run, const struct launch_record *record, uint64_t index, void *context)
{
    struct longest *longest = context;
    (void)run;
    for (size_t i = 0; i < longest->count; i++)
        if (longest->index[i] == index)
            longest->records[i] = *record;
}

static bool print_longest(const struct exec_run *run, FILE *out, struct status *status)
{
    struct longest longest = {.count = run->launches.kernel_count < LONGEST ? run->launches.kernel_count : LONGEST};
    for (size_t i = 0; i < longest.count; i++)
        longest.index[i] = run->launches.kernels[i].longest;
    longest.records = calloc(LONGEST, sizeof *longest.records);
    if (!longest.records)
        return status_fail(status, STATUS_MEMORY, "no memory for the longest launches");
    bool ok = exec_report_each(run, keep_longest, &longest, status);
    for (size_t i = 0; ok && i < longest.count; i++) {
        const struct launch_record *r = &longest.records[i];
        fprintf(out, "\n%.100s\nThe longest launch of %.70s, number %ju:\n\n",
                "----------------------------------------------------------------------------------------------------",
                r->name, (uintmax_t)r->kernel_number);
        report_text(&r->result, run->config, out);
    }
    free(longest.records);
    return ok;
}

static bool write_text(const struct exec_run *run, const char *path, struct status *status)
{
    struct file_output file;
    if (!file_output_open(&file, path, status))
        return false;
    if (run->program)
        fprintf(file.stream, "%s: exit status %d after %s\n", run->program, run->exit_status,
                format_time(run->seconds).text);
    else
        fprintf(file.stream, "%s: replayed in %s\n", run->trace, format_time(run->seconds).text);
    launches_print(&run->launches, run->config, file.stream);
    if (run->ranges)
        range_sum_print(run->ranges, run->launches.seconds, file.stream);
    exec_report_print_overlaps(run, file.stream);
    if (run->checks)
        check_report(run->checks, file.stream, NULL, &(struct status){0});
    if (print_longest(run, file.stream, status) && run->sources)
        source_sum_report(run->sources, !run->program, file.stream, NULL);
    if (status->code == STATUS_OK)
        return file_output_commit(&file, status);
    file_output_abandon(&file);
    return false;
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

bool exec_report_write(const struct exec_run *run, const char *directory, struct status *status)
{
    static const struct {
        const char *name;
        bool (*write)(const struct exec_run *, const char *, struct status *);
    } files[] = {{"launches.csv", write_csv}, {"report.json", write_json}, {"report.txt", write_text}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[4096];
        int n = snprintf(path, sizeof path, "%s/%s", directory, files[i].name);
        if (n < 0 || (size_t)n >= sizeof path)
            return status_fail(status, STATUS_IO, "--report: the path is too long");
        if (!files[i].write(run, path, status))
            return false;
    }
    return true;
}
