#include <string.h>

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/compare/experiment_files.h"
#include "cli/compare/experiment_report.h"
#include "cli/conclude.h"
#include "cli/document.h"
#include "cli/interrupt.h"
#include "cli/session.h"

enum { MOST_NAME = 64 };

/* State of the command. */
struct work {
    const struct cli_options *options;
    struct document document;
    FILE *out;                                 /* NULL: quiet */
    const struct experiment_records *hardware; /* NULL: the expectations of the files */
    unsigned ok, missed, open, runs;
    struct status *status;
};

static bool list_experiments(struct status *status)
{
    for (size_t i = 0; i < experiment_count(); i++) {
        struct experiment e;
        if (!experiment_read(&e, experiment_name(i), status))
            return false;
        printf("%-24s %5u  %s\n", e.name, e.rows, e.title);
        experiment_free(&e);
    }
    return true;
}

static bool find_experiment(struct experiment *e, const char *name, struct status *status)
{
    struct suggest suggest = suggest_begin(name);
    for (size_t i = 0; i < experiment_count(); i++) {
        if (strcmp(experiment_name(i), name) == 0)
            return experiment_read(e, name, status);
        suggest_try(&suggest, experiment_name(i));
    }
    const char *best = suggest_best(&suggest);
    return status_fail(status, STATUS_USAGE, "there is no experiment '%.60s'%s%s%s; see 'subcore experiment --list'",
                       name, best ? ", did you mean " : "", best ? best : "", best ? "?" : "");
}

static bool rows_wanted(const struct work *w, const struct experiment *e, unsigned *from, unsigned *to)
{
    *from = 0;
    *to = e->rows;
    if (!w->options->row)
        return true;
    if (w->options->row > e->rows)
        return status_fail(w->status, STATUS_USAGE, "--row %u: experiment %s has %u rows", w->options->row, e->name,
                           e->rows);
    *from = w->options->row - 1;
    *to = w->options->row;
    return true;
}

static bool print_code(const struct work *w, const struct experiment_run *run)
{
    if (!w->options->sass || !w->out)
        return true;
    fprintf(w->out, "\nThe code of row %u:\n\n", run->from + 1);
    return experiment_report_code(run, run->from, w->out, w->status);
}

/* One experiment on one GPU. */
static bool run_on(struct work *w, const struct experiment *e, const char *gpu)
{
    struct config config;
    struct experiment_run run;
    struct experiment_site site = {
        .config = &config,
        .name = gpu,
        .options = {.threads = 1, .stop = interrupt_catch()},
        .hardware = w->hardware,
    };
    unsigned from, to;
    if (!rows_wanted(w, e, &from, &to) || !session_config(&config, gpu, &w->options->set, w->status))
        return false;
    bool ok = experiment_run(&run, e, from, to, &site, w->status);
    if (ok && w->out && w->options->all)
        experiment_report_line(&run, gpu, w->out);
    else if (ok && w->out)
        experiment_report_text(&run, config.gpu.name, w->out);
    ok = ok && print_code(w, &run);
    if (ok && w->document.wanted) {
        json_object(&w->document.json, NULL);
        experiment_report_json(&run, gpu, &w->document.json);
        json_end(&w->document.json);
    }
    w->runs++;
    w->ok += run.ok;
    w->missed += run.missed;
    w->open += run.open;
    experiment_run_free(&run);
    return ok;
}

/* The next word in a list of GPUs. */
static bool next_gpu(const char **list, char name[MOST_NAME])
{
    *list += strspn(*list, " ,");
    size_t length = strcspn(*list, " ,");
    snprintf(name, MOST_NAME, "%.*s", (int)length, *list);
    *list += length;
    return length > 0;
}

/* On the GPU that is asked for, else on the first one that the experiment names, or, of all, on each. */
static bool run_experiment(struct work *w, const struct experiment *e)
{
    const char *list = e->gpus;
    char gpu[MOST_NAME];
    if (w->hardware ? !experiment_words_have(w->hardware, e->name)
                    : w->options->gpu && w->options->all && !experiment_lists(e->gpus, w->options->gpu))
        return true;
    if (w->options->gpu)
        return run_on(w, e, w->options->gpu);
    bool ok = true;
    for (bool first = true; ok && (first || w->options->all) && next_gpu(&list, gpu); first = false)
        ok = run_on(w, e, gpu);
    return ok;
}

static bool run_all(struct work *w)
{
    bool ok = true;
    if (w->out && w->options->all)
        experiment_report_heading(w->out);
    for (size_t i = 0; ok && i < experiment_count(); i++) {
        struct experiment e;
        ok = experiment_read(&e, experiment_name(i), w->status) && run_experiment(w, &e);
        if (e.text)
            experiment_free(&e);
    }
    if (ok && w->runs == 0 && w->hardware)
        return status_fail(w->status, STATUS_USAGE, "--words %.200s: it has no experiment that is known here",
                           w->options->words);
    if (ok && w->runs == 0)
        return status_fail(w->status, STATUS_USAGE,
                           "no experiment was measured on '%.60s'; give the name of one to run it there",
                           w->options->gpu);
    if (ok && w->out)
        fprintf(w->out, "\n%u runs, %u rows within tolerance, %u missed, %u open\n", w->runs, w->ok, w->missed,
                w->open);
    return ok;
}

/* ---- real hardware ----------------------------------------------------------------------------------------------- */

static bool add_to_folder(struct experiment_folder *folder, const char *name, struct status *status)
{
    struct experiment e;
    if (!find_experiment(&e, name, status))
        return false;
    bool ok = experiment_folder_add(folder, &e, status);
    experiment_free(&e);
    return ok;
}

/* The code of one experiment or all, for one GPU. */
static bool write_folder(const struct cli_options *options, struct status *status)
{
    struct config config;
    struct experiment_folder folder;
    bool named = options->operands.count > 0;
    if (!options->gpu)
        return status_fail(status, STATUS_USAGE, "--write needs --gpu: the code is for one architecture");
    if (!session_config(&config, options->gpu, &options->set, status) ||
        !experiment_folder_begin(&folder, options->write, options->gpu, config.gpu.architecture, status))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < (named ? 1 : experiment_count()); i++)
        ok = add_to_folder(&folder, named ? options->operands.items[0] : experiment_name(i), status);
    ok = experiment_folder_end(&folder, status) && ok;
    if (ok && !options->quiet)
        printf("%u experiments for sm_%u in %s, %u left out; on the GPU: validate-gpu experiments %s --csv words.csv\n",
               folder.written, config.gpu.architecture, options->write, folder.left_out, options->write);
    return ok;
}

static bool run_named(struct work *w)
{
    struct experiment e;
    if (!find_experiment(&e, w->options->operands.items[0], w->status))
        return false;
    bool ok = run_experiment(w, &e);
    experiment_free(&e);
    return ok;
}

static bool run_experiments(struct work *w, bool named)
{
    const struct cli_options *options = w->options;
    w->out = document_text_stream(options->json, options->quiet);
    if (!document_begin(&w->document, options->json, w->status))
        return false;
    if (w->document.wanted)
        json_array(&w->document.json, "experiments");
    bool ok = named ? run_named(w) : run_all(w);
    if (w->document.wanted)
        json_end(&w->document.json);
    if (ok)
        document_commit(&w->document, w->status);
    else
        document_abandon(&w->document);
    if (ok)
        conclude_results(w->missed, w->open, options->strict, "row", w->status);
    return w->status->code == STATUS_OK;
}

static bool check(const struct cli_options *options, struct status *status)
{
    bool named = options->operands.count > 0;
    if (options->write && options->words)
        return status_fail(status, STATUS_USAGE, "--write and --words do not go together");
    if (options->words && !options->gpu)
        return status_fail(status, STATUS_USAGE, "--words needs --gpu: the one that gave them");
    if (options->all && named)
        return status_fail(status, STATUS_USAGE, "experiment takes a name or --all, not both");
    if (!named && (options->row || options->sass))
        return status_fail(status, STATUS_USAGE, "--%s needs the name of an experiment", options->row ? "row" : "sass");
    return true;
}

static bool list(const struct cli_options *options, struct status *status)
{
    if (!list_experiments(status))
        return false;
    if (!options->list)
        printf("\nOne of them: subcore experiment NAME   All: subcore experiment --all\n");
    return true;
}

static bool run(const struct cli_options *options, struct status *status)
{
    bool named = options->operands.count > 0;
    struct experiment_records records = {0};
    if (!check(options, status))
        return false;
    if (options->write)
        return write_folder(options, status);
    if (options->list || (!options->all && !named && !options->words))
        return list(options, status);
    struct work w = {.options = options, .hardware = options->words ? &records : NULL, .status = status};
    bool ok = !options->words || experiment_words_read(&records, options->words, status);
    ok = ok && run_experiments(&w, named);
    experiment_words_free(&records);
    return ok;
}

const struct command command_experiment = {
    .name = "experiment",
    .operands = "[NAME]",
    .summary = "measure instructions as on hardware, and compare the cycles",
    .text = "Without a name: the list. An experiment is a small kernel that brackets instructions with clock\n"
            "reads, once for each row of a table; docs/experiments.md explains them. Without --gpu it runs on the\n"
            "first GPU that was measured, with --all on each that was. On another GPU there is no verdict.\n"
            "A row that is 'open' is known to differ, and the experiment says why.\n"
            "\n"
            "--write FOLDER --gpu NAME writes the assembled code instead, of one experiment or all; on a machine with\n"
            "that GPU 'validate-gpu experiments FOLDER --csv FILE' runs it, and --words FILE --gpu NAME compares the\n"
            "simulator with its results (docs/validation.md).\n"
            "Exit status 1: a row is not within its tolerance; --strict counts those that are open, too.\n",
    .options = CLI_BIT(GPU) | CLI_BIT(SET) | CLI_BIT(LIST) | CLI_BIT(ALL) | CLI_BIT(ROW) | CLI_BIT(SASS) |
               CLI_BIT(WRITE) | CLI_BIT(WORDS) | CLI_BIT(STRICT) | CLI_BIT(JSON) | CLI_BIT(QUIET) | CLI_BIT(HELP),
    .operands_max = 1,
    .run = run,
};
