#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/file.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/compare/measure_device.h"
#include "cli/compare/validation.h"
#include "cli/conclude.h"
#include "cli/document.h"
#include "cli/fidelity.h"
#include "experiment/experiment.h"
#include "validate/accuracy.h"
#include "validate/kernels/workload.h"
#include "validate/micro/measure.h"

/* Options that only tables of published kernels have. */
#define PUBLISHED_OPTIONS (CLI_BIT(CUBINS) | CLI_BIT(PART) | CLI_BIT(WAVES) | CLI_BIT(ROWS) | CLI_BIT(CHOOSE))

static const char *const groups[] = {"micro", "experiments", "kernels"};
enum { GROUPS = sizeof groups / sizeof groups[0] };

/* ---- wanted parts ------------------------------------------------------------------------------------------------ */

/* The name of entry `index` in a group; NULL past the end. */
static const char *name_at(unsigned group, size_t index)
{
    size_t count;
    if (group == 0) {
        const struct measure *const *all = measure_list(&count);
        return index < count ? all[index]->name : NULL;
    }
    if (group == 1)
        return index < experiment_count() ? experiment_name(index) : NULL;
    const struct workload *const *all = workload_list(&count);
    return index < count ? all[index]->name : NULL;
}

static void list_all(void)
{
    printf("micro: 'subcore measure --list'. experiments: 'subcore experiment --list'. kernels:\n");
    size_t count;
    const struct workload *const *all = workload_list(&count);
    for (size_t i = 0; i < count; i++)
        printf("%-20s %-24s %s\n", all[i]->name, all[i]->class, all[i]->summary);
}

static bool known(const char *name, struct status *status)
{
    struct suggest suggest = suggest_begin(name);
    for (unsigned group = 0; group < GROUPS; group++) {
        if (strcmp(name, groups[group]) == 0)
            return true;
        suggest_try(&suggest, groups[group]);
        const char *entry;
        for (size_t i = 0; (entry = name_at(group, i)) != NULL; i++) {
            if (strcmp(name, entry) == 0)
                return true;
            suggest_try(&suggest, entry);
        }
    }
    const char *best = suggest_best(&suggest);
    return status_fail(status, STATUS_USAGE,
                       "there is nothing '%.60s' to validate by%s%s%s; see 'subcore validate --list'", name,
                       best ? ", did you mean " : "", best ? best : "", best ? "?" : "");
}

bool validation_wants(const struct validation *v, const char *group, const char *name)
{
    const struct cli_list *operands = &v->options->operands;
    for (size_t i = 0; i < operands->count; i++)
        if (strcmp(operands->items[i], group) == 0 || strcmp(operands->items[i], name) == 0)
            return true;
    return operands->count == 0;
}

static bool check(const struct cli_options *options, struct status *status)
{
    if (options->cubins || options->part || options->waves || options->rows || options->only.count)
        return status_fail(status, STATUS_USAGE,
                           "--cubins, --part, --waves, --rows and --only are for 'subcore validate published TABLE'");
    for (size_t i = 0; i < options->operands.count; i++)
        if (!known(options->operands.items[i], status))
            return false;
    for (size_t i = 0; i < options->size.count; i++) {
        bool is_size = false;
        for (enum workload_size size = SIZE_SMALL; size < WORKLOAD_SIZES; size++)
            is_size |= strcmp(options->size.items[i], workload_size_name(size)) == 0;
        if (!is_size)
            return status_fail(status, STATUS_USAGE, "--size %.40s: sizes are small, medium and full",
                               options->size.items[i]);
    }
    return !options->plot || file_output_check(options->plot, status);
}

/* ---- references -------------------------------------------------------------------------------------------------- */

enum { MOST_FILE = 256 << 20 };

static bool read_file(struct validation *v, const char *path)
{
    struct file_bytes bytes;
    char error[128];
    if (!file_read(path, MOST_FILE, &bytes, v->status))
        return false;
    bool ok = references_read(&v->references, (const char *)bytes.data, bytes.size, error, sizeof error);
    file_free(&bytes);
    return ok || status_fail(v->status, STATUS_FORMAT, "%s: %s", path, error);
}

/* The files of --against, else those in validate/data. */
static bool read_references(struct validation *v)
{
    size_t count;
    char error[128];
    const struct embedded *files = embedded_references(&count);
    for (size_t i = 0; i < v->options->against.count; i++)
        if (!read_file(v, v->options->against.items[i]))
            return false;
    for (size_t i = 0; i < count && v->options->against.count == 0; i++)
        if (!references_read(&v->references, (const char *)files[i].data, files[i].size, error, sizeof error))
            return status_fail(v->status, STATUS_FORMAT, "reference numbers, %s: %s", files[i].name, error);
    return true;
}

bool validation_no_memory(struct validation *v)
{
    return status_fail(v->status, STATUS_MEMORY, "out of memory for %zu numbers", v->comparison.count);
}

bool validation_add(struct validation *v, enum comparison_kind kind, const char *quantity, const char *unit,
                    double predicted)
{
    const struct reference *reference = references_find(&v->references, v->gpu, quantity);
    return comparison_add(&v->comparison, kind, quantity, unit, predicted, reference) || validation_no_memory(v);
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void json_finite(struct json *json, const char *key, double value)
{
    if (isfinite(value))
        json_number(json, key, value, 8);
    else
        json_string(json, key, NULL);
}

static void write_rows(const struct comparison *c, struct json *json)
{
    json_array(json, "rows");
    for (size_t i = 0; i < c->count; i++) {
        const struct comparison_row *row = &c->row[i];
        json_object(json, NULL);
        json_string(json, "kind", comparison_kind_name(row->kind));
        json_string(json, "quantity", row->quantity);
        json_string(json, "unit", row->unit);
        json_finite(json, "predicted", row->predicted);
        json_finite(json, "low", row->low);
        json_finite(json, "high", row->high);
        json_finite(json, "error_percent", row->error);
        json_string(json, "verdict", isnan(row->low) ? NULL : reference_verdict_name(row->verdict));
        json_string(json, "source", *row->source ? row->source : NULL);
        json_string(json, "open", *row->open ? row->open : NULL);
        json_end(json);
    }
    json_end(json);
}

static bool write_accuracy(const struct comparison *c, struct json *json)
{
    json_object(json, "accuracy");
    for (enum comparison_kind kind = COMPARISON_MEASUREMENT; kind < COMPARISON_KINDS; kind++) {
        struct accuracy a;
        if (!comparison_accuracy(c, kind, comparison_cycles, &a))
            return false;
        json_object(json, comparison_kind_name(kind));
        json_uint(json, "rows", a.rows);
        json_uint(json, "within_5_percent", a.within5);
        json_finite(json, "mape", a.rows ? a.mape : (double)NAN);
        json_finite(json, "bias", a.rows ? a.bias : (double)NAN);
        json_finite(json, "median", a.rows ? a.median : (double)NAN);
        json_finite(json, "p90", a.rows ? a.p90 : (double)NAN);
        json_finite(json, "correlation", a.correlation);
        json_finite(json, "worst", a.worst ? a.worst->error : (double)NAN);
        json_string(json, "worst_quantity", a.worst ? a.worst->quantity : NULL);
        json_end(json);
    }
    for (size_t i = 0; accuracy_points[i]; i++) {
        unsigned rows;
        json_finite(json, accuracy_points[i], comparison_points(c, accuracy_points[i], &rows));
    }
    unsigned launches;
    json_finite(json, "stall_distance_percent", comparison_stalls(c, &launches));
    json_end(json);
    return true;
}

static bool write_json(struct validation *v)
{
    struct document document;
    if (!document_begin(&document, v->options->json, v->status))
        return false;
    if (!document.wanted)
        return true;
    json_string(&document.json, "gpu", v->gpu);
    bool ok = write_accuracy(&v->comparison, &document.json);
    if (!ok) {
        document_abandon(&document);
        return validation_no_memory(v);
    }
    write_rows(&v->comparison, &document.json);
    return document_commit(&document, v->status);
}

static bool write_csv(struct validation *v)
{
    struct file_output file;
    if (!v->options->csv)
        return true;
    if (!file_output_open(&file, v->options->csv, v->status))
        return false;
    accuracy_csv_heading(file.stream);
    accuracy_csv(&v->comparison, v->gpu, file.stream);
    return file_output_commit(&file, v->status);
}

static bool write_plot(struct validation *v)
{
    struct file_output file;
    if (!v->options->plot)
        return true;
    if (!file_output_open(&file, v->options->plot, v->status))
        return false;
    if (accuracy_svg(&v->comparison, v->gpu, file.stream))
        return file_output_commit(&file, v->status);
    file_output_abandon(&file);
    return validation_no_memory(v);
}

static bool report(struct validation *v)
{
    comparison_sort(&v->comparison);
    bool compared = v->comparison.count > 0 && !isnan(v->comparison.row[0].low);
    if (v->out && compared) {
        fputc('\n', v->out);
        accuracy_rows(&v->comparison, v->out);
        fputc('\n', v->out);
        if (!accuracy_summary(&v->comparison, v->out))
            return validation_no_memory(v);
    } else if (v->out) {
        fprintf(v->out, "\nNothing of this was measured on %s; validate/hw does that where there is one.\n", v->gpu);
    }
    return write_csv(v) && write_plot(v) && write_json(v);
}

/* Experiments have counted their rows already: some of these are texts, which no comparison has. */
static void count_verdicts(struct validation *v)
{
    for (size_t i = 0; i < v->comparison.count; i++) {
        const struct comparison_row *row = &v->comparison.row[i];
        v->missed += row->kind != COMPARISON_EXPERIMENT && row->verdict == REFERENCE_MISS;
        v->open += row->kind != COMPARISON_EXPERIMENT && row->verdict == REFERENCE_OPEN;
    }
}

static bool conclude(struct validation *v)
{
    if (v->failed)
        return status_fail(v->status, STATUS_CHECK, "%u of %u runs failed", v->failed, v->runs);
    count_verdicts(v);
    return conclude_results(v->missed, v->open, v->options->strict, "row", v->status);
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

static bool run(const struct cli_options *options, struct status *status)
{
    if (options->list) {
        list_all();
        return true;
    }
    if (options->operands.count > 0 && strcmp(options->operands.items[0], "published") == 0)
        return validate_published(options, status);
    struct validation v = {.options = options, .status = status};
    bool text_elsewhere = options->csv && strcmp(options->csv, "-") == 0;
    v.out = document_text_stream(text_elsewhere ? options->csv : options->json, options->quiet);
    measure_gpu_name(options->gpu, v.gpu);
    bool ok = check(options, status) && read_references(&v) && validate_measurements(&v) && validate_experiments(&v) &&
              validate_kernels(&v) && report(&v);
    if (ok)
        conclude(&v);
    comparison_free(&v.comparison);
    references_free(&v.references);
    return status->code == STATUS_OK;
}

const struct command command_validate = {
    .name = "validate",
    .operands = "[NAME]... | published TABLE",
    .summary = "run the comparisons of the simulator with hardware, and print the errors",
    .text = "A NAME is a measurement (subcore measure), an experiment (subcore experiment), a kernel of\n"
            "validate/kernels, or one of the groups micro, experiments and kernels; without one it is all.\n"
            "Kernels run at three sizes, and their results are checked. docs/validation.md lists the\n"
            "comparisons, and tells how to measure your own GPU.\n"
            "'published TABLE' compares with kernels that others measured on real GPUs: TABLE is a CSV\n"
            "file with a row for each launch, and their cubins lie in the folder of --cubins.\n"
            "Exit status 1: a run failed, a kernel's result is wrong, or a row is not within its tolerance;\n"
            "--strict counts rows that are open, too.\n",
    .options = SESSION_OPTIONS | FIDELITY_OPTIONS | CLI_BIT(SIZE) | CLI_BIT(AGAINST) | CLI_BIT(QUICK) |
               CLI_BIT(STRICT) | CLI_BIT(CSV) | CLI_BIT(PLOT) | CLI_BIT(JSON) | CLI_BIT(LIST) | CLI_BIT(HELP) |
               PUBLISHED_OPTIONS,
    .operands_max = SIZE_MAX,
    .run = run,
};
