#include <math.h>
#include <string.h>

#include "cli/compare/validation.h"
#include "cli/demo.h"
#include "cli/report/hazard_report.h"
#include "report/format.h"
#include "report/metrics.h"

enum { QUANTITY = 192 };

static bool wants_size(const struct cli_options *options, enum workload_size size)
{
    for (size_t i = 0; i < options->size.count; i++)
        if (strcmp(options->size.items[i], workload_size_name(size)) == 0)
            return true;
    return options->size.count == 0;
}

/* A launch, by the names that its metrics have. */
struct place {
    const struct workload *workload;
    enum workload_size size;
    size_t launch;
};

static void quantity_of(char quantity[QUANTITY], const struct place *place, const char *metric)
{
    snprintf(quantity, QUANTITY, "kernel.%s.%s.%zu.%s", place->workload->name, workload_size_name(place->size),
             place->launch, metric);
}

/* Counts of a hybrid launch are those of the whole grid. */
static bool add_hybrid(struct validation *v, const struct place *place, const struct hybrid_counts *n)
{
    const struct {
        enum metric metric;
        double value;
    } rows[] = {{METRIC_L1_GLOBAL_LOAD_SECTORS, (double)n->l1_loads},
                {METRIC_L1_GLOBAL_LOAD_HITS, (double)n->l1_hits},
                {METRIC_L2_SECTORS, (double)n->l2_sectors},
                {METRIC_L2_HIT, n->l2_sectors ? 100 * (double)n->l2_hits / (double)n->l2_sectors : NAN},
                {METRIC_DRAM_READ, (double)(32 * n->memory_reads)},
                {METRIC_DRAM_WRITTEN, (double)(32 * n->memory_writes)}};
    char quantity[QUANTITY];
    bool ok = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && ok; i++) {
        const struct metric_info *info = metric_info(rows[i].metric);
        quantity_of(quantity, place, info->name);
        ok = validation_add(v, COMPARISON_KERNEL, quantity, info->unit, rows[i].value);
    }
    return ok;
}

/* Of a launch that was timed in part, or not at all, little more than the cycles is known. */
static bool add_estimate(struct validation *v, const struct place *place, const struct kernel_result *r)
{
    char quantity[QUANTITY];
    quantity_of(quantity, place, comparison_cycles);
    return validation_add(v, COMPARISON_KERNEL, quantity, metric_info(METRIC_ELAPSED)->unit,
                          (double)result_cycles(r)) &&
           (r->hybrid.sms == 0 || add_hybrid(v, place, &r->hybrid.counts));
}

/* All metrics that the profiler has, too. */
static bool add_metrics(struct validation *v, const struct place *place, const struct measured *measured)
{
    char quantity[QUANTITY], name[96];
    bool ok = true;
    for (enum metric m = 0; m < METRIC_COUNT && ok; m++) {
        const struct metric_info *info = metric_info(m);
        quantity_of(quantity, place, info->name);
        if (strncmp(info->name, "subcore__", 9) != 0)
            ok = validation_add(v, COMPARISON_KERNEL, quantity, info->unit, metric_value(measured, m));
    }
    for (enum stall_reason s = 0; s < STALL_COUNT && ok; s++) {
        snprintf(name, sizeof name, "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio", stall_name(s));
        quantity_of(quantity, place, name);
        ok = validation_add(v, COMPARISON_KERNEL, quantity, "warp", metric_stall_per_issue(measured->result, s));
    }
    return ok;
}

static void print_launch(const struct validation *v, const struct place *place, const struct kernel_result *r)
{
    char quantity[QUANTITY], measured[64] = "-", error[16] = "", cycles[FORMAT_TEXT + 1];
    snprintf(cycles, sizeof cycles, "%s%s", result_estimated_cycles(r) ? "~" : "", format_count(result_cycles(r)).text);
    quantity_of(quantity, place, comparison_cycles);
    const struct reference *reference = references_find(&v->references, v->gpu, quantity);
    if (reference) {
        snprintf(measured, sizeof measured, "%s",
                 format_count((uint64_t)((reference->low + reference->high) / 2)).text);
        snprintf(error, sizeof error, "%+.1f%%", reference_deviation(reference, (double)result_cycles(r)));
    }
    fprintf(v->out, "%-20s %-7s %2zu  %-24.24s %12s %12s %12s %8s %10s\n", place->workload->name,
            workload_size_name(place->size), place->launch, r->kernel, format_count(r->warp_instructions).text, cycles,
            measured, error, format_time(r->host_seconds).text);
}

static bool report(struct validation *v, const struct workload *workload, enum workload_size size,
                   const struct demo_run *run, const struct status *own)
{
    bool ok = true;
    for (size_t i = 0; i < run->count && ok; i++) {
        const struct kernel_result *r = &run->results[i];
        const struct place place = {workload, size, i};
        if (v->out)
            print_launch(v, &place, r);
        if (own->code != STATUS_OK)
            continue;
        if (result_estimated_cycles(r))
            ok = add_estimate(v, &place, r);
        else if (r->detailed)
            ok = add_metrics(v, &place, &(struct measured){r, &run->session->config});
    }
    if (v->out && own->code != STATUS_OK)
        fprintf(v->out, "%-20s %-7s FAILED: %s\n", workload->name, workload_size_name(size), own->text);
    if (v->out)
        fflush(v->out);
    return ok;
}

/* Each run has its own GPU, with empty memory. */
static bool run_workload(struct validation *v, const struct workload *workload, enum workload_size size,
                         struct session *session)
{
    const struct workload_scale scale = {size, session->config.gpu.sms};
    struct demo_run run;
    struct status own = {0};
    if (!session_renew(session, v->status))
        return false;
    demo_run_workload(&run, workload, &scale, session, &own);
    if (hazards_count(&session->hazards) > 0)
        hazard_report(&session->hazards, run.module ? &run.module->cubin : NULL, v->out, NULL, &own);
    bool ok = report(v, workload, size, &run, &own);
    demo_run_free(&run);
    v->runs++;
    v->failed += own.code != STATUS_OK;
    if (own.code == STATUS_INTERRUPTED)
        return status_fail(v->status, STATUS_INTERRUPTED, "interrupted");
    return ok;
}

static bool run_all(struct validation *v, struct session *session)
{
    size_t count;
    const struct workload *const *all = workload_list(&count);
    bool heading = false;
    for (size_t i = 0; i < count; i++) {
        if (!workload_fits(all[i], session->config.gpu.architecture) || !validation_wants(v, "kernels", all[i]->name))
            continue;
        if (v->out && !heading)
            fprintf(v->out, "\n%-20s %-7s %2s  %-24s %12s %12s %12s %8s %10s\n", "kernels", "size", "", "kernel",
                    "warp inst", "cycles", "measured", "error", "host");
        heading = true;
        for (enum workload_size size = SIZE_SMALL; size < WORKLOAD_SIZES; size++)
            if (wants_size(v->options, size) && !run_workload(v, all[i], size, session))
                return false;
    }
    return true;
}

bool validate_kernels(struct validation *v)
{
    struct session session;
    if (!session_begin(&session, v->options, v->status))
        return false;
    bool ok = run_all(v, &session);
    session_end(&session);
    return ok;
}
