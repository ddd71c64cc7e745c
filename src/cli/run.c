#include <stdlib.h>
#include <string.h>

#include "cli/argument_list.h"
#include "cli/code/source.h"
#include "cli/command.h"
#include "cli/document.h"
#include "cli/fidelity.h"
#include "cli/load.h"
#include "cli/report/check_report.h"
#include "cli/report/hazard_report.h"
#include "cli/session.h"
#include "report/report.h"
#include "report/samples.h"

enum { MOST_LAUNCHES = 10000 };

static const char text[] =
    "FILE is a cubin, a fatbin, or a program that nvcc made. If it has several images, the one that suits the\n"
    "GPU runs; with --functional, if none does, the newest. A file *.sass is assembled first. The name of the\n"
    "kernel may be left out if there is only one. --csv writes the table of --source.\n"
    "\n"
    "Arguments, one --arg for each parameter, in order\n"
    "  TYPE:VALUE                  a number: i32:5  f32:1.5  u64:0x100\n"
    "  TYPE[COUNT]=PATTERN         an array in device memory; the kernel gets its address\n"
    "  TYPE[COUNT]=PATTERN>FILE    the same, written to FILE after the run (like --out)\n"
    "  hex:DIGITS                  bytes as they lie in memory, for a parameter that is a struct\n"
    "  null                        a null pointer\n"
    "  TYPE is u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 or f64.\n"
    "  PATTERN is\n"
    "    zero          all bits 0\n"
    "    VALUE         all elements alike\n"
    "    iota          0, 1, 2, ...\n"
    "    seed:N        uniform random: floats in [0,1), integers over their whole range\n"
    "    seed:N%M      whole numbers from 0 to M-1\n"
    "    file:PATH     the bytes of a file, little-endian, of exactly the array's size\n"
    "\n"
    "Example: y = a * x + y over 65536 elements\n"
    "  subcore run saxpy.cubin --grid 64 --block 256 --arg f32:2 \\\n"
    "      --arg 'f32[65536]=seed:1' --arg 'f32[65536]=iota>y.bin' --arg u32:65536\n";

static bool too_many_kernels(const struct cubin *cubin, struct status *status)
{
    char names[320] = "";
    size_t used = 0;
    for (size_t i = 0; i < cubin->kernel_count && used + 8 < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", cubin->kernels[i].name);
    return status_fail(status, STATUS_USAGE, "%.80s has %zu kernels; choose with --kernel: %s", cubin->path,
                       cubin->kernel_count, names);
}

static const struct cubin_kernel *choose(const struct cubin *cubin, const char *name, struct status *status)
{
    if (name)
        return cubin_find_kernel(cubin, name, status);
    if (cubin->kernel_count == 1)
        return &cubin->kernels[0];
    too_many_kernels(cubin, status);
    return NULL;
}

static bool check_dims(const struct cli_options *options, struct status *status)
{
    if (options->grid[0] == 0)
        return status_fail(status, STATUS_USAGE, "run needs --grid X[,Y[,Z]], the number of CTAs");
    if (options->block[0] == 0)
        return status_fail(status, STATUS_USAGE, "run needs --block X[,Y[,Z]], the threads of a CTA");
    if (options->source && options->functional)
        return status_fail(status, STATUS_USAGE, "--source shows cycles: it does not go with --functional");
    if (options->csv && !options->source)
        return status_fail(status, STATUS_USAGE, "--csv is for the instructions of --source");
    if (options->repeat > MOST_LAUNCHES)
        return status_fail(status, STATUS_USAGE, "--repeat %u: at most %d", options->repeat, MOST_LAUNCHES);
    return true;
}

/* Arrays come from the host. */
static bool note_copies(const struct argument_list *list, struct gpu *gpu, struct status *status)
{
    bool ok = true;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].address)
            ok = ok && gpu_trace_copy(gpu, list->items[i].address, argument_array_bytes(&list->items[i]), 0, status);
    return ok;
}

/* ---- the launches ------------------------------------------------------------------------------------------------ */

/* Launches of the kernel, those that ran, in order. */
struct launches {
    struct kernel_result *result; /* owned */
    size_t count;
};

static const struct kernel_result *last_of(const struct launches *l) { return &l->result[l->count - 1]; }

/* One launch: its report. Several: a line each, and the report of the last. */
static void print_launches(const struct launches *l, const struct config *config, FILE *out)
{
    if (l->count > 1) {
        report_line_heading(out);
        for (size_t i = 0; i < l->count; i++)
            report_line(&l->result[i], config, i, out);
        fputs("\nThe last launch:\n\n", out);
    }
    report_text(last_of(l), config, out);
}

static void write_launches(const struct session *session, const struct launches *l, struct document *document,
                           const struct status *status)
{
    struct json *json = &document->json;
    document_error(document, status);
    document_hash(json, "memory_digest", memory_digest(gpu_memory(session->gpu)));
    json_array(json, "kernels");
    for (size_t i = 0; i < l->count; i++)
        report_json(&l->result[i], &session->config, json, NULL);
    json_end(json);
    if (session->samples.sample)
        report_samples_json(&session->samples, last_of(l), l->count - 1, json, "samples");
}

/* Everything after the kernel has run or stopped. */
static void finish(const struct cli_options *options, struct session *session, const struct gpu_launch *launch,
                   const struct argument_list *list, const struct launches *l, struct document *document,
                   struct status *status)
{
    bool csv_on_output = options->csv && strcmp(options->csv, "-") == 0;
    FILE *out = document_text_stream(csv_on_output ? options->csv : options->json, options->quiet);
    struct json *json = document->wanted ? &document->json : NULL;
    struct status after = {0};
    if (out)
        print_launches(l, &session->config, out);
    bool whole = status->code == STATUS_OK && !result_is_cut(last_of(l));
    argument_list_finish(list, gpu_memory(session->gpu), whole, out, json, &after);
    if (session->lines.count)
        source_report(launch->module, launch->kernel, &session->lines, options->source ? out : NULL, options->csv, json,
                      &after);
    if (session->options.hazards)
        hazard_report(&session->hazards, &launch->module->cubin, out, json, status);
    if (session->options.check)
        check_report(&session->check.found, out, json, status);
    if (json) {
        write_launches(session, l, document, status);
        document_commit(document, &after);
    }
    timelines_write(&session->timelines,
                    &(struct timelines_run){launch->module, l->result, l->count, l->count - 1, &session->samples},
                    &after);
    session_finish(session, out, &after);
    if (after.code != STATUS_OK)
        status_fail(status, after.code, "%s", after.text);
}

/* Launches the kernel as often as --repeat says, to the first launch that fails or is cut. */
static bool launch_all(const struct cli_options *options, struct session *session, const struct gpu_launch *launch,
                       struct launches *l, struct status *status)
{
    size_t wanted = options->repeat ? options->repeat : 1;
    l->result = calloc(wanted, sizeof *l->result);
    if (!l->result)
        return status_fail(status, STATUS_MEMORY, "no memory for the results of %zu launches", wanted);
    while (l->count < wanted) {
        struct kernel_result *result = &l->result[l->count];
        bool ok = session_launch(session, launch, result, status);
        l->count += ok || session_ran(result);
        if (!ok)
            return false;
        if (result_is_cut(result))
            break;
    }
    return session_complete(session, status);
}

static bool launch(const struct cli_options *options, struct session *session, struct argument_list *list,
                   struct status *status)
{
    struct exec_module *module = load_module(session->gpu, options->operands.items[0], options->functional, status);
    const struct cubin_kernel *kernel = module ? choose(&module->cubin, options->kernel, status) : NULL;
    struct document document;
    if (!kernel || !argument_list_place(list, kernel, gpu_memory(session->gpu), status) ||
        !note_copies(list, session->gpu, status) ||
        !document_begin_page(&document, options->json, options->html, options->baseline, status))
        return false;
    struct gpu_launch launch = {
        .module = module,
        .kernel = kernel->name,
        .grid = {options->grid[0], options->grid[1], options->grid[2]},
        .block = {options->block[0], options->block[1], options->block[2]},
        .cluster = {options->cluster[0], options->cluster[1], options->cluster[2]},
        .dynamic_shared_bytes = options->shared,
        .parameters = list->parameters,
        .parameter_bytes = list->parameter_bytes,
    };
    struct launches launches = {0};
    bool ok = launch_all(options, session, &launch, &launches, status);
    if (launches.count == 0 || (!ok && session_refused(session)))
        document_abandon(&document);
    else
        finish(options, session, &launch, list, &launches, &document, status);
    free(launches.result);
    return status->code == STATUS_OK;
}

/* Launches follow each other as in a program: lines that the first leaves in caches are there. --set counts more. */
static bool keep_caches(struct cli_options *options, struct status *status)
{
    static const char *const kept[] = {"l2.keep=true", "icache.keep=true", "tlb.keep=true"};
    enum { KEPT = sizeof kept / sizeof *kept };
    const char **all = calloc(KEPT + options->set.count, sizeof *all);
    if (!all)
        return status_fail(status, STATUS_MEMORY, "no memory for the command line");
    for (size_t i = 0; i < KEPT; i++)
        all[i] = kept[i];
    for (size_t i = 0; i < options->set.count; i++)
        all[KEPT + i] = options->set.items[i];
    options->set = (struct cli_list){all, KEPT + options->set.count};
    return true;
}

static bool run(const struct cli_options *given, int *exit_status, struct status *status)
{
    struct argument_list list;
    struct session session = {0};
    struct cli_options options = *given;
    if (options.repeat && !keep_caches(&options, status))
        return false;
    bool ok = argument_list_parse(&list, &options, status) && check_dims(&options, status) &&
              session_begin(&session, &options, status) && launch(&options, &session, &list, status);
    *exit_status = check_exit(&session.check.found, options.error_exitcode);
    session_end(&session);
    argument_list_free(&list);
    if (options.repeat)
        free(options.set.items);
    return ok;
}

const struct command command_run = {
    .name = "run",
    .operands = "FILE",
    .summary = "simulate a kernel of a cubin, fatbin or CUDA program",
    .text = text,
    .options = CLI_BIT(KERNEL) | CLI_BIT(GRID) | CLI_BIT(BLOCK) | CLI_BIT(CLUSTER) | CLI_BIT(SHARED) | CLI_BIT(ARG) |
               CLI_BIT(OUT) | SESSION_OPTIONS | FIDELITY_OPTIONS | CHECK_OPTIONS | LIMIT_OPTIONS | CHECKPOINT_OPTIONS |
               CLI_BIT(SOURCE) | CLI_BIT(SAMPLE) | CLI_BIT(REPEAT) | CLI_BIT(CSV) | CLI_BIT(JSON) | PAGE_OPTIONS |
               TIMELINE_OPTIONS | SCHEDULE_OPTIONS | CLI_BIT(RANGE) | CLI_BIT(BOUND) | CLI_BIT(HELP),
    .operands_min = 1,
    .operands_max = 1,
    .file = 1,
    .run_other = run,
};
