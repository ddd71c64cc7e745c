#include "report/source_sum.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cubin/kernel_name.h"
#include "report/format.h"
#include "report/source.h"

enum { MOST_FILES = 64, MOST_BYTES = 16 << 20, MOST_INSTRUCTIONS = 1 << 22 };

/* ---- the sum ----------------------------------------------------------------------------------------------------- */

static struct source_kernel *find(const struct source_sum *sum, const char *name, uint32_t count)
{
    for (size_t i = 0; i < sum->count; i++)
        if (strncmp(sum->kernel[i].name, name, RESULT_NAME - 1) == 0 && sum->kernel[i].profile.count == count)
            return &sum->kernel[i];
    return NULL;
}

static struct source_kernel *add_kernel(struct source_sum *sum, const char *name, uint32_t count)
{
    struct source_kernel *grown = realloc(sum->kernel, (sum->count + 1) * sizeof *grown);
    if (grown)
        sum->kernel = grown;
    struct source_kernel *k = grown ? &grown[sum->count] : NULL;
    if (k)
        *k = (struct source_kernel){.row = calloc(count, sizeof *k->row)};
    if (!k || !k->row || !line_profile_reset(&k->profile, count)) {
        if (k)
            free(k->row);
        sum->failed = true;
        return NULL;
    }
    snprintf(k->name, sizeof k->name, "%s", name);
    sum->count++;
    return k;
}

struct source_kernel *source_sum_add(struct source_sum *sum, const char *kernel, const struct line_profile *profile)
{
    if (profile->count == 0)
        return NULL;
    struct source_kernel *k = find(sum, kernel, profile->count);
    if (!k)
        k = add_kernel(sum, kernel, profile->count);
    for (uint32_t i = 0; k && i <= profile->count; i++)
        line_counters_add(&k->profile.line[i], &profile->line[i]);
    if (k)
        k->launches++;
    return k;
}

void source_sum_samples(struct source_sum *sum, const struct source_launch *launch, struct sample_series *samples)
{
    if (!samples->sample || (sum->samples.sample && launch->cycles <= sum->longest.cycles))
        return;
    sample_series_free(&sum->samples);
    sum->longest = *launch;
    sum->samples = *samples;
    samples->sample = NULL;
    samples->count = 0;
}

void source_sum_free(struct source_sum *sum)
{
    sample_series_free(&sum->samples);
    for (size_t i = 0; i < sum->count; i++) {
        free(sum->kernel[i].row);
        line_profile_free(&sum->kernel[i].profile);
    }
    free(sum->kernel);
    *sum = (struct source_sum){0};
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Of a kernel, or, with an empty name, of samples. */
struct head {
    uint32_t row_bytes, counter_bytes, count; /* the sizes: both sides have the same structures */
    uint64_t launches;
    uint64_t period; /* of samples */
    struct source_launch launch;
    char name[RESULT_NAME];
};

static void write_samples(const struct source_sum *sum, FILE *to)
{
    const struct sample_series *s = &sum->samples;
    const struct head head = {.row_bytes = sizeof *s->sample,
                              .counter_bytes = sizeof(struct line_counters),
                              .count = s->count,
                              .period = s->period,
                              .launch = sum->longest};
    fwrite(&head, sizeof head, 1, to);
    fwrite(s->sample, sizeof *s->sample, s->count, to);
}

bool source_sum_write(const struct source_sum *sum, FILE *to)
{
    for (size_t i = 0; i < sum->count; i++) {
        const struct source_kernel *k = &sum->kernel[i];
        struct head head = {.row_bytes = sizeof *k->row,
                            .counter_bytes = sizeof *k->profile.line,
                            .count = k->profile.count,
                            .launches = k->launches};
        snprintf(head.name, sizeof head.name, "%s", k->name);
        fwrite(&head, sizeof head, 1, to);
        fwrite(k->row, sizeof *k->row, k->profile.count, to);
        fwrite(k->profile.line, sizeof *k->profile.line, k->profile.count + 1u, to);
    }
    if (sum->samples.sample)
        write_samples(sum, to);
    return !ferror(to);
}

static bool read_samples(struct source_sum *sum, const struct head *head, FILE *from)
{
    struct sample_series series = {.first_period = head->period, .most = head->count, .period = head->period};
    series.sample = calloc(head->count + 1u, sizeof *series.sample);
    series.count = head->count;
    bool good = series.sample && fread(series.sample, sizeof *series.sample, head->count, from) == head->count;
    if (good)
        source_sum_samples(sum, &head->launch, &series);
    sample_series_free(&series);
    return good;
}

static bool read_kernel(struct source_sum *sum, const struct head *head, FILE *from)
{
    struct line_profile profile = {0};
    struct source_row *row = calloc(head->count, sizeof *row);
    bool good = row && line_profile_reset(&profile, head->count) &&
                fread(row, sizeof *row, head->count, from) == head->count &&
                fread(profile.line, sizeof *profile.line, head->count + 1u, from) == head->count + 1u;
    struct source_kernel *k = good ? source_sum_add(sum, head->name, &profile) : NULL;
    if (k && k->launches == 1)
        memcpy(k->row, row, head->count * sizeof *row);
    if (k)
        k->launches += head->launches - 1;
    free(row);
    line_profile_free(&profile);
    return k;
}

bool source_sum_read(struct source_sum *sum, const char *path, struct status *status)
{
    struct head head;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return errno == ENOENT || status_fail(status, STATUS_IO, "%.300s: %s", path, strerror(errno));
    bool good = true;
    while (good && fread(&head, sizeof head, 1, file) == 1) {
        head.name[RESULT_NAME - 1] = '\0';
        bool samples = head.name[0] == '\0';
        good = head.row_bytes == (samples ? sizeof(struct sample) : sizeof(struct source_row)) &&
               head.counter_bytes == sizeof(struct line_counters) && head.count <= MOST_INSTRUCTIONS &&
               (samples ? read_samples(sum, &head, file) : head.count > 0 && read_kernel(sum, &head, file));
    }
    fclose(file);
    return good || status_fail(status, STATUS_FORMAT, "%.300s: these are no counters of lines of this version", path);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

struct texts {
    const struct source_row *of[MOST_FILES]; /* a row of each file */
    struct file_bytes file[MOST_FILES];
    size_t count;
};

static bool read_text(const char *directory, const char *name, struct file_bytes *out)
{
    char path[300];
    struct status status = {0};
    snprintf(path, sizeof path, "%s%s%s", directory, *directory ? "/" : "", name);
    return file_read(path, MOST_BYTES, out, &status);
}

static const struct file_bytes *text_of(struct texts *t, const struct source_row *row)
{
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->of[i]->file, row->file) == 0 && strcmp(t->of[i]->directory, row->directory) == 0)
            return &t->file[i];
    if (t->count == MOST_FILES)
        return NULL;
    const char *slash = strrchr(row->file, '/');
    struct file_bytes *file = &t->file[t->count];
    t->of[t->count++] = row;
    *file = (struct file_bytes){0};
    if (!read_text(row->file[0] == '/' ? "" : row->directory, row->file, file))
        read_text("", slash ? slash + 1 : row->file, file);
    return file;
}

static void find_text(struct texts *t, const struct source_row *row, struct source_line *line)
{
    const struct file_bytes *file = text_of(t, row);
    const char *at = file ? (const char *)file->data : NULL, *end = at ? at + file->size : NULL;
    for (uint32_t n = 1; at && n < row->line; n++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at || at == end)
        return;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    while (at < stop && (*at == ' ' || *at == '\t'))
        at++;
    line->text = at;
    line->text_length = (int)(stop - at);
}

static bool make_lines(const struct source_kernel *k, struct texts *t, struct source_line *lines)
{
    bool any = false;
    for (uint32_t i = 0; i < k->profile.count; i++) {
        const struct source_row *row = &k->row[i];
        const char *slash = strrchr(row->file, '/');
        lines[i] = (struct source_line){.inst = row->service ? NULL : &row->inst,
                                        .function = row->function[0] ? row->function : NULL};
        if (!row->line || !row->file[0])
            continue;
        lines[i].line = row->line;
        lines[i].file = slash ? slash + 1 : row->file;
        find_text(t, row, &lines[i]);
        any = true;
    }
    return any;
}

static void report_kernel(const struct source_kernel *k, const struct source_line *lines, FILE *out, struct json *json)
{
    char name[RESULT_NAME];
    kernel_name(k->name, name, sizeof name);
    if (out) {
        fputc('\n', out);
        text_print(out, name);
        fprintf(out, ", %s launch%s\n", format_count(k->launches).text, k->launches == 1 ? "" : "es");
        report_source(lines, &k->profile, out);
    }
    if (!json)
        return;
    json_object(json, NULL);
    json_string(json, "kernel", k->name);
    json_uint(json, "launches", k->launches);
    report_source_json(lines, &k->profile, NULL, 0, json, "source");
    json_end(json);
}

void source_sum_report(const struct source_sum *sum, bool of_trace, FILE *out, struct json *json)
{
    struct texts *texts = calloc(1, sizeof *texts);
    bool lines_missing = false;
    if (json)
        json_array(json, "sources");
    for (size_t i = 0; texts && i < sum->count; i++) {
        const struct source_kernel *k = &sum->kernel[i];
        struct source_line *lines = calloc(k->profile.count, sizeof *lines);
        lines_missing |= lines && !make_lines(k, texts, lines);
        if (lines)
            report_kernel(k, lines, out, json);
        free(lines);
    }
    if (json)
        json_end(json);
    if (out && lines_missing)
        fputs(
            of_trace
                ? "\nTraces have no lines of the program; exec --source shows those of code compiled with -lineinfo.\n"
                : "\nLines of the program are known to code that nvcc compiles with -lineinfo.\n",
            out);
    if (out && sum->count == 0)
        fputs("\n--source: no launch was timed\n", out);
    for (size_t i = 0; texts && i < texts->count; i++)
        file_free(&texts->file[i]);
    free(texts);
}
