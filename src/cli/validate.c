#include <string.h>

#include "cli/command.h"
#include "cli/demo.h"
#include "cli/document.h"
#include "cli/suggest.h"
#include "report/format.h"

struct work {
    const struct cli_options *options;
    struct session session;
    FILE *out;       /* NULL: no text */
    unsigned ran;    /* runs of workloads */
    unsigned failed; /* of these */
    struct status *status;
};

static void list_workloads(void)
{
    size_t count;
    const struct workload *const *all = workload_list(&count);
    for (size_t i = 0; i < count; i++)
        printf("%-20s %-24s %s\n", all[i]->name, all[i]->class, all[i]->summary);
}

static const struct workload *find_workload(const char *name, struct status *status)
{
    struct suggest suggest = suggest_begin(name);
    size_t count;
    const struct workload *const *all = workload_list(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
        suggest_try(&suggest, all[i]->name);
    }
    const char *best = suggest_best(&suggest);
    status_fail(status, STATUS_USAGE,
                "there is no kernel '%.60s' to validate with%s%s%s; see 'subcore validate --list'", name,
                best ? ", did you mean " : "", best ? best : "", best ? "?" : "");
    return NULL;
}

static bool wants_size(const struct cli_options *options, enum workload_size size)
{
    for (size_t i = 0; i < options->size.count; i++)
        if (strcmp(options->size.items[i], workload_size_name(size)) == 0)
            return true;
    return options->size.count == 0;
}

static bool wants(const struct cli_options *options, const struct workload *workload)
{
    for (size_t i = 0; i < options->operands.count; i++)
        if (strcmp(options->operands.items[i], workload->name) == 0)
            return true;
    return options->operands.count == 0;
}

static void print_run(const struct work *w, const struct workload *workload, enum workload_size size,
                      const struct demo_run *run, const struct status *status)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct kernel_result *r = &run->results[i];
        fprintf(w->out, "%-20s %-7s %3zu  %-24.24s %12s %12s %10s\n", workload->name, workload_size_name(size), i,
                r->kernel, format_count(r->warp_instructions).text, format_count(r->cycles).text,
                format_time(r->host_seconds).text);
    }
    if (status->code != STATUS_OK)
        fprintf(w->out, "%-20s %-7s FAILED: %s\n", workload->name, workload_size_name(size), status->text);
    fflush(w->out);
}

/* False: the run of all ends here. */
static bool run_workload(struct work *w, const struct workload *workload, enum workload_size size)
{
    const struct workload_scale scale = {size, w->session.config.gpu.sms};
    struct demo_run run;
    struct status own = {0};
    if (w->ran++ > 0 && !session_renew(&w->session, w->status))
        return false;
    demo_run_workload(&run, workload, &scale, &w->session, &own);
    if (w->out)
        print_run(w, workload, size, &run, &own);
    demo_run_free(&run);
    w->failed += own.code != STATUS_OK;
    if (own.code == STATUS_INTERRUPTED)
        return status_fail(w->status, STATUS_INTERRUPTED, "interrupted");
    return true;
}

static bool run_workloads(struct work *w)
{
    size_t count;
    const struct workload *const *all = workload_list(&count);
    if (w->out)
        fprintf(w->out, "%-20s %-7s %3s  %-24s %12s %12s %10s\n", "name", "size", "", "kernel", "warp inst", "cycles",
                "host");
    for (size_t i = 0; i < count; i++)
        for (enum workload_size size = SIZE_SMALL; size < WORKLOAD_SIZES; size++)
            if (all[i]->arch <= w->session.config.gpu.architecture && wants(w->options, all[i]) &&
                wants_size(w->options, size) && !run_workload(w, all[i], size))
                return false;
    return true;
}

static bool check(const struct cli_options *options, struct status *status)
{
    for (size_t i = 0; i < options->operands.count; i++)
        if (!find_workload(options->operands.items[i], status))
            return false;
    for (size_t i = 0; i < options->size.count; i++) {
        bool known = false;
        for (enum workload_size size = SIZE_SMALL; size < WORKLOAD_SIZES; size++)
            known |= strcmp(options->size.items[i], workload_size_name(size)) == 0;
        if (!known)
            return status_fail(status, STATUS_USAGE, "--size %.40s: sizes are small, medium and full",
                               options->size.items[i]);
    }
    return true;
}

static bool run(const struct cli_options *options, struct status *status)
{
    if (options->list) {
        list_workloads();
        return true;
    }
    struct work w = {.options = options, .status = status, .out = options->quiet ? NULL : stdout};
    if (!check(options, status) || !session_begin(&w.session, options, status))
        return false;
    run_workloads(&w);
    session_end(&w.session);
    if (w.failed && status->code == STATUS_OK)
        status_fail(status, STATUS_CHECK, "%u of %u runs failed", w.failed, w.ran);
    return status->code == STATUS_OK;
}

const struct command command_validate = {
    .name = "validate",
    .operands = "[NAME]...",
    .summary = "run the kernels that the simulator is compared with hardware by",
    .text = "Without a name: all of them, at each of three sizes. Their results are checked.\n",
    .options = SESSION_OPTIONS | CLI_BIT(SIZE) | CLI_BIT(LIST) | CLI_BIT(HELP),
    .operands_max = SIZE_MAX,
    .run = run,
};
