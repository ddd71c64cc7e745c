#include <math.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/compare/studies.h"
#include "cli/demo.h"
#include "cli/document.h"
#include "cli/fidelity.h"
#include "report/format.h"

/* A kernel under a variant. */
struct cell {
    uint64_t cycles, instructions; /* sums over its launches */
};

/* One study under way: text, CSV and JSON each where they are wanted. */
struct table {
    const struct study *study;
    size_t variants;
    struct session *session;
    struct config base; /* as the command line asks for it */
    FILE *out;          /* NULL: no text */
    struct file_output csv;
    struct document document;
    double log_sum[STUDY_VARIANTS]; /* of the speed-ups */
    size_t rows;
};

/* ---- which ----------------------------------------------------------------------------------------------------- */

static void list_studies(FILE *out)
{
    const struct study *study;
    for (size_t i = 0; (study = study_at(i)) != NULL; i++) {
        fprintf(out, "%-14s %s:", study->name, study->title);
        for (size_t v = 0; v < STUDY_VARIANTS && study->variant[v].name; v++)
            fprintf(out, "%s %s", v ? "," : "", study->variant[v].name);
        fprintf(out, "\n");
    }
}

static const struct study *find_study(const char *name, struct status *status)
{
    struct suggest suggest = suggest_begin(name);
    const struct study *study;
    for (size_t i = 0; (study = study_at(i)) != NULL; i++) {
        if (strcmp(study->name, name) == 0)
            return study;
        suggest_try(&suggest, study->name);
    }
    const char *best = suggest_best(&suggest);
    status_fail(status, STATUS_USAGE, "there is no study '%.60s'%s%s%s; see 'subcore study --list'", name,
                best ? ", did you mean " : "", best ? best : "", best ? "?" : "");
    return NULL;
}

/* ---- one run --------------------------------------------------------------------------------------------------- */

static bool configure(struct table *t, const struct study_variant *variant, struct status *status)
{
    t->session->config = t->base;
    for (size_t i = 0; i < STUDY_SETTINGS && variant->set[i]; i++)
        if (!config_set(&t->session->config, variant->set[i], status))
            return false;
    return config_check(&t->session->config, status) && session_renew(t->session, status);
}

static bool measure(struct table *t, const struct example *kernel, const struct study_variant *variant,
                    struct cell *cell, struct status *status)
{
    struct demo_run run;
    *cell = (struct cell){0};
    if (!configure(t, variant, status))
        return false;
    bool ok = demo_run(&run, kernel, t->session, status);
    for (size_t i = 0; i < run.count; i++) {
        cell->cycles += result_cycles(&run.results[i]);
        cell->instructions += run.results[i].warp_instructions + run.results[i].rest_instructions;
    }
    demo_run_free(&run);
    return ok;
}

/* ---- output ---------------------------------------------------------------------------------------------------- */

/* Columns of a variant's speed-up, with a space before it. */
static int width(const struct table *t, size_t variant)
{
    enum { NARROWEST = 7 };
    size_t length = strlen(t->study->variant[variant].name) + 2;
    return (int)(length > NARROWEST ? length : NARROWEST);
}

static void print_heading(const struct table *t)
{
    fprintf(t->out, "%s on %s\n%s\n\nSpeed-up over '%s' by cycles; above 1 is faster.\n\n", t->study->title,
            t->session->config.gpu.name, t->study->text, t->study->variant[0].name);
    fprintf(t->out, "%-20s %12s", "kernel", "cycles");
    for (size_t v = 1; v < t->variants; v++)
        fprintf(t->out, "%*s", width(t, v), t->study->variant[v].name);
    fprintf(t->out, "\n");
}

static double speed_up(const struct cell *cell, size_t variant)
{
    return cell[variant].cycles ? (double)cell[0].cycles / (double)cell[variant].cycles : 0;
}

static void write_csv(struct table *t, const char *kernel, const struct cell *cell)
{
    for (size_t v = 0; v < t->variants; v++)
        fprintf(t->csv.stream, "%s,%s,%s,%s,%ju,%ju,%.4f\n", t->study->name, t->session->config.gpu.name, kernel,
                t->study->variant[v].name, (uintmax_t)cell[v].cycles, (uintmax_t)cell[v].instructions,
                speed_up(cell, v));
}

static void write_json(struct table *t, const char *kernel, const struct cell *cell)
{
    struct json *json = &t->document.json;
    json_object(json, NULL);
    json_string(json, "kernel", kernel);
    json_array(json, "variants");
    for (size_t v = 0; v < t->variants; v++) {
        json_object(json, NULL);
        json_string(json, "variant", t->study->variant[v].name);
        json_uint(json, "cycles", cell[v].cycles);
        json_uint(json, "warp_instructions", cell[v].instructions);
        json_number(json, "speed_up", speed_up(cell, v), 5);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static void add_row(struct table *t, const char *kernel, const struct cell *cell)
{
    t->rows++;
    for (size_t v = 0; v < t->variants; v++)
        t->log_sum[v] += log(speed_up(cell, v));
    if (t->csv.stream)
        write_csv(t, kernel, cell);
    if (t->document.wanted)
        write_json(t, kernel, cell);
    if (!t->out)
        return;
    fprintf(t->out, "%-20s %12s", kernel, format_count(cell[0].cycles).text);
    for (size_t v = 1; v < t->variants; v++)
        fprintf(t->out, "%*.3f", width(t, v), speed_up(cell, v));
    fprintf(t->out, "\n");
    fflush(t->out);
}

static void print_mean(const struct table *t)
{
    fprintf(t->out, "%-20s %12s", "geometric mean", "");
    for (size_t v = 1; v < t->variants; v++)
        fprintf(t->out, "%*.3f", width(t, v), exp(t->log_sum[v] / (double)t->rows));
    fprintf(t->out, "\n");
}

/* ---- command --------------------------------------------------------------------------------------------------- */

static bool study_kernel(struct table *t, const struct example *kernel, struct status *status)
{
    struct cell cell[STUDY_VARIANTS];
    for (size_t v = 0; v < t->variants; v++)
        if (!measure(t, kernel, &t->study->variant[v], &cell[v], status))
            return false;
    add_row(t, kernel->name, cell);
    return true;
}

/* Before anything runs: whether the operands behind the study's name are demos. */
static bool check_names(const struct cli_list *operands, struct status *status)
{
    for (size_t i = 1; i < operands->count; i++)
        if (!demo_find(operands->items[i], status))
            return false;
    return true;
}

/* The kernels that the operands behind the study's name give; without any, all. */
static bool study_kernels(struct table *t, const struct cli_list *operands, struct status *status)
{
    if (t->document.wanted) {
        json_string(&t->document.json, "study", t->study->name);
        json_string(&t->document.json, "gpu", t->base.gpu.name);
        json_array(&t->document.json, "kernels");
    }
    if (t->csv.stream)
        fprintf(t->csv.stream, "study,gpu,kernel,variant,cycles,warp_instructions,speed_up\n");
    if (t->out)
        print_heading(t);
    size_t count;
    const struct example *all = example_list(&count);
    bool named = operands->count > 1;
    for (size_t i = named ? 1 : 0; i < (named ? operands->count : count); i++) {
        const struct example *kernel = named ? demo_find(operands->items[i], status) : &all[i];
        if (!kernel || !study_kernel(t, kernel, status))
            return false;
    }
    if (t->out && t->rows > 1)
        print_mean(t);
    if (t->document.wanted)
        json_end(&t->document.json);
    return true;
}

static bool open_outputs(struct table *t, const struct cli_options *options, struct status *status)
{
    if (!document_begin(&t->document, options->json, status))
        return false;
    if (options->csv && !file_output_open(&t->csv, options->csv, status)) {
        document_abandon(&t->document);
        return false;
    }
    return true;
}

static void abandon_outputs(struct table *t)
{
    document_abandon(&t->document);
    if (t->csv.stream)
        file_output_abandon(&t->csv);
}

static bool commit_outputs(struct table *t, struct status *status)
{
    bool ok = !t->csv.stream || file_output_commit(&t->csv, status);
    if (!ok)
        document_abandon(&t->document);
    return ok && document_commit(&t->document, status);
}

static bool run_study(struct table *t, const struct cli_options *options, struct status *status)
{
    while (t->variants < STUDY_VARIANTS && t->study->variant[t->variants].name)
        t->variants++;
    t->base = t->session->config;
    bool text_elsewhere = options->csv && strcmp(options->csv, "-") == 0;
    t->out = document_text_stream(text_elsewhere ? options->csv : options->json, options->quiet);
    if (!open_outputs(t, options, status))
        return false;
    if (study_kernels(t, &options->operands, status))
        return commit_outputs(t, status);
    abandon_outputs(t);
    return false;
}

static bool run(const struct cli_options *options, struct status *status)
{
    if (options->list || options->operands.count == 0) {
        list_studies(stdout);
        if (!options->list)
            printf("\nOne of them, with all demos: subcore study NAME   With some: subcore study NAME DEMO...\n");
        return true;
    }
    struct session session;
    struct table table = {.study = find_study(options->operands.items[0], status), .session = &session};
    if (!table.study || !check_names(&options->operands, status) || !session_begin(&session, options, status))
        return false;
    run_study(&table, options, status);
    session_end(&session);
    return status->code == STATUS_OK;
}

const struct command command_study = {
    .name = "study",
    .operands = "[STUDY [DEMO...]]",
    .summary = "compare variants of the core on the kernels that come with the simulator",
    .text = "Without a name: the list. A study runs each demo under variants of the configuration and prints how much\n"
            "faster each is than the first. Without names of demos it runs all of them, which takes minutes.\n"
            "--set changes the configuration from which all variants start.\n",
    .options = CLI_BIT(GPU) | CLI_BIT(SET) | FIDELITY_OPTIONS | CLI_BIT(THREADS) | CLI_BIT(QUIET) | CLI_BIT(LIST) |
               CLI_BIT(JSON) | CLI_BIT(CSV) | CLI_BIT(HELP),
    .operands_max = 64,
    .run = run,
};
