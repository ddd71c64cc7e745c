#include <stdlib.h>
#include <string.h>

#include "cli/config_table.h"
#include "cli/document.h"
#include "config/range.h"

enum { SECTIONS = 32 };

/* Assumed values by section, in the order of the configuration. */
struct tally {
    const char *section[SECTIONS];
    size_t assumed[SECTIONS], sections, all, other; /* other: of another architecture's file, and not assumed */
};

static void count(const struct config_subject *gpu, struct tally *tally)
{
    struct config_value v;
    char own[16];
    *tally = (struct tally){0};
    snprintf(own, sizeof own, "sm_%u", gpu->config.gpu.architecture);
    for (size_t i = 0; config_value_at(&gpu->config, &gpu->origin, i, &v); i++) {
        if (!tally->sections || strcmp(tally->section[tally->sections - 1], v.section) != 0)
            tally->section[tally->sections++] = v.section;
        tally->assumed[tally->sections - 1] += v.assumed;
        tally->all += v.assumed;
        tally->other += !v.assumed && strncmp(v.from, "sm_", 3) == 0 && strcmp(v.from, own) != 0;
    }
}

static const char *settled_by(const struct config_value *v)
{
    const char *text = config_settled_by(v->section, v->key);
    return text ? text : "";
}

/* Other plausible values, "" where there are none, and the reason for them. */
static const char *range_of(const struct config *config, const struct config_value *v,
                            char ends[static CONFIG_RANGE_TEXT])
{
    struct config_range range;
    ends[0] = '\0';
    if (!config_range_find(config, v->section, v->key, &range))
        return "";
    config_range_text(&range, ends);
    return range.used ? range.why : "this GPU does not have the unit that the value describes";
}

static void print_value(FILE *out, const struct config *config, const struct config_value *v)
{
    char ends[CONFIG_RANGE_TEXT];
    const char *why = range_of(config, v, ends);
    fprintf(out, "%s = %s%s%s\n    ", v->key, v->text, v->unit[0] ? " " : "", v->unit);
    config_where(out, v);
    fprintf(out, "\n    plausible: %s (%s)\n    to settle it: %s\n", ends[0] ? ends : "no other value", why,
            settled_by(v));
}

static void print_one(const struct config_subject *gpu, FILE *out)
{
    struct config_value v;
    struct tally tally;
    const char *section = "";
    for (size_t i = 0; config_value_at(&gpu->config, &gpu->origin, i, &v); i++) {
        if (!v.assumed)
            continue;
        if (strcmp(section, v.section) != 0)
            fprintf(out, "%s[%s]\n", section[0] ? "\n" : "", v.section);
        section = v.section;
        print_value(out, &gpu->config, &v);
    }
    count(gpu, &tally);
    fprintf(out, "%s%zu of the %zu values of %s are assumed", section[0] ? "\n" : "", tally.all, config_value_count(),
            gpu->name);
    for (size_t s = 0, some = 0; s < tally.sections; s++)
        if (tally.assumed[s])
            fprintf(out, "%s%s %zu", some++ ? ", " : ": ", tally.section[s], tally.assumed[s]);
    fprintf(out, ".\n%zu more have a source but stand in the file of another architecture.\n", tally.other);
}

static void print_matrix(const struct config_subject *gpus, size_t n, FILE *out)
{
    struct tally tally;
    for (size_t g = 0; g < n; g++) {
        count(&gpus[g], &tally);
        if (g == 0) {
            fprintf(out, "%-12s %8s", "assumed", "all");
            for (size_t s = 0; s < tally.sections; s++)
                fprintf(out, " %*s", (int)strlen(tally.section[s]) < 4 ? 4 : (int)strlen(tally.section[s]),
                        tally.section[s]);
            fputc('\n', out);
        }
        fprintf(out, "%-12s %4zu/%zu", gpus[g].name, tally.all, config_value_count());
        for (size_t s = 0; s < tally.sections; s++)
            fprintf(out, " %*zu", (int)strlen(tally.section[s]) < 4 ? 4 : (int)strlen(tally.section[s]),
                    tally.assumed[s]);
        fputc('\n', out);
    }
}

static bool same_place(const struct config_value *a, const struct config_value *b)
{
    return b->assumed && strcmp(a->from, b->from) == 0 && strcmp(a->text, b->text) == 0;
}

/* The value of one key: each file that assumes it once, with the GPUs that have it from there. */
static void print_key(const struct config_subject *gpus, size_t n, size_t index, FILE *out)
{
    struct config_value v, other;
    bool first = true;
    for (size_t g = 0; g < n; g++) {
        size_t users = 0;
        config_value_at(&gpus[g].config, &gpus[g].origin, index, &v);
        bool seen = !v.assumed;
        for (size_t h = 0; h < n && !seen; h++) {
            config_value_at(&gpus[h].config, &gpus[h].origin, index, &other);
            seen = h < g && same_place(&v, &other);
            users += same_place(&v, &other);
        }
        if (seen)
            continue;
        if (first)
            fprintf(out, "\n%s.%s%s%s%s; to settle it: %s\n", v.section, v.key, v.unit[0] ? " (" : "", v.unit,
                    v.unit[0] ? ")" : "", settled_by(&v));
        first = false;
        fprintf(out, "    %-9s ", v.text);
        config_where(out, &v);
        if (strncmp(v.from, "sm_", 3) == 0)
            fprintf(out, " [%zu GPU%s]", users, users == 1 ? "" : "s");
        fputc('\n', out);
    }
}

static void print_all(const struct config_subject *gpus, size_t n, FILE *out)
{
    print_matrix(gpus, n, out);
    for (size_t i = 0; i < config_value_count(); i++)
        print_key(gpus, n, i, out);
}

static bool write_csv(const struct config_subject *gpus, size_t n, const char *path, struct status *status)
{
    struct file_output file;
    struct config_value v;
    char ends[CONFIG_RANGE_TEXT];
    if (!file_output_open(&file, path, status))
        return false;
    fprintf(file.stream, "gpu,key,value,unit,file,source,settled_by,plausible,why_plausible\n");
    for (size_t g = 0; g < n; g++)
        for (size_t i = 0; config_value_at(&gpus[g].config, &gpus[g].origin, i, &v); i++) {
            if (!v.assumed)
                continue;
            config_csv(file.stream, gpus[g].name, ',');
            fprintf(file.stream, "%s.%s,", v.section, v.key);
            config_csv(file.stream, v.text, ',');
            config_csv(file.stream, v.unit, ',');
            config_csv(file.stream, v.from, ',');
            config_csv(file.stream, v.source, ',');
            config_csv(file.stream, settled_by(&v), ',');
            const char *why = range_of(&gpus[g].config, &v, ends);
            config_csv(file.stream, ends, ',');
            config_csv(file.stream, why, '\n');
        }
    return file_output_commit(&file, status);
}

static void json_range(const struct config *config, const struct config_value *v, struct json *json)
{
    char ends[CONFIG_RANGE_TEXT];
    struct config_range range;
    const char *why = range_of(config, v, ends);
    config_range_find(config, v->section, v->key, &range);
    json_array(json, "plausible");
    for (unsigned i = 0; i < range.count; i++)
        json_string(json, NULL, range.end[i].value);
    json_end(json);
    json_string(json, "why_plausible", why);
}

static void json_one(const struct config_subject *gpu, struct json *json)
{
    struct config_value v;
    json_object(json, NULL);
    json_string(json, "gpu", gpu->name);
    json_array(json, "assumed");
    for (size_t i = 0; config_value_at(&gpu->config, &gpu->origin, i, &v); i++) {
        if (!v.assumed)
            continue;
        json_object(json, NULL);
        json_string(json, "section", v.section);
        json_string(json, "key", v.key);
        config_value_json(&gpu->config, i, json, "value");
        json_string(json, "unit", v.unit);
        json_string(json, "file", v.from);
        json_string(json, "source", v.source);
        json_string(json, "settled_by", settled_by(&v));
        json_range(&gpu->config, &v, json);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static bool write_json(const struct config_subject *gpus, size_t n, const char *path, struct status *status)
{
    struct document document;
    if (!document_begin(&document, path, status))
        return false;
    json_uint(&document.json, "values", config_value_count());
    json_array(&document.json, "gpus");
    for (size_t g = 0; g < n; g++)
        json_one(&gpus[g], &document.json);
    json_end(&document.json);
    return document_commit(&document, status);
}

static bool write_files(const struct config_subject *gpus, size_t n, const struct cli_options *options,
                        struct status *status)
{
    return (!options->csv || write_csv(gpus, n, options->csv, status)) &&
           (!options->json || write_json(gpus, n, options->json, status));
}

bool config_assumed_of(const struct config_subject *gpu, const struct cli_options *options, struct status *status)
{
    if (!options->csv && !options->json)
        print_one(gpu, stdout);
    return write_files(gpu, 1, options, status);
}

bool config_assumed_of_all(const struct cli_options *options, struct status *status)
{
    size_t count = config_gpu_count(), opened = 0;
    struct config_subject *gpus = calloc(count, sizeof *gpus);
    bool ok = gpus || status_fail(status, STATUS_MEMORY, "no memory for the GPUs");
    while (ok && opened < count) {
        ok = config_subject_open(&gpus[opened], config_gpu_name(opened), NULL, status);
        opened += ok;
    }
    if (ok && !options->csv && !options->json)
        print_all(gpus, count, stdout);
    ok = ok && write_files(gpus, count, options, status);
    for (size_t i = 0; i < opened; i++)
        config_subject_close(&gpus[i]);
    free(gpus);
    return ok;
}
