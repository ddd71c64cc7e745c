#include "cli/sweep/sweep_table.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/document.h"
#include "cli/sweep/sweep_result.h"

enum { DIGITS = 15 };

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

/* Cycles of a launch, its estimate where it was timed in part; NAN: it has none. */
static double cycles_of(const cJSON *kernel)
{
    double estimated = number(cJSON_GetObjectItemCaseSensitive(kernel, "stopped"), "estimated_cycles");
    return estimated > 0 ? estimated : number(cJSON_GetObjectItemCaseSensitive(kernel, "cycles"), "elapsed");
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

/* Adds a launch's metric to the row's. `before`, `cycles`: cycles of the launches before, and this launch's own. */
static void add_metric(double *sum, const char *name, double value, double before, double cycles)
{
    if (isnan(value))
        return;
    if (isnan(*sum))
        *sum = value;
    else if (ends_with(name, ".sum"))
        *sum += value;
    else if (ends_with(name, ".max"))
        *sum = fmax(*sum, value);
    else if (ends_with(name, ".min"))
        *sum = fmin(*sum, value);
    else if (before + cycles > 0)
        *sum = (*sum * before + value * cycles) / (before + cycles);
}

static void add_launch(struct sweep_row *row, const cJSON *kernel, const struct sweep_words *columns)
{
    double cycles = cycles_of(kernel), instructions = number(kernel, "warp_instructions");
    const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(kernel, "metrics");
    double frequency = number(cJSON_GetObjectItemCaseSensitive(kernel, "gpu"), "clock_mhz");
    row->launches++;
    row->instructions += isnan(instructions) ? 0 : instructions;
    if (isnan(cycles))
        return;
    for (size_t i = 0; i < columns->count; i++)
        add_metric(&row->metrics[i], columns->items[i], number(metrics, columns->items[i]), row->cycles, cycles);
    row->timed++;
    row->cycles += cycles;
    row->nanoseconds += frequency > 0 ? cycles * 1e3 / frequency : 0;
}

static bool read_row(struct sweep_row *row, const struct sweep_point *point, const struct sweep_words *columns,
                     const char *folder, struct status *status)
{
    cJSON *all = sweep_result_read(folder, point, status);
    row->metrics = calloc(columns->count + 1, sizeof *row->metrics);
    if (!all || !row->metrics) {
        cJSON_Delete(all);
        return status_fail(status, STATUS_MEMORY, "no memory for the table of a sweep");
    }
    for (size_t i = 0; i < columns->count; i++)
        row->metrics[i] = NAN;
    const cJSON *message = cJSON_GetObjectItemCaseSensitive(all, "message"), *kernel;
    row->exit_status = (int)number(all, "exit_status");
    if (cJSON_IsString(message))
        snprintf(row->message, sizeof row->message, "%s", message->valuestring);
    const cJSON *document = cJSON_GetObjectItemCaseSensitive(all, "document");
    cJSON_ArrayForEach(kernel, cJSON_GetObjectItemCaseSensitive(document, "kernels"))
    {
        add_launch(row, kernel, columns);
    }
    cJSON_Delete(all);
    return true;
}

bool sweep_table_read(struct sweep_table *table, const struct sweep_points *points, const char *folder,
                      struct status *status)
{
    *table = (struct sweep_table){.points = points, .rows = calloc(points->count, sizeof *table->rows)};
    if (!table->rows)
        return status_fail(status, STATUS_MEMORY, "no memory for the table of a sweep");
    for (size_t i = 0; i < points->count; i++)
        if (!read_row(&table->rows[i], &points->items[i], &points->file->metrics, folder, status)) {
            sweep_table_free(table);
            return false;
        }
    return true;
}

void sweep_table_free(struct sweep_table *table)
{
    for (size_t i = 0; table->rows && i < table->points->count; i++)
        free(table->rows[i].metrics);
    free(table->rows);
    *table = (struct sweep_table){0};
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

static void csv_text(const char *text, FILE *out)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', out);
}

static void csv_heading(const struct sweep_file *file, FILE *out)
{
    fputs("point,program", out);
    for (size_t a = 0; a < file->axis_count; a++) {
        fputc(',', out);
        csv_text(file->axes[a].name, out);
    }
    fputs(",exit_status,launches,timed_launches,cycles,nanoseconds,warp_instructions", out);
    for (size_t i = 0; i < file->metrics.count; i++) {
        fputc(',', out);
        csv_text(file->metrics.items[i], out);
    }
    fputs(",message\n", out);
}

static void csv_number(double value, FILE *out)
{
    if (isnan(value))
        fputc(',', out);
    else
        fprintf(out, ",%.*g", DIGITS, value);
}

static void csv_row(const struct sweep_table *table, size_t number, FILE *out)
{
    const struct sweep_file *file = table->points->file;
    const struct sweep_point *point = &table->points->items[number];
    const struct sweep_row *row = &table->rows[number];
    fprintf(out, "%zu,", number);
    csv_text(point->program->name, out);
    for (size_t a = 0; a < file->axis_count; a++) {
        fputc(',', out);
        csv_text(point->values[a], out);
    }
    fprintf(out, ",%d,%" PRIu64 ",%" PRIu64, row->exit_status, row->launches, row->timed);
    csv_number(row->timed ? row->cycles : NAN, out);
    csv_number(row->timed ? row->nanoseconds : NAN, out);
    csv_number(row->instructions, out);
    for (size_t i = 0; i < file->metrics.count; i++)
        csv_number(row->metrics[i], out);
    fputc(',', out);
    csv_text(row->message, out);
    fputc('\n', out);
}

static bool write_csv(const struct sweep_table *table, const char *folder, struct status *status)
{
    char path[PATH_MAX];
    struct file_output file;
    snprintf(path, sizeof path, "%s/sweep.csv", folder);
    if (!file_output_open(&file, path, status))
        return false;
    csv_heading(table->points->file, file.stream);
    for (size_t i = 0; i < table->points->count; i++)
        csv_row(table, i, file.stream);
    return file_output_commit(&file, status);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_point(const struct sweep_table *table, size_t number, struct json *json)
{
    const struct sweep_file *file = table->points->file;
    const struct sweep_point *point = &table->points->items[number];
    const struct sweep_row *row = &table->rows[number];
    char document[64];
    json_object(json, NULL);
    json_uint(json, "point", number);
    json_string(json, "program", point->program->name);
    json_object(json, "values");
    for (size_t a = 0; a < file->axis_count; a++)
        json_string(json, file->axes[a].name, point->values[a]);
    json_end(json);
    json_uint(json, "exit_status", (uint64_t)row->exit_status);
    json_string(json, "message", row->exit_status ? row->message : NULL);
    json_uint(json, "launches", row->launches);
    json_uint(json, "timed_launches", row->timed);
    json_number(json, "cycles", row->timed ? row->cycles : NAN, DIGITS);
    json_number(json, "nanoseconds", row->timed ? row->nanoseconds : NAN, DIGITS);
    json_number(json, "warp_instructions", row->instructions, DIGITS);
    json_object(json, "metrics");
    for (size_t i = 0; i < file->metrics.count; i++)
        json_number(json, file->metrics.items[i], row->metrics[i], DIGITS);
    json_end(json);
    snprintf(document, sizeof document, "points/%016" PRIx64 ".json", point->digest);
    json_string(json, "document", document);
    json_end(json);
}

static bool write_json(const struct sweep_table *table, const char *folder, struct status *status)
{
    char path[PATH_MAX];
    struct document document;
    snprintf(path, sizeof path, "%s/sweep.json", folder);
    if (!document_begin(&document, path, status))
        return false;
    json_array(&document.json, "points");
    for (size_t i = 0; i < table->points->count; i++)
        json_point(table, i, &document.json);
    json_end(&document.json);
    return document_commit(&document, status);
}

bool sweep_table_write(const struct sweep_table *table, const char *folder, struct status *status)
{
    return write_csv(table, folder, status) && write_json(table, folder, status);
}
