/* Replays the kernels of a trace with time. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace/replay.h"

#include "cli/command.h"
#include "cli/document.h"
#include "cli/fidelity.h"
#include "cli/report/hazard_report.h"
#include "report/format.h"
#include "report/report.h"

static const char text[] =
    "FILE is a trace that 'subcore record' or 'subcore exec --record' has written, or the command list\n"
    "(kernelslist.g) or a kernel's file of a trace for Accel-Sim. Its kernels are simulated in the order of\n"
    "their streams, with the cycles of their execution. A trace holds instructions, lanes and addresses, but\n"
    "no values. Kernels of different streams overlap. Without --gpu the GPU is the one that the trace was\n"
    "recorded for. A kernel starts with cold caches, so that copies between kernels change nothing.\n"
    "\n"
    "Examples\n"
    "  subcore record -o app.trace -- ./app 1024\n"
    "  subcore replay app.trace --report app.report\n"
    "  subcore replay traces/kernelslist.g --code ./app --gpu a100\n";

/* ---- which GPU --------------------------------------------------------------------------------------------------- */

/* The name of this product's configuration; NULL when there is none. */
static const char *configuration_of(const char *product)
{
    for (size_t i = 0; product[0] && i < config_gpu_count(); i++) {
        struct config config;
        struct status status = {0};
        const char *name = config_gpu_name(i);
        if (config_load(&config, name, &status) && (!strcmp(config.gpu.name, product) || !strcmp(name, product)))
            return name;
    }
    return NULL;
}

/* Of the first kernel's code (0: there is none). */
static uint32_t architecture_of(struct trace_file *file)
{
    struct status ignored = {0};
    struct trace_kernel *kernel = trace_kernels(file) > 0 ? trace_kernel_open(file, 0, &ignored) : NULL;
    uint32_t architecture = kernel ? trace_kernel_launch(kernel)->architecture : 0;
    trace_kernel_close(kernel);
    return architecture;
}

/* The GPU for code of an architecture: of the highest one that is not above, or of the lowest. */
static const char *configuration_for(uint32_t architecture)
{
    static const struct {
        uint32_t architecture;
        const char *gpu;
    } usual[] = {{60, "p100"},      {61, "gtx-1080-ti"}, {70, "v100-sxm2"}, {75, "rtx-2080-ti"}, {80, "a100"},
                 {86, "rtx-a6000"}, {89, "rtx-4090"},    {90, "h100-pcie"}, {100, "b200"},       {120, "rtx-5080"}};
    const char *gpu = usual[0].gpu;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (usual[i].architecture <= architecture)
            gpu = usual[i].gpu;
    return architecture > 0 ? gpu : NULL;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

static bool print_only(const struct exec_run *run, FILE *out, struct status *status)
{
    struct record_reader reader;
    struct launch_record *record = malloc(sizeof *record);
    if (!record)
        return status_fail(status, STATUS_MEMORY, "no memory for a launch record");
    if (record_open(&reader, run->records, status)) {
        if (record_next(&reader, record))
            report_text(&record->result, run->config, out);
        record_close(&reader);
    }
    free(record);
    return status->code == STATUS_OK;
}

static void print_conversion(const struct accelsim_report *c, FILE *out)
{
    fprintf(out, "A trace for Accel-Sim: code with control bits of %s of %s kernels\n", format_count(c->with_code).text,
            format_count(c->kernels).text);
    if (c->unknown_instructions == 0)
        return;
    fprintf(out, "%s of %s warp instructions have one of %u unknown mnemonics, timed like others of their shape:",
            format_count(c->unknown_instructions).text, format_count(c->instructions).text, c->unknown_mnemonics);
    for (uint32_t i = 0; i < c->unknown_mnemonics && i < ACCELSIM_NAMES; i++)
        fprintf(out, " %s", c->unknown[i]);
    fputs(c->unknown_mnemonics > ACCELSIM_NAMES ? " ...\n" : "\n", out);
}

/* One launch: its report. Several: the table. */
static void print(const struct replay *r, FILE *out, struct status *status)
{
    if (r->run.launches.count == 1)
        print_only(&r->run, out, status);
    else if (r->run.launches.count > 1)
        launches_print(&r->run.launches, r->run.config, out);
    exec_report_print_overlaps(&r->run, out);
    if (r->left_out > 0 && r->run.launches.count > 0)
        fprintf(out, "%s launch%s left out\n", format_count(r->left_out).text, r->left_out == 1 ? "" : "es");
    if (r->copies > 0 && r->run.launches.count > 0)
        fprintf(out, "%s cop%s of %s bytes before kernels: without effect, caches are cold when a kernel starts\n",
                format_count(r->copies).text, r->copies == 1 ? "y" : "ies", format_count(r->bytes).text);
    if (r->chosen_for > 0 && r->run.launches.count > 0)
        fprintf(out, "On %s, chosen for the first kernel's sm_%u: --gpu takes another\n", r->session.config.gpu.name,
                r->chosen_for);
    if (r->converted)
        print_conversion(&r->conversion, out);
    uint64_t damaged = replay_damaged(r);
    if (damaged > 0)
        fprintf(out, "DAMAGED: %s kernel%s of the trace, see above\n", format_count(damaged).text,
                damaged == 1 ? "" : "s");
}

static void report(struct replay *r, const struct cli_options *options, struct status *status)
{
    struct status failed = *status; /* the part that was reached is reported all the same */
    FILE *out = document_text_stream(options->json, options->quiet);
    *status = (struct status){0};
    exec_report_read(&r->run, status);
    if (out)
        print(r, out, status);
    if (options->check_hazards)
        hazard_report(&r->session.hazards, NULL, out, NULL, status);
    if (options->source && out)
        source_sum_report(&r->sources, true, out, NULL);
    r->run.sources = options->source ? &r->sources : NULL;
    if (options->report)
        exec_report_write(&r->run, options->report, status);
    if (options->perfetto)
        exec_report_perfetto(&r->run, options->perfetto, status);
    if (options->json || options->html)
        exec_report_json(&r->run, options->json, options->html, options->baseline, status);
    if (failed.code != STATUS_OK)
        *status = failed;
}

static bool replay_file(struct replay *r, const struct cli_options *options, struct status *status)
{
    struct cli_options chosen = *options;
    if (!chosen.gpu)
        chosen.gpu = configuration_of(trace_origin_gpu(r->file));
    if (!chosen.gpu) {
        r->chosen_for = architecture_of(r->file);
        chosen.gpu = configuration_for(r->chosen_for);
    }
    chosen.html = options->source ? r->run.trace : NULL; /* a page looks closely only where kernels are alone */
    if (!session_begin(&r->session, &chosen, status) ||
        !checkpoint_trace(&r->session.checkpoint, r->file, r->run.trace, status) ||
        !exec_report_folder(options->report, status) || !exec_report_file(r->records, status))
        return false;
    r->run.config = &r->session.config;
    recorder_init(&r->recorder, r->records, options->quiet);
    double start = progress_clock();
    replay_launches(r, options, status);
    r->run.seconds = progress_clock() - start;
    exec_report_failed(r->recorder.error, status);
    recorder_close(&r->recorder);
    if (!session_refused(&r->session))
        report(r, options, status);
    struct status written = {0};
    if (!schedules_write(&r->session.schedules, &written))
        status_fail(status, written.code, "%s", written.text);
    exec_report_forget(r->records);
    exec_report_free(&r->run);
    return status->code == STATUS_OK;
}

static void warn(void *self, const char *line)
{
    struct replay *r = self;
    trace_work_end(&r->work);
    fprintf(stderr, "subcore: %s\n", line);
}

static void miss(void *self, uint64_t launch)
{
    struct replay *r = self;
    uint64_t *grown = realloc(r->missing, (r->missing_count + 1) * sizeof *grown);
    r->missing_failed |= !grown;
    if (!grown)
        return;
    r->missing = grown;
    r->missing[r->missing_count++] = launch;
}

static void show_conversion(void *self, uint64_t bytes, uint64_t all)
{
    struct replay *r = self;
    trace_work_show(&r->work, bytes, all);
}

static struct trace_file *open_trace(struct replay *r, const struct cli_options *options, struct status *status)
{
    struct accelsim_options conversion = ACCELSIM_DEFAULTS;
    r->converted = accelsim_is_list(r->run.trace);
    if (!r->converted && (options->code || options->no_code)) {
        status_fail(status, STATUS_USAGE,
                    "%s: --code and --no-code are for traces for Accel-Sim; this one has its code", r->run.trace);
        return NULL;
    }
    if (!r->converted) {
        struct trace_file *file = trace_input(r->run.trace, options->keep_going ? &r->lost : NULL, status);
        if (r->lost.code != STATUS_OK)
            fprintf(stderr, "subcore: %s; the undamaged part is replayed\n", r->lost.text);
        return file;
    }
    conversion.code = options->code;
    conversion.ignore_code = options->no_code;
    conversion.keep_going = options->keep_going;
    conversion.self = r;
    conversion.progress = show_conversion;
    conversion.warn = warn;
    conversion.left_out = miss;
    if (!session_architecture(&conversion.architecture, options, status))
        return NULL;
    trace_work_begin(&r->work, "convert", options->quiet);
    r->work.progress.unit = "bytes";
    conversion.stop = r->work.stop;
    struct trace_file *file = accelsim_open(r->run.trace, &conversion, &r->conversion, status);
    trace_work_end(&r->work);
    if (!file || !r->missing_failed)
        return file;
    trace_close(file);
    status_fail(status, STATUS_MEMORY, "%.300s: no memory for the numbers of its launches", r->run.trace);
    return NULL;
}

static bool run(const struct cli_options *options, struct status *status)
{
    struct replay *r = calloc(1, sizeof *r);
    if (!r)
        return status_fail(status, STATUS_MEMORY, "out of memory");
    r->run = (struct exec_run){.trace = options->operands.items[0], .records = r->records};
    r->file = open_trace(r, options, status);
    if (r->file) {
        replay_file(r, options, status);
        session_end(&r->session);
        trace_close(r->file);
    }
    source_sum_free(&r->sources);
    sample_sum_free(&r->so_far);
    free(r->missing);
    free(r);
    return status->code == STATUS_OK;
}

const struct command command_replay = {
    .name = "replay",
    .operands = "FILE",
    .summary = "simulate the kernels of a trace",
    .text = text,
    .options = CLI_BIT(GPU) | CLI_BIT(SET) | FIDELITY_OPTIONS | CLI_BIT(CHECK_HAZARDS) | CLI_BIT(SOURCE) |
               CLI_BIT(THREADS) | CLI_BIT(QUIET) | CLI_BIT(REPORT) | CLI_BIT(JSON) | PAGE_OPTIONS | CLI_BIT(PERFETTO) |
               SCHEDULE_OPTIONS | CLI_BIT(KEEP_GOING) | CLI_BIT(CODE) | CLI_BIT(NO_CODE) | CLI_BIT(SERIAL_STREAMS) |
               CLI_BIT(EVERY_LAUNCH) | LIMIT_OPTIONS | CHOICE_OPTIONS | CHECKPOINT_OPTIONS | CLI_BIT(RANGE) |
               CLI_BIT(BOUND) | CLI_BIT(HELP),
    .operands_min = 1,
    .operands_max = 1,
    .file = 1,
    .run = run,
};
