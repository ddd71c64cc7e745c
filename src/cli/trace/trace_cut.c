#include "cli/trace/recording.h"
#include "cli/trace/trace.h"
#include "plan/plan.h"
#include "trace/cut.h"

struct cutting {
    struct trace_work work;
    const struct trace_file *file;
    struct plan plan;
};

static bool keep(void *self, uint32_t kernel)
{
    struct cutting *c = self;
    struct trace_summary summary;
    trace_summary(c->file, kernel, &summary);
    return plan_launch(&c->plan, &(struct plan_launch){.kernel = summary.name}) == PLAN_TIME;
}

static bool choose(struct cutting *c, const char *kernels, struct status *status)
{
    c->plan = (struct plan){0};
    return !kernels || !*kernels || plan_add(&c->plan, "kernels", "--kernels", kernels, status);
}

static bool keeps_any(const struct trace_file *file, const char *kernels, struct status *status)
{
    struct cutting c = {.file = file};
    uint64_t kept = 0;
    if (!choose(&c, kernels, status))
        return false;
    for (uint32_t k = 0; k < trace_kernels(file); k++)
        kept += keep(&c, k);
    plan_free(&c.plan);
    return kept > 0 || status_fail(status, STATUS_USAGE, "--kernels: %.300s has none of them, only 0 to %u",
                                   trace_path(file), trace_kernels(file) - 1);
}

static void cut_progress(void *self, uint64_t done, uint64_t all)
{
    struct cutting *c = self;
    trace_work_show(&c->work, done, all);
}

/* The contents of the part. */
static bool tell(const struct cli_options *options, struct status *status)
{
    char text[RECORDING_TEXT];
    if (options->quiet)
        return true;
    if (!recording_describe(options->output, text, status))
        return false;
    printf("%s: %s\n", options->output, text);
    return true;
}

bool trace_cut_file(const struct cli_options *options, const char *path, struct status *status)
{
    struct cutting c = {0};
    if (!options->output)
        return status_fail(status, STATUS_USAGE, "trace cut needs --output: the file to write");
    if (!options->kernels && options->ctas == 0)
        return status_fail(status, STATUS_USAGE, "trace cut needs --kernels or --ctas: the part to keep");
    if (!trace_spares(path, options->output, status))
        return false;
    struct trace_file *file = trace_input(path, NULL, status);
    if (!file)
        return false;
    c.file = file;
    bool ok = keeps_any(file, options->kernels, status) && choose(&c, options->kernels, status);
    if (ok) {
        trace_work_begin(&c.work, "cut", options->quiet);
        const struct trace_cut cut = {
            .keep = keep, .ctas = options->ctas, .progress = cut_progress, .self = &c, .stop = c.work.stop};
        ok = trace_cut(file, options->output, &cut, status);
        trace_work_end(&c.work);
        plan_free(&c.plan);
    }
    trace_close(file);
    return ok && tell(options, status);
}
