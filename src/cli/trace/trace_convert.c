#include <inttypes.h>
#include <string.h>

#include "accelsim/accelsim.h"
#include "accelsim/export.h"
#include "accelsim/stock.h"
#include "cli/document.h"
#include "cli/session.h"
#include "cli/trace/trace.h"
#include "report/format.h"

/* ---- native to Accel-Sim ----------------------------------------------------------------------------------------- */

static bool packing_of(const char *name, enum accelsim_packing *packing, struct status *status)
{
    static const char *const names[] = {
        [ACCELSIM_PLAIN] = "none", [ACCELSIM_XZ] = "xz", [ACCELSIM_GZ] = "gz", [ACCELSIM_TRACEZ] = "tracez"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!name || strcmp(names[i], name) == 0) {
            *packing = (enum accelsim_packing)i;
            return true;
        }
    }
    return status_fail(status, STATUS_USAGE, "--compress: '%.100s' is not none, xz, gz or tracez", name);
}

static bool check_version(const struct cli_options *options, enum accelsim_packing packing, struct status *status)
{
    unsigned version = options->trace_version;
    if (version != 0 && version != 5 && version != 6)
        return status_fail(status, STATUS_USAGE, "--trace-version: %u is not 5 or 6", version);
    return version != 5 || packing != ACCELSIM_TRACEZ ||
           status_fail(status, STATUS_USAGE, "--compress tracez is for version 6, not for --trace-version 5");
}

static void warn_version(const struct accelsim_written *r)
{
    if (r->without_table)
        trace_warn("Accel-Sim has no opcode table for binary version %u and will stop; --binary-version 86 names one "
                   "that it has",
                   r->without_table);
    else if (stock_version(r->binary_version) == STOCK_SINCE_2_0)
        trace_warn("Accel-Sim knows binary version %u only since its version 2.0", r->binary_version);
}

/* Accel-Sim knows a few operations on barrier objects. */
static void warn_version_6(const struct accelsim_written *r)
{
    if (r->version_6 > 0 && stock_version(r->binary_version) == STOCK_ALWAYS)
        trace_warn("%s of %s kernels are of trace version 6, which Accel-Sim reads since its version 2.0",
                   format_count(r->version_6).text, format_count(r->kernels).text);
    if (r->objects > 0)
        trace_warn("Accel-Sim stops at %s lines that read a barrier object or forget it (SYNCS.LD, SYNCS.CCTL)",
                   format_count(r->objects).text);
}

static void warn_unknown(const struct accelsim_written *r)
{
    char names[512] = "";
    size_t used = 0;
    uint64_t lines = 0;
    uint32_t told = r->unknown_count < WRITTEN_UNKNOWN ? r->unknown_count : WRITTEN_UNKNOWN;
    for (uint32_t i = 0; i < told; i++) {
        lines += r->unknown[i].lines;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s (%s)", i ? ", " : "", r->unknown[i].name,
                                     format_count(r->unknown[i].lines).text);
    }
    if (told > 0)
        trace_warn("Accel-Sim aborts at %u mnemonic%s in %s lines that its table of binary version %u does not have: "
                   "%s%s",
                   r->unknown_count, r->unknown_count == 1 ? "" : "s", format_count(lines).text, r->binary_version,
                   names, told < r->unknown_count ? ", ..." : "");
}

static void tell_copies(const struct accelsim_written *r)
{
    if (r->copies > 0)
        printf("Copies from the host: %s, joined to %s range%s\n", format_count(r->copies).text,
               format_count(r->ranges).text, r->ranges == 1 ? "" : "s");
    if (r->dropped > 0)
        printf("Copies behind the last kernel: %s, left out, since Accel-Sim aborts at them\n",
               format_count(r->dropped).text);
}

static void tell_written(const struct cli_options *options, const struct accelsim_written *r, uint64_t damaged)
{
    if (!options->quiet) {
        printf("%s/kernelslist.g: %s kernel%s, %s warp instructions, %s of text, binary version %u\n", options->output,
               format_count(r->kernels).text, r->kernels == 1 ? "" : "s", format_count(r->instructions).text,
               format_size(r->bytes).text, r->binary_version);
        tell_copies(r);
    }
    warn_version(r);
    warn_version_6(r);
    warn_unknown(r);
    if (r->sources > 0)
        trace_warn("%s lines have more than the four source registers that Accel-Sim reads: the others are left out",
                   format_count(r->sources).text);
    if (damaged > 0)
        trace_warn("%s warps are damaged or missing: they end early", format_count(damaged).text);
    if (r->exits > 0)
        trace_warn("%s warps end without EXIT and were given one", format_count(r->exits).text);
}

/* With --keep-going also one without its end, if any kernel of it is whole. */
static struct trace_file *open_native(const struct cli_options *options, const char *path, struct status *status)
{
    struct status damage = {0};
    struct trace_file *file = trace_input(path, options->keep_going ? &damage : NULL, status);
    if (file && damage.code != STATUS_OK && trace_kernels(file) == 0) {
        trace_close(file);
        status_fail(status, damage.code, "%s", damage.text);
        return NULL;
    }
    if (file && damage.code != STATUS_OK)
        trace_warn("%s; the undamaged part is converted", damage.text);
    return file;
}

static bool to_accelsim(const struct cli_options *options, const char *path, struct status *status)
{
    struct trace_work work;
    struct accelsim_export export = {
        .format = {.binary_version = options->binary_version, .version = options->trace_version, .code = true},
        .keep_going = options->keep_going,
        .progress = trace_work_show,
        .context = &work,
    };
    struct accelsim_written report = {0};
    uint64_t damaged = 0;
    if (!packing_of(options->compress, &export.format.packing, status) ||
        !check_version(options, export.format.packing, status))
        return false;
    struct trace_file *file = open_native(options, path, status);
    if (!file)
        return false;
    trace_work_begin(&work, "convert", options->quiet);
    export.stop = work.stop;
    bool ok = accelsim_export(file, options->output, &export, &report, &damaged, status);
    trace_work_end(&work);
    if (ok)
        tell_written(options, &report, damaged);
    trace_close(file);
    return ok;
}

/* ---- Accel-Sim to native ----------------------------------------------------------------------------------------- */

static void warn(void *self, const char *text)
{
    trace_work_end(self);
    trace_warn("%s", text);
}

static bool to_native(const struct cli_options *options, const char *path, struct status *status)
{
    struct trace_work work;
    struct accelsim_options how = {
        .code = options->code,
        .ignore_code = options->no_code,
        .keep_going = options->keep_going,
        .last = UINT64_MAX,
        .self = &work,
        .warn = warn,
        .progress = trace_work_show,
    };
    struct accelsim_report report = {0};
    const struct trace_origin origin = {.program = path, .source = "Accel-Sim trace"};
    if (!session_architecture(&how.architecture, options, status))
        return false;
    struct trace_writer *writer =
        trace_spares(path, options->output, status) ? trace_writer_create(options->output, &origin, status) : NULL;
    if (!writer)
        return false;
    trace_work_begin(&work, "convert", options->quiet);
    work.progress.unit = "bytes";
    how.stop = work.stop;
    bool ok = accelsim_convert(path, writer, &how, &report, status);
    trace_work_end(&work);
    ok = ok && trace_writer_finish(writer, status);
    trace_writer_destroy(writer);
    if (ok && !options->quiet)
        printf("%s: %s kernel%s, %s warp instructions; machine code of %s\n", options->output,
               format_count(report.kernels).text, report.kernels == 1 ? "" : "s",
               format_count(report.instructions).text,
               report.with_code == report.kernels ? "all" : format_count(report.with_code).text);
    return ok;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

bool trace_convert(const struct cli_options *options, const char *path, struct status *status)
{
    bool list = accelsim_is_list(path);
    bool accelsim = options->to ? strcmp(options->to, "accelsim") == 0 : !list;
    if (options->to && !accelsim && strcmp(options->to, "native") != 0)
        return status_fail(status, STATUS_USAGE, "--to: '%.100s' is not native or accelsim", options->to);
    if (!options->output)
        return status_fail(status, STATUS_USAGE, "trace convert needs --output: the %s to write",
                           accelsim ? "folder" : "file");
    if (strcmp(options->output, "-") == 0)
        return status_fail(status, STATUS_USAGE, "a trace cannot be written to standard output: name a %s",
                           accelsim ? "folder" : "file");
    if (list == accelsim)
        return status_fail(status, STATUS_USAGE, "%.300s is %s trace already", path,
                           list ? "an Accel-Sim" : "a native");
    if (accelsim && (options->gpu || options->code || options->no_code))
        return status_fail(status, STATUS_USAGE,
                           "%.300s: --gpu, --code and --no-code are for traces for Accel-Sim; this one has its code",
                           path);
    return accelsim ? to_accelsim(options, path, status) : to_native(options, path, status);
}
