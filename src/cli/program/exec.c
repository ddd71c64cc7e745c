/* Runs a CUDA program on our libcuda.so.1 and the libraries beside it. */
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/record.h"
#include "cli/command.h"
#include "cli/fidelity.h"
#include "cli/program/exec_child.h"
#include "cli/program/exec_libraries.h"
#include "cli/program/exec_program.h"
#include "cli/program/exec_traces.h"
#include "cli/report/check_report.h"
#include "cli/report/exec_report.h"
#include "cli/schedules.h"
#include "cli/session.h"
#include "plan/selection.h"
#include "report/live.h"
#include "report/progress.h"

static const char text[] =
    "PROGRAM is a CUDA program for this machine, built with 'nvcc -cudart shared' or for the driver API.\n"
    "Options of exec stand before it, its own words behind. Its output and its exit status are its own (128 +\n"
    "n when signal n ended it). Each launch is a line on standard error, and at the end stands a table;\n"
    "--quiet leaves both out. Scripts, and programs that start others, work too. With --json - standard\n"
    "output has only the JSON, and the program's own output goes to standard error.\n"
    "\n"
    "--source prints the instructions of each kernel with the cycles of all of its timed launches.\n"
    "\n"
    "--check executes without time, and prints its findings on standard error at the end; the exit status is\n"
    "the program's own, but for --error-exitcode. leak names memory that the program has not given back.\n"
    "\n"
    "--record writes a trace: launches are only executed then, but for those that --detailed names, which are\n"
    "timed and not recorded.\n"
    "\n"
    "Ranges that the program marks with NVTX are a table of their own, and tracks of --perfetto.\n"
    "\n"
    "KERNEL is the name in the source, with or without namespaces and template arguments, or the mangled\n"
    "name; * and ? stand for letters: --detailed 'reduce*:0-2'.\n"
    "\n"
    "Example\n"
    "  nvcc -cudart shared app.cu -o app\n"
    "  subcore exec --gpu h200 --report app.report ./app 1024\n";

enum { PATHS = 65536 };

/* All that the child's environment takes. Texts that are made up are owned. */
struct environment {
    char *gpu, *set, *detailed, *nvtx, *only, *path, *preload, *schedule, *schedule_out;
    char threads[16], records[PATH_MAX], findings[PATH_MAX + 16], sources[PATH_MAX + 16], activities[PATH_MAX + 16],
        ranges[PATH_MAX + 16], cycles[24], insts[24], ctas[24];
    char injection[PATH_MAX];
    struct exec_traces traces;
};

static void environment_free(struct environment *e)
{
    free(e->gpu);
    free(e->set);
    free(e->detailed);
    free(e->nvtx);
    free(e->only);
    free(e->schedule);
    free(e->schedule_out);
    free(e->path);
    free(e->preload);
}

/* Put before the present value of the variable. */
static char *before(const char *first, const char *variable)
{
    const char *old = getenv(variable);
    char joined[PATHS];
    int n = snprintf(joined, sizeof joined, "%s%s%s", first, old && *old ? ":" : "", old ? old : "");
    return n > 0 && (size_t)n < sizeof joined ? strdup(joined) : NULL;
}

/* The program may go to another folder before it reads this. */
static char *absolute(const char *gpu)
{
    char *real = strchr(gpu, '/') || strstr(gpu, ".toml") ? realpath(gpu, NULL) : NULL;
    return real ? real : strdup(gpu);
}

/* The same for a file that need not be there; "" for none. */
static char *absolute_path(const char *path)
{
    char folder[PATH_MAX], joined[2 * PATH_MAX];
    if (!path || *path == '/')
        return strdup(path ? path : "");
    int n = getcwd(folder, sizeof folder) ? snprintf(joined, sizeof joined, "%s/%s", folder, path) : -1;
    return n > 0 && (size_t)n < sizeof joined ? strdup(joined) : NULL;
}

static bool environment_make(struct environment *e, const struct cli_options *options, const char *gpu,
                             const struct exec_program *program, struct status *status)
{
    struct exec_libraries libraries;
    if (!exec_libraries_find(&libraries, status))
        return false;
    *e = (struct environment){
        .gpu = absolute(gpu),
        .set = cli_list_lines(&options->set),
        .detailed = cli_list_lines(&options->detailed),
        .nvtx = cli_list_lines(&options->nvtx),
        .only = cli_list_lines(&options->only),
        .schedule = absolute_path(options->schedule),
        .schedule_out = absolute_path(options->schedule_out),
        .path = before(libraries.folder, "LD_LIBRARY_PATH"),
        .preload = program->preload ? before(libraries.preload, "LD_PRELOAD") : strdup(""),
    };
    if (options->threads)
        snprintf(e->threads, sizeof e->threads, "%u", options->threads);
    snprintf(e->injection, sizeof e->injection, "%s/libcuda.so.1", libraries.folder);
    snprintf(e->cycles, sizeof e->cycles, "%" PRIu64, options->until_cycles);
    snprintf(e->insts, sizeof e->insts, "%" PRIu64, options->until_insts);
    snprintf(e->ctas, sizeof e->ctas, "%" PRIu64, options->ctas);
    if (!e->gpu || !e->set || !e->detailed || !e->nvtx || !e->only || !e->schedule || !e->schedule_out || !e->path ||
        !e->preload)
        return status_fail(status, STATUS_MEMORY,
                           "no memory for the program's environment, or a path in it is too long");
    return true;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static bool run_child(const struct cli_options *options, const struct exec_program *program,
                      const struct environment *e, const struct sigaction *on_pipe, struct exec_run *run,
                      struct status *status)
{
    bool only_executed = options->functional || options->detailed.count > 0 || options->record || options->check;
    const struct child_variable variables[] = {
        {"SUBCORE_GPU", e->gpu},
        {"SUBCORE_SET", options->set.count ? e->set : getenv("SUBCORE_SET")},
        {"SUBCORE_STREAMS", options->serial_streams ? "serial" : getenv("SUBCORE_STREAMS")},
        {"SUBCORE_MODE", only_executed ? "functional" : getenv("SUBCORE_MODE")},
        {"SUBCORE_DETAILED", options->detailed.count ? e->detailed : getenv("SUBCORE_DETAILED")},
        {"SUBCORE_NVTX", options->nvtx.count ? e->nvtx : getenv("SUBCORE_NVTX")},
        {"SUBCORE_RANGES", e->ranges},
        {"NVTX_INJECTION64_PATH", e->injection},
        {"SUBCORE_UNTIL_CYCLES", options->until_cycles ? e->cycles : getenv("SUBCORE_UNTIL_CYCLES")},
        {"SUBCORE_UNTIL_INSTS", options->until_insts ? e->insts : getenv("SUBCORE_UNTIL_INSTS")},
        {"SUBCORE_END", options->end ? "1" : getenv("SUBCORE_END")},
        {"SUBCORE_SAMPLE", fidelity_sample(options) ? fidelity_sample(options) : getenv("SUBCORE_SAMPLE")},
        {"SUBCORE_HYBRID", fidelity_is_hybrid(options) ? "1" : getenv("SUBCORE_HYBRID")},
        {"SUBCORE_UNTIL_STABLE_IPC",
         options->until_stable_ipc ? options->until_stable_ipc : getenv("SUBCORE_UNTIL_STABLE_IPC")},
        {"SUBCORE_CTAS", options->ctas ? e->ctas : getenv("SUBCORE_CTAS")},
        {"SUBCORE_KERNELS", options->kernels ? options->kernels : getenv("SUBCORE_KERNELS")},
        {"SUBCORE_FAST_FORWARD", options->fast_forward ? options->fast_forward : getenv("SUBCORE_FAST_FORWARD")},
        {"SUBCORE_THREADS", options->threads ? e->threads : getenv("SUBCORE_THREADS")},
        {"SUBCORE_QUIET", options->quiet ? "1" : getenv("SUBCORE_QUIET")},
        {"SUBCORE_RECORD", e->records},
        {"SUBCORE_CHECK", options->check ? options->check : getenv("SUBCORE_CHECK")},
        {"SUBCORE_PASS_OUTSIDE", options->pass_outside ? "1" : getenv("SUBCORE_PASS_OUTSIDE")},
        {"SUBCORE_SOURCES", options->source ? e->sources : getenv("SUBCORE_SOURCES")},
        {"SUBCORE_ACTIVITIES", options->perfetto ? e->activities : getenv("SUBCORE_ACTIVITIES")},
        {"SUBCORE_SCHEDULE", options->schedule ? e->schedule : getenv("SUBCORE_SCHEDULE")},
        {"SUBCORE_SCHEDULE_OUT", options->schedule_out ? e->schedule_out : getenv("SUBCORE_SCHEDULE_OUT")},
        {"SUBCORE_FINDINGS", options->check ? e->findings : getenv("SUBCORE_FINDINGS")},
        {"SUBCORE_TRACE", options->record ? e->traces.pattern : getenv("SUBCORE_TRACE")},
        {"SUBCORE_TRACE_ONLY", options->only.count ? e->only : getenv("SUBCORE_TRACE_ONLY")},
        {"LD_LIBRARY_PATH", e->path},
        {"LD_PRELOAD", program->preload ? e->preload : getenv("LD_PRELOAD")},
        {NULL, NULL},
    };
    char **argv = calloc(options->operands.count + 1, sizeof *argv);
    if (!argv)
        return status_fail(status, STATUS_MEMORY, "no memory for the command line");
    for (size_t i = 0; i < options->operands.count; i++)
        argv[i] = (char *)(uintptr_t)options->operands.items[i];
    struct child child = {.path = program->path, .argv = argv, .variables = variables, .on_pipe = on_pipe};
    child.output_to_error = options->json && strcmp(options->json, "-") == 0;
    double start = progress_clock();
    bool ok = child_run(&child, &run->exit_status, status);
    run->seconds = progress_clock() - start;
    free(argv);
    return ok;
}

static void say_end(const struct exec_run *run, FILE *out)
{
    int signal = run->exit_status - CHILD_SIGNAL;
    if (progress_possible() && signal > 0)
        fputs("\r\033[K", out); /* of a progress line */
    if (signal > 0 && signal <= SIGRTMAX)
        fprintf(out, "subcore: %.300s was ended by signal %d (%s)\n", run->program, signal, strsignal(signal));
}

/* Names the kernels that the program's processes were running, and records that could not be written. */
static void say_running(const struct exec_run *run, FILE *out, struct status *status)
{
    struct live_place places[LIVE_PROCESSES];
    size_t count = live_read(run->records, places);
    for (size_t i = 0; i < count; i++) {
        char words[LIVE_TEXT];
        exec_report_failed(places[i].record_error, status);
        if (!places[i].running)
            continue;
        live_text(&places[i], words);
        fprintf(out, "subcore: process %d was inside of kernel %s%s\n", atomic_load(&places[i].process), words,
                places[i].spins ? "; its warps went round without a change, see above" : "");
    }
}

/* The rule as --detailed and --only take it. */
static void print_rule(const struct selection_rule *rule, FILE *out)
{
    fprintf(out, "%.200s", rule->kernel);
    if (rule->first == 0 && rule->last == UINT64_MAX)
        return;
    fprintf(out, ":%" PRIu64, rule->first);
    if (rule->last == UINT64_MAX)
        fputc('-', out);
    else if (rule->last > rule->first)
        fprintf(out, "-%" PRIu64, rule->last);
}

/* A name that no launch had is a mistake, most likely. */
static void say_unused(const struct exec_run *run, const char *option, const struct selection *selection, FILE *out)
{
    for (size_t r = 0; r < selection->count; r++) {
        bool used = false;
        for (size_t i = 0; i < run->launches.kernel_count; i++) {
            const struct launch_sums *s = &run->launches.kernels[i];
            used |=
                selection_rule_is(&selection->rules[r], s->mangled, s->name) && s->launches > selection->rules[r].first;
        }
        if (used)
            continue;
        fprintf(out, "subcore: --%s ", option);
        print_rule(&selection->rules[r], out);
        fputs(": there was no such launch\n", out);
    }
}

/* Says how many launches --nvtx has left out, and names its rules that fit no range. */
static void say_ranges(const struct exec_run *run, const struct cli_list *rules, bool quiet, FILE *out)
{
    struct live_place places[LIVE_PROCESSES];
    size_t count = rules->count > 0 ? live_read(run->records, places) : 0;
    uint64_t left_out = 0;
    for (size_t i = 0; i < count; i++)
        left_out += places[i].left_out;
    if (left_out > 0 && !quiet)
        fprintf(out, "subcore: --nvtx: %" PRIu64 " launch%s outside of the ranges %s only executed\n", left_out,
                left_out == 1 ? "" : "es", left_out == 1 ? "was" : "were");
    for (size_t i = 0; i < rules->count; i++) {
        bool used = false;
        for (size_t k = 0; k < run->ranges->rows && !used; k++)
            used = run->ranges->row[k].ranges > 0 &&
                   range_is(rules->items[i], run->ranges->row[k].domain, run->ranges->row[k].name);
        if (!used)
            fprintf(out, "subcore: --nvtx %.200s: there was no such range\n", rules->items[i]);
    }
}

/* The launches that options name. */
struct selections {
    struct selection detailed, only;
};

static void report(const struct cli_options *options, const struct selections *selections, struct exec_run *run,
                   struct status *status)
{
    say_end(run, stderr);
    say_running(run, stderr, status);
    exec_report_read(run, status);
    if (!options->quiet && run->launches.count > 0) {
        fprintf(stderr, "\nsubcore: ");
        launches_print(&run->launches, run->config, stderr);
        exec_report_print_overlaps(run, stderr);
        range_sum_print(run->ranges, run->launches.seconds, stderr);
    }
    say_unused(run, "detailed", &selections->detailed, stderr);
    say_ranges(run, &options->nvtx, options->quiet, stderr);
    say_unused(run, "only", &selections->only, stderr);
    if (run->sources && !options->quiet)
        source_sum_report(run->sources, false, stderr, NULL);
    if (run->checks && !options->quiet)
        check_report(run->checks, stderr, NULL, &(struct status){0});
    if (options->report)
        exec_report_write(run, options->report, status);
    if (options->perfetto)
        exec_report_perfetto(run, options->perfetto, status);
    if (options->json || options->html)
        exec_report_json(run, options->json, options->html, options->baseline, status);
}

static bool load_config(struct config *config, const char *gpu, const struct cli_options *options,
                        struct status *status)
{
    if (options->threads > 256)
        return status_fail(status, STATUS_USAGE, "--threads %u: at most 256", options->threads);
    struct plan plan;
    uint32_t checks;
    if (!session_checks(&checks, options, status))
        return false;
    if (!session_plan(&plan, options, status))
        return false;
    plan_free(&plan);
    return session_config(config, gpu, &options->set, status);
}

static bool run_program(const struct cli_options *options, const struct selections *selections, int *exit_status,
                        struct status *status)
{
    const char *preset = getenv("SUBCORE_GPU");
    const char *gpu = options->gpu ? options->gpu : preset && *preset ? preset : "rtx-a6000";
    struct config config;
    struct exec_program program;
    struct environment environment = {0};
    if (!load_config(&config, gpu, options, status))
        return false;
    if (!exec_program_find(&program, options->operands.items[0], status)) {
        *exit_status = access(program.path, F_OK) == 0 ? CHILD_NOT_RUNNABLE : CHILD_NOT_FOUND;
        return false;
    }
    /* Temporary files are removed even if the reader has closed the pipe of the reports. */
    struct sigaction ignored = {.sa_handler = SIG_IGN}, on_pipe;
    sigaction(SIGPIPE, &ignored, &on_pipe);
    struct exec_run run = {.program = options->operands.items[0], .config = &config, .records = environment.records};
    struct check_found checks = {0};
    struct source_sum sources = {0};
    struct range_sum ranges = {0};
    run.ranges = &ranges;
    run.checks = options->check ? &checks : NULL;
    run.sources = options->source ? &sources : NULL;
    bool ok = exec_program_check(&program, &config, status) &&
              environment_make(&environment, options, gpu, &program, status) &&
              exec_report_folder(options->report, status) &&
              exec_traces_prepare(&environment.traces, options->record, status) &&
              exec_report_file(environment.records, status) && live_create(environment.records, status);
    snprintf(environment.sources, sizeof environment.sources, "%s.sources", environment.records);
    snprintf(environment.activities, sizeof environment.activities, "%s.activities", environment.records);
    run.activities = environment.activities;
    snprintf(environment.ranges, sizeof environment.ranges, "%s.ranges", environment.records);
    snprintf(environment.findings, sizeof environment.findings, "%s.findings", environment.records);
    if (ok && run_child(options, &program, &environment, &on_pipe, &run, status)) {
        check_collect(&checks, environment.findings, status);
        source_sum_read(&sources, environment.sources, status);
        range_sum_read(&ranges, environment.ranges, status);
        report(options, selections, &run, status);
        exec_traces_collect(&environment.traces, &run.launches, options->quiet ? NULL : stderr, status);
    }
    int found = check_exit(&checks, options->error_exitcode);
    *exit_status = found ? found : run.exit_status;
    check_found_free(&checks);
    source_sum_free(&sources);
    range_sum_free(&ranges);
    exec_report_forget(environment.records);
    sigaction(SIGPIPE, &on_pipe, NULL);
    exec_report_free(&run);
    environment_free(&environment);
    return status->code == STATUS_OK;
}

static bool run(const struct cli_options *options, int *exit_status, struct status *status)
{
    struct selections selections = {0};
    if (options->only.count && !options->record)
        return status_fail(status, STATUS_USAGE, "--only chooses the launches that --record records");
    if (options->source && (options->functional || options->record))
        return status_fail(status, STATUS_USAGE, "--source shows cycles: it does not go with %s",
                           options->functional ? "--functional" : "--record");
    if (options->end && !options->until_cycles && !options->until_insts)
        return status_fail(status, STATUS_USAGE, "--end ends the program at --until-cycles or --until-insts");
    if (!schedules_check(options, status))
        return false;
    if (session_selection(&selections.detailed, &options->detailed, status) &&
        session_selection(&selections.only, &options->only, status))
        run_program(options, &selections, exit_status, status);
    selection_free(&selections.detailed);
    selection_free(&selections.only);
    return status->code == STATUS_OK;
}

const struct command command_exec = {
    .name = "exec",
    .operands = "PROGRAM [WORD]...",
    .summary = "run a CUDA program on the simulated GPU",
    .text = text,
    .options = CLI_OPTIONS_FIRST | CLI_BIT(GPU) | CLI_BIT(SET) | FIDELITY_OPTIONS | CLI_BIT(FUNCTIONAL) |
               CLI_BIT(DETAILED) | CLI_BIT(NVTX) | CLI_BIT(SOURCE) | CLI_BIT(RECORD) | CLI_BIT(ONLY) | CHECK_OPTIONS |
               LIMIT_OPTIONS | CLI_BIT(END) | CHOICE_OPTIONS | CLI_BIT(SERIAL_STREAMS) | CLI_BIT(REPORT) |
               CLI_BIT(THREADS) | CLI_BIT(QUIET) | CLI_BIT(JSON) | PAGE_OPTIONS | CLI_BIT(PERFETTO) | SCHEDULE_OPTIONS |
               CLI_BIT(RANGE) | CLI_BIT(BOUND) | CLI_BIT(HELP),
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .run_other = run,
};
