#include "cli/demo.h"

#include <string.h>

#include "base/suggest.h"
#include "cli/code/source.h"
#include "cli/command.h"
#include "cli/document.h"
#include "cli/fidelity.h"
#include "cli/report/check_report.h"
#include "cli/report/hazard_report.h"
#include "report/format.h"
#include "report/report.h"
#include "report/samples.h"

const char demo_default[] = "sgemm-register";

/* Sums over the launches of one demo, or all demos. */
struct totals {
    uint64_t launches, timed, instructions, cycles, active;
    double seconds;
};

static void add(struct totals *totals, const struct demo_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        totals->launches++;
        totals->timed += run->results[i].detailed;
        totals->instructions += run->results[i].warp_instructions;
        totals->cycles += result_cycles(&run->results[i]);
        totals->active += run->results[i].sm.cycles_active;
        totals->seconds += run->results[i].host_seconds;
    }
}

static double rate(const struct totals *totals)
{
    return totals->seconds > 0 ? (double)totals->instructions / totals->seconds : 0;
}

/* ---- which ----------------------------------------------------------------------------------------------------- */

/* The lists of examples, one after the other (NULL: behind the last). */
static const struct example *demo_at(size_t i)
{
    size_t count, more, last;
    const struct example *all = example_list(&count), *hopper = example_list_hopper(&more);
    const struct example *blackwell = example_list_blackwell(&last);
    return i < count                 ? &all[i]
           : i - count < more        ? &hopper[i - count]
           : i - count - more < last ? &blackwell[i - count - more]
                                     : NULL;
}

static void list_demos(void)
{
    const struct example *example;
    for (size_t i = 0; (example = demo_at(i)); i++)
        printf("%-20s %s\n", example->name, example->summary);
}

const struct example *demo_find(const char *name, struct status *status)
{
    struct suggest suggest = suggest_begin(name);
    const struct example *example;
    char known[512] = "";
    for (size_t i = 0; (example = demo_at(i)); i++) {
        if (strcmp(example->name, name) == 0)
            return example;
        suggest_try(&suggest, example->name);
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", example->name);
    }
    const char *best = suggest_best(&suggest);
    status_fail(status, STATUS_USAGE, "there is no demo '%.60s'%s%s%s; known are %s", name,
                best ? ", did you mean " : "", best ? best : "", best ? "?" : "", known);
    return NULL;
}

/* Why there was nothing to check (NULL: there was). */
static const char *not_checked(const struct demo_run *run)
{
    return run->ended                               ? "not made: the run was stopped before its end, as asked"
           : run->status.code == STATUS_INTERRUPTED ? "not made: the run was interrupted"
                                                    : NULL;
}

/* ---- output ---------------------------------------------------------------------------------------------------- */

/* A demo that failed before its module was there has found nothing. */
static void report_hazards(const struct demo_run *run, FILE *out, struct json *json, struct status *status)
{
    if (run->session->options.hazards)
        hazard_report(&run->session->hazards, run->module ? &run->module->cubin : NULL, out, json, status);
    if (run->session->options.check)
        check_report(&run->session->check.found, out, json, status);
}

static void write_demo(const struct demo_run *run, const struct status *status, struct document *document)
{
    struct json *json = &document->json;
    const char *unchecked = not_checked(run);
    json_string(json, "demo", run->example->name);
    json_string(json, "summary", run->example->summary);
    json_object(json, "check");
    if (unchecked)
        json_string(json, "ok", NULL);
    else
        json_bool(json, "ok", status->code == STATUS_OK);
    json_string(json, "text", unchecked ? unchecked : run->check.text);
    json_end(json);
    struct status found = *status;
    report_hazards(run, NULL, json, &found);
    document_error(document, &found);
    document_hash(json, "memory_digest", run->memory_digest);
    json_array(json, "kernels");
    for (size_t i = 0; i < run->count; i++)
        report_json(&run->results[i], &run->session->config, json, NULL);
    json_end(json);
}

static void print_totals(const struct totals *totals, bool detailed, FILE *out)
{
    fprintf(out, "Total: %s launches, %s warp instructions", format_count(totals->launches).text,
            format_count(totals->instructions).text);
    if (detailed)
        fprintf(out, ", %s cycles", format_count(totals->cycles).text);
    fprintf(out, "; simulated in %s, %s warp instructions/s\n", format_time(totals->seconds).text,
            format_rate(rate(totals)).text);
}

/* A choice that fits no launch is a mistake, most likely. */
static void say_none_timed(const struct plan *plan, const struct totals *totals, FILE *out)
{
    bool kernels = plan_has(plan, "kernels"), fast_forward = plan_has(plan, "fast-forward");
    if (totals->timed == 0 && (kernels || fast_forward))
        fprintf(out, "No launch was timed: %s leaves none of the %s that there were\n",
                !kernels        ? "--fast-forward"
                : !fast_forward ? "--kernels"
                                : "--kernels with --fast-forward",
                format_count(totals->launches).text);
}

/* One launch: its report. Several: a line each, and the report of the longest. */
static void print_launches(const struct demo_run *run, FILE *out)
{
    if (run->count > 1) {
        report_line_heading(out);
        for (size_t i = 0; i < run->count; i++)
            report_line(&run->results[i], &run->session->config, i, out);
        fprintf(out, "\nThe longest launch, number %zu:\n\n", run->longest);
    }
    if (run->count > 0)
        report_text(&run->results[run->longest], &run->session->config, out);
    struct totals totals = {0};
    add(&totals, run);
    if (run->count > 1)
        print_totals(&totals, totals.cycles > 0, out);
    say_none_timed(&run->session->plan, &totals, out);
}

static void print_demo(const struct demo_run *run, const struct status *status, FILE *out)
{
    fprintf(out, "%s: %s\n", run->example->name, run->example->summary);
    const char *unchecked = not_checked(run);
    if (unchecked)
        fprintf(out, "Check: %s\n\n", unchecked);
    else
        fprintf(out, "Check: %s%s\n\n", status->code == STATUS_OK ? "" : "FAILED: ",
                run->status.code != STATUS_OK ? run->status.text : run->check.text);
    print_launches(run, out);
}

/* ---- commands -------------------------------------------------------------------------------------------------- */

static bool run_one(const struct example *example, const struct cli_options *options, struct session *session,
                    struct document *document, struct status *status)
{
    struct demo_run run;
    bool csv_on_output = options->csv && strcmp(options->csv, "-") == 0;
    FILE *out = document_text_stream(csv_on_output ? options->csv : options->json, options->quiet);
    demo_run(&run, example, session, status);
    bool ran = (run.count > 0 || status->code == STATUS_OK) && !session_refused(session);
    if (ran && out) {
        print_demo(&run, status, out);
        if (options->operands.count == 0)
            fprintf(out, "\nOther kernels: subcore demo --list   Other GPUs: subcore gpus   Yours: subcore help run\n");
    }
    if (ran && document->wanted)
        write_demo(&run, status, document);
    if (run.lines.count)
        source_report(run.module, run.results[run.longest].kernel, &run.lines, options->source ? out : NULL,
                      options->csv, document->wanted ? &document->json : NULL, status);
    if (run.samples.sample && ran && document->wanted)
        report_samples_json(&run.samples, &run.results[run.longest], run.longest, &document->json, "samples");
    if (ran && run.count > 0)
        timelines_write(&session->timelines,
                        &(struct timelines_run){run.module, run.results, run.count, run.longest, &run.samples}, status);
    report_hazards(&run, ran ? out : NULL, NULL, status);
    demo_run_free(&run);
    return ran;
}

static void print_row(const struct demo_run *run, const struct status *status, struct totals *totals, FILE *out)
{
    struct totals own = {0};
    char cycles[FORMAT_TEXT + 16];
    add(&own, run);
    add(totals, run);
    if (own.active > 0)
        snprintf(cycles, sizeof cycles, "%12s %6.2f", format_count(own.cycles).text,
                 (double)own.instructions / (double)own.active);
    else
        snprintf(cycles, sizeof cycles, "%12s %6s", "-", "-");
    fprintf(out, "%-20s %8ju %12s %s %10s  %s\n", run->example->name, (uintmax_t)own.launches,
            format_count(own.instructions).text, cycles, format_time(own.seconds).text,
            not_checked(run)            ? "stopped"
            : status->code != STATUS_OK ? "FAILED"
                                        : "ok");
    if (status->code != STATUS_OK)
        fprintf(out, "    %s\n", run->status.code != STATUS_OK ? run->status.text : status->text);
    fflush(out);
}

static void all_row(const struct demo_run *run, const struct status *status, struct totals *totals,
                    struct document *document, FILE *out)
{
    if (out)
        print_row(run, status, totals, out);
    if (!document->wanted)
        return;
    json_object(&document->json, NULL);
    write_demo(run, status, document);
    json_end(&document->json);
}

static bool run_all(const struct cli_options *options, struct session *session, struct document *document,
                    int *exit_status, struct status *status)
{
    size_t count, failed = 0;
    const struct example *examples = example_list(&count);
    FILE *out = document_text_stream(options->json, options->quiet);
    struct totals totals = {0};
    if (out)
        fprintf(out, "%-20s %8s %12s %12s %6s %10s  %s\n", "demo", "launches", "warp inst", "cycles", "IPC", "host",
                "check");
    if (document->wanted)
        json_array(&document->json, "demos");
    bool stopped = false;
    for (size_t i = 0; i < count && !stopped; i++) {
        struct demo_run run;
        struct status own = {0};
        if (i > 0 && !session_renew(session, status))
            return false;
        demo_run(&run, &examples[i], session, &own);
        stopped = own.code == STATUS_INTERRUPTED;
        all_row(&run, &own, &totals, document, out);
        bool found = hazards_count(&session->hazards) || check_found_count(&session->check.found);
        report_hazards(&run, found ? out : NULL, NULL, &own);
        *exit_status = *exit_status ? *exit_status : check_exit(&session->check.found, options->error_exitcode);
        failed += own.code != STATUS_OK;
        demo_run_free(&run);
    }
    if (document->wanted)
        json_end(&document->json);
    if (out) {
        print_totals(&totals, !options->functional, out);
        say_none_timed(&session->plan, &totals, out);
    }
    if (stopped)
        status_fail(status, STATUS_INTERRUPTED, "interrupted");
    else if (failed > 0)
        status_fail(status, STATUS_CHECK, "%zu of %zu demos failed", failed, count);
    return true;
}

static bool run(const struct cli_options *options, int *exit_status, struct status *status)
{
    if (options->list) {
        list_demos();
        return true;
    }
    bool named = options->operands.count > 0;
    if (options->all && named)
        return status_fail(status, STATUS_USAGE, "demo takes a name or --all, not both");
    if (options->source && (options->all || options->functional))
        return status_fail(status, STATUS_USAGE, "--source shows the cycles of one demo: it does not go with %s",
                           options->all ? "--all" : "--functional");
    if (options->all && (options->perfetto || options->kanata))
        return status_fail(status, STATUS_USAGE, "timelines are of one demo: they do not go with --all");
    if (options->all && (options->schedule || options->schedule_out))
        return status_fail(status, STATUS_USAGE, "a schedule is of one demo: it does not go with --all");
    if (options->csv && !options->source)
        return status_fail(status, STATUS_USAGE, "--csv is for the instructions of --source");
    const struct example *example = demo_find(named ? options->operands.items[0] : demo_default, status);
    struct session session;
    struct document document;
    if (!example || !session_begin(&session, options, status))
        return false;
    bool ran = document_begin_page(&document, options->json, options->html, options->baseline, status);
    if (ran) {
        ran = options->all ? run_all(options, &session, &document, exit_status, status)
                           : run_one(example, options, &session, &document, status);
        if (ran)
            document_commit(&document, status);
        else
            document_abandon(&document);
        if (ran)
            session_finish(&session, document_text_stream(options->json, options->quiet), status);
    }
    if (*exit_status == 0)
        *exit_status = check_exit(&session.check.found, options->error_exitcode);
    session_end(&session);
    return status->code == STATUS_OK;
}

const struct command command_demo = {
    .name = "demo",
    .operands = "[NAME]",
    .summary = "run a kernel that comes with the simulator, and check its results",
    .text = "Without a name: sgemm-register, a matrix product. The demos are compiled code for several\n"
            "architectures; the results are compared with a computation on the CPU.\n"
            "--csv writes the table of --source.\n",
    .options = SESSION_OPTIONS | FIDELITY_OPTIONS | CHECK_OPTIONS | LIMIT_OPTIONS | CHOICE_OPTIONS |
               CHECKPOINT_OPTIONS | CLI_BIT(LIST) | CLI_BIT(ALL) | CLI_BIT(SOURCE) | CLI_BIT(SAMPLE) | CLI_BIT(CSV) |
               CLI_BIT(JSON) | PAGE_OPTIONS | TIMELINE_OPTIONS | SCHEDULE_OPTIONS | CLI_BIT(RANGE) | CLI_BIT(BOUND) |
               CLI_BIT(HELP),
    .operands_max = 1,
    .run_other = run,
};
