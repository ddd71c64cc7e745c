#include "cli/trace/recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "report/format.h"
#include "trace/reader.h"

bool recording_begin(struct recording *r, const struct cli_options *options, const struct config *config,
                     struct status *status)
{
    *r = (struct recording){.path = options->record};
    recorder_init(&r->counts, NULL, true);
    if (!options->record)
        return true;
    const struct trace_origin origin = {
        .program = options->operands.count ? options->operands.items[0] : NULL,
        .gpu = config->gpu.name,
        .source = options->timed ? "timed execution" : "functional execution",
    };
    if (session_selection(&r->only, &options->only, status))
        r->writer = trace_writer_create(options->record, &origin, status);
    return r->writer != NULL;
}

bool recording_wants(const struct recording *r, const char *kernel)
{
    return r->writer && (!r->only.count || selection_names(&r->only, kernel, record_number(&r->counts, kernel)));
}

void recording_launched(struct recording *r, const char *kernel, bool wanted, const struct kernel_result *result)
{
    const struct launch_info info = {.kernel = kernel};
    if (!r->writer)
        return;
    record_launch(&r->counts, &info, result);
    r->launches += wanted;
}

bool recording_finish(struct recording *r, FILE *out, struct status *status)
{
    char text[RECORDING_TEXT];
    if (!r->writer)
        return true;
    if (!r->launches)
        return status_fail(status, STATUS_USAGE, "%.200s: there was no launch to record%s, and no trace is written",
                           r->path, r->only.count ? " that --only names" : "");
    bool ok = trace_writer_finish(r->writer, status) && recording_describe(r->path, text, status);
    if (ok && out)
        fprintf(out, "Trace: %s: %s\n", r->path, text);
    return ok;
}

void recording_free(struct recording *r)
{
    trace_writer_destroy(r->writer);
    selection_free(&r->only);
    recorder_close(&r->counts);
    *r = (struct recording){0};
}

bool recording_describe(const char *path, char text[static RECORDING_TEXT], struct status *status)
{
    struct trace_file *file = trace_open(path, status);
    if (!file)
        return false;
    const struct trace_totals t = trace_totals(file);
    trace_close(file);
    int used =
        snprintf(text, RECORDING_TEXT, "%s launch%s, %s warp instructions, %s (%.2f bytes an instruction)",
                 format_count(t.kernels).text, t.kernels == 1 ? "" : "es", format_count(t.instructions).text,
                 format_traffic((double)t.bytes).text, t.instructions ? (double)t.bytes / (double)t.instructions : 0);
    if (t.incomplete && used > 0)
        snprintf(text + used, RECORDING_TEXT - (size_t)used, "; %" PRIu64 " of them incomplete", t.incomplete);
    return true;
}
