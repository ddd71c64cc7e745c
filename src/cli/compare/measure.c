#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/embed.h"
#include "base/file.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/compare/measure_device.h"
#include "cli/conclude.h"
#include "cli/document.h"
#include "validate/micro/beside.h"
#include "validate/micro/plot.h"
#include "validate/micro/table.h"

/* State of the command. */
struct work {
    const struct cli_options *options;
    struct references references;
    FILE *out; /* NULL: no text */
    struct file_output csv;
    struct document document;
    struct table_count count;
    struct status *status;
};

static void list_measures(void)
{
    size_t count;
    const struct measure *const *all = measure_list(&count);
    for (size_t i = 0; i < count; i++)
        printf("%-10s %s\n", all[i]->name, all[i]->title);
}

static const struct measure *find_measure(const char *name, struct status *status)
{
    struct suggest suggest = suggest_begin(name);
    size_t count;
    const struct measure *const *all = measure_list(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
        suggest_try(&suggest, all[i]->name);
    }
    const char *best = suggest_best(&suggest);
    status_fail(status, STATUS_USAGE, "there is no measurement '%.60s'%s%s%s; see 'subcore measure --list'", name,
                best ? ", did you mean " : "", best ? best : "", best ? "?" : "");
    return NULL;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void write_number(struct json *json, const char *key, double value)
{
    if (isnan(value))
        json_string(json, key, NULL);
    else
        json_number(json, key, value, 8);
}

static void write_rows(const struct measure_run *run, struct json *json)
{
    const struct measure *m = run->measure;
    json_array(json, "rows");
    for (size_t r = 0; r < run->rows; r++) {
        json_object(json, NULL);
        if (m->label)
            json_string(json, m->label, run->row[r].label);
        for (unsigned c = 0; c < m->columns; c++)
            write_number(json, m->column[c].name, run->row[r].cell[c]);
        json_end(json);
    }
    json_end(json);
}

static void write_values(const struct work *w, const struct measure_run *run, struct json *json)
{
    json_array(json, "values");
    for (size_t i = 0; i < run->values; i++) {
        const struct measure_value *v = &run->value[i];
        const struct reference *r = references_find(&w->references, run->device->gpu.name, v->name);
        json_object(json, NULL);
        json_string(json, "quantity", v->name);
        write_number(json, "measured", v->value);
        if (r) {
            write_number(json, "low", r->low);
            write_number(json, "high", r->high);
            json_string(json, "unit", r->unit);
            write_number(json, "tolerance_percent", r->tolerance);
            write_number(json, "deviation_percent", reference_deviation(r, v->value));
            json_string(json, "verdict", reference_verdict_name(reference_judge(r, v->value)));
            json_string(json, "source", r->source);
            json_string(json, "open", *r->open ? r->open : NULL);
        }
        json_end(json);
    }
    json_end(json);
}

static void write_json(struct work *w, const struct measure_run *run)
{
    struct json *json = &w->document.json;
    json_object(json, NULL);
    json_string(json, "gpu", run->device->gpu.name);
    json_string(json, "measure", run->measure->name);
    json_string(json, "title", run->measure->title);
    write_rows(run, json);
    write_values(w, run, json);
    json_end(json);
}

static bool ends_in_svg(const char *path)
{
    size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".svg") == 0;
}

static bool draw(const struct work *w, const struct measure_run *run)
{
    char path[4096];
    struct file_output file;
    if (ends_in_svg(w->options->plot))
        snprintf(path, sizeof path, "%s", w->options->plot);
    else
        snprintf(path, sizeof path, "%s/%s-%s.svg", w->options->plot, run->device->gpu.name, run->measure->name);
    if (!file_output_open(&file, path, w->status))
        return false;
    plot_svg(run, &w->references, file.stream);
    return file_output_commit(&file, w->status);
}

static void print_line(struct work *w, const struct measure_run *run)
{
    struct table_count count = {0};
    table_count(run, &w->references, &count);
    fprintf(w->out, "%-12s %-10s %4u %4u %4u %6u\n", run->device->gpu.name, run->measure->name, count.ok, count.missed,
            count.open, count.closed);
    fflush(w->out);
    table_count(run, &w->references, &w->count);
}

static bool write_files(struct work *w, const struct measure_run *run)
{
    if (w->csv.stream)
        table_csv(run, w->csv.stream);
    if (w->document.wanted)
        write_json(w, run);
    return !w->options->plot || draw(w, run);
}

static bool report(struct work *w, const struct measure_run *run)
{
    if (w->out && w->options->all)
        print_line(w, run);
    else if (w->out)
        table_text(run, &w->references, &w->count, w->out);
    else
        table_count(run, &w->references, &w->count);
    return write_files(w, run);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Free the run in any case. */
static bool run_one(struct work *w, const struct measure *measure, struct measure_sim *sim, struct measure_run *run)
{
    if (measure_run(run, measure, &sim->device, w->options->quick))
        return true;
    if (sim->status.code != STATUS_OK)
        return status_fail(w->status, sim->status.code, "%s: %s", measure->name, sim->status.text);
    return status_fail(w->status, STATUS_UNSUPPORTED, "%s: %s", measure->name, run->error);
}

static bool measure_one(struct work *w, const struct measure *measure, struct measure_sim *sim)
{
    struct measure_run run;
    bool ok = run_one(w, measure, sim, &run) && report(w, &run);
    measure_run_free(&run);
    return ok;
}

/* The i-th measurement that the operands name, or of all; NULL behind the last. */
static const struct measure *measure_at(const struct work *w, size_t i)
{
    size_t count;
    const struct measure *const *all = measure_list(&count);
    if (w->options->operands.count == 0)
        return i < count ? all[i] : NULL;
    return i < w->options->operands.count ? find_measure(w->options->operands.items[i], w->status) : NULL;
}

static bool measure_gpu(struct work *w, const char *gpu)
{
    struct cli_options options = *w->options;
    struct session session;
    struct measure_sim sim;
    options.gpu = gpu;
    if (!session_begin(&session, &options, w->status))
        return false;
    bool ok = measure_sim_begin(&sim, &session, gpu, w->status);
    const struct measure *measure;
    for (size_t i = 0; ok && (measure = measure_at(w, i)); i++)
        ok = measure_one(w, measure, &sim);
    session_end(&session);
    return ok;
}

static bool measure_both(struct work *w, const struct measure *measure, struct measure_sim sim[2])
{
    struct measure_run run[2];
    const struct measure_run *const both[2] = {&run[0], &run[1]};
    bool ok = run_one(w, measure, &sim[0], &run[0]);
    if (ok) {
        ok = run_one(w, measure, &sim[1], &run[1]);
        if (ok && w->out)
            beside_text(both, &w->references, w->out);
        for (unsigned k = 0; k < 2 && ok; k++) {
            table_count(&run[k], &w->references, &w->count);
            ok = write_files(w, &run[k]);
        }
        measure_run_free(&run[1]);
    }
    measure_run_free(&run[0]);
    return ok;
}

/* --gpu and --beside. */
static bool measure_beside(struct work *w)
{
    struct cli_options options[2] = {*w->options, *w->options};
    struct session session[2];
    struct measure_sim sim[2];
    unsigned begun = 0;
    bool ok = true;
    options[1].gpu = w->options->beside;
    for (; begun < 2 && ok; begun += ok)
        ok = session_begin(&session[begun], &options[begun], w->status);
    for (unsigned k = 0; k < 2 && ok; k++)
        ok = measure_sim_begin(&sim[k], &session[k], options[k].gpu, w->status);
    const struct measure *measure;
    for (size_t i = 0; ok && (measure = measure_at(w, i)); i++)
        ok = measure_both(w, measure, sim);
    while (begun > 0)
        session_end(&session[--begun]);
    return ok;
}

static bool measure_gpus(struct work *w)
{
    if (w->options->beside)
        return measure_beside(w);
    if (!w->options->all)
        return measure_gpu(w, w->options->gpu);
    if (w->out)
        fprintf(w->out, "%-12s %-10s %4s %4s %4s %6s\n", "gpu", "measure", "ok", "miss", "open", "closed");
    bool ok = true;
    if (w->options->gpu)
        return measure_gpu(w, w->options->gpu);
    for (size_t i = 0; ok && i < config_gpu_count(); i++)
        ok = measure_gpu(w, config_gpu_name(i));
    return ok;
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

static bool read_references(struct work *w)
{
    size_t count;
    const struct embedded *files = embedded_references(&count);
    char error[128];
    for (size_t i = 0; i < count; i++)
        if (!references_read(&w->references, (const char *)files[i].data, files[i].size, error, sizeof error))
            return status_fail(w->status, STATUS_FORMAT, "reference numbers, %s: %s", files[i].name, error);
    return true;
}

static bool check(const struct cli_options *options, struct status *status)
{
    for (size_t i = 0; i < options->operands.count; i++)
        if (!find_measure(options->operands.items[i], status))
            return false;
    if (options->beside && options->all)
        return status_fail(status, STATUS_USAGE, "--beside: --all prints a line for each table, and no table");
    if (!options->plot)
        return true;
    if (ends_in_svg(options->plot)) {
        if (options->operands.count != 1 || options->all || options->beside)
            return status_fail(status, STATUS_USAGE, "--plot %s: several tables need a folder", options->plot);
        return file_output_check(options->plot, status);
    } else if (mkdir(options->plot, 0777) != 0) {
        struct stat info;
        if (stat(options->plot, &info) != 0 || !S_ISDIR(info.st_mode))
            return status_fail(status, STATUS_IO, "%s: cannot make this folder", options->plot);
    }
    return true;
}

static bool open_outputs(struct work *w)
{
    if (!document_begin(&w->document, w->options->json, w->status))
        return false;
    if (w->document.wanted)
        json_array(&w->document.json, "measures");
    if (w->options->csv && !file_output_open(&w->csv, w->options->csv, w->status)) {
        document_abandon(&w->document);
        return false;
    }
    if (w->csv.stream)
        table_csv_heading(w->csv.stream);
    return true;
}

static bool close_outputs(struct work *w, bool ok)
{
    if (w->document.wanted)
        json_end(&w->document.json);
    if (!ok) {
        document_abandon(&w->document);
        if (w->csv.stream)
            file_output_abandon(&w->csv);
        return false;
    }
    if (w->csv.stream && !file_output_commit(&w->csv, w->status)) {
        document_abandon(&w->document);
        return false;
    }
    return document_commit(&w->document, w->status);
}

static void conclude(const struct work *w)
{
    const struct table_count *c = &w->count;
    if (w->out && c->ok + c->missed + c->open + c->closed > 0)
        fprintf(w->out, "%u within tolerance, %u missed, %u open, %u open that fit\n", c->ok, c->missed, c->open,
                c->closed);
    conclude_results(c->missed, c->open, w->options->strict, "number", w->status);
}

static bool run(const struct cli_options *options, struct status *status)
{
    if (options->list) {
        list_measures();
        return true;
    }
    struct work w = {.options = options, .status = status};
    bool text_elsewhere = options->csv && strcmp(options->csv, "-") == 0;
    w.out = document_text_stream(text_elsewhere ? options->csv : options->json, options->quiet);
    if (!check(options, status) || !read_references(&w))
        return false;
    if (open_outputs(&w) && close_outputs(&w, measure_gpus(&w)))
        conclude(&w);
    references_free(&w.references);
    return status->code == STATUS_OK;
}

const struct command command_measure = {
    .name = "measure",
    .operands = "[NAME...]",
    .summary = "measure the memory system with micro-benchmarks, and compare with real GPUs",
    .text = "Without a name: all. Each is a set of CUDA kernels that time themselves, and prints one table, then the\n"
            "numbers that real GPUs gave beside it; docs/measurements.md explains them. --all runs them on every GPU,\n"
            "or with --gpu on one, a line each.\n"
            "--beside prints the tables of two GPUs side by side: 'measure chase --gpu rtx-5080 --beside h100-pcie'.\n"
            "A number that is 'open' is known to differ, and the table says why; one that is 'closed' is said to, but\n"
            "fits.\n"
            "Exit status 1: a number is not within its tolerance; --strict counts those that are open, too.\n",
    .options = CLI_BIT(GPU) | CLI_BIT(BESIDE) | CLI_BIT(SET) | CLI_BIT(THREADS) | CLI_BIT(QUIET) | CLI_BIT(QUICK) |
               CLI_BIT(STRICT) | CLI_BIT(PLOT) | CLI_BIT(LIST) | CLI_BIT(ALL) | CLI_BIT(JSON) | CLI_BIT(CSV) |
               CLI_BIT(HELP),
    .operands_max = 32,
    .run = run,
};
