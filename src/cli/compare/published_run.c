#include "cli/compare/published_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/argument_list.h"
#include "cli/fidelity.h"
#include "cli/load.h"
#include "cli/session.h"
#include "config/gpcs.h"
#include "gpu/occupancy.h"

/* Registers by which builds of the same code may differ, and instructions, in percent. */
enum { REGISTERS_APART = 4, INSTRUCTIONS_APART = 3 };

static const char instructions[] = "smsp__inst_executed.sum";

/* A row on its way. */
struct row_run {
    const struct published_row *row;
    const struct published_site *site;
    struct cli_options options; /* as if `subcore run` were asked for the row */
    struct session session;
    char path[4096];
    char clock[64];                       /* assignment of the row's clock */
    char sms[32], gpcs[CONFIG_TEXT + 32]; /* assignments of a part */
    struct published_result *out;
    uint64_t unwritten[2]; /* sectors that the L2 alone has at the end of both runs */
    struct status *status;
};

bool published_gpu(struct config *config, const struct published_row *row, const struct cli_options *options,
                   struct status *status)
{
    return session_config(config, row->gpu, &options->set, status);
}

/* ---- the command line of a row ----------------------------------------------------------------------------------- */

static bool make_room(struct cli_list *list, size_t room, struct status *status)
{
    list->items = malloc((room + 1) * sizeof *list->items);
    return list->items || status_fail(status, STATUS_MEMORY, "no memory for a row");
}

static void append(struct cli_list *list, const struct cli_list *more)
{
    for (size_t i = 0; i < more->count; i++)
        list->items[list->count++] = more->items[i];
}

/* The GPU runs at the clock of the row, so that device memory is as fast beside it as it was. --set comes behind it,
 * and wins. */
static void choose_clock(struct row_run *run)
{
    if (isnan(run->row->clock_mhz))
        return;
    snprintf(run->clock, sizeof run->clock, "gpu.clock=%.9g", run->row->clock_mhz);
    run->options.set.items[run->options.set.count++] = run->clock;
}

/* Chooses a part of the GPU: its first GPCs, up to so many SMs. GPCs have room for whole TPCs. */
static bool choose_part(struct row_run *run, const struct config *whole)
{
    struct published_result *out = run->out;
    uint32_t part = run->site->options->part, left = part, per_tpc = whole->gpu.sms_per_tpc;
    struct gpcs gpcs;
    out->gpu_sms = out->sms = whole->gpu.sms;
    if (part == 0 || part >= whole->gpu.sms)
        return true;
    if (!gpcs_parse(&gpcs, &whole->gpu, run->status))
        return false;
    out->sms = part;
    snprintf(run->sms, sizeof run->sms, "gpu.sms=%" PRIu32, part);
    size_t used = (size_t)snprintf(run->gpcs, sizeof run->gpcs, "gpu.gpcs=");
    for (uint32_t i = 0; left > 0 && i < gpcs.count; i++) {
        uint32_t taken = gpcs.sms[i] < left ? gpcs.sms[i] : left;
        uint32_t room = (taken + per_tpc - 1) / per_tpc * per_tpc;
        used += (size_t)snprintf(run->gpcs + used, sizeof run->gpcs - used, "%s%" PRIu32, i ? " " : "", room);
        left -= taken;
    }
    run->options.set.items[run->options.set.count++] = run->sms;
    run->options.set.items[run->options.set.count++] = run->gpcs;
    return true;
}

static bool prepare(struct row_run *run)
{
    const struct published_row *row = run->row;
    const struct cli_options *asked = run->site->options;
    const struct cli_list arguments = {(const char **)row->argument, row->argument_count};
    struct config whole;
    run->options = (struct cli_options){.gpu = row->gpu,
                                        .threads = asked->threads,
                                        .quiet = true,
                                        .json = asked->json,
                                        .fidelity = asked->fidelity,
                                        .error = asked->error};
    if (!published_gpu(&whole, row, asked, run->status) ||
        !make_room(&run->options.set, asked->set.count + 3, run->status) ||
        !make_room(&run->options.arg, arguments.count, run->status))
        return false;
    choose_clock(run);
    append(&run->options.set, &asked->set);
    append(&run->options.arg, &arguments);
    if (!choose_part(run, &whole))
        return false;
    int used = snprintf(run->path, sizeof run->path, "%s/%s", asked->cubins, row->cubin);
    return (size_t)used < sizeof run->path || status_fail(run->status, STATUS_USAGE, "%.80s: too long", row->cubin);
}

/* ---- whether the code is that of the row ------------------------------------------------------------------------- */

/* Static shared memory of sm_90 and later holds the system's reserve, which the occupancy rule adds again. */
static uint32_t shared_of(const struct row_run *run, const struct cubin_kernel *kernel, unsigned architecture)
{
    uint32_t fixed = kernel->static_shared_bytes, reserved = run->session.config.sm.shared_reserved;
    if (architecture >= 90)
        fixed = fixed > reserved ? fixed - reserved : 0;
    return fixed + run->row->shared;
}

static bool other_code(struct row_run *run, const char *format, uint32_t a, uint32_t b)
{
    run->out->state = PUBLISHED_OTHER_CODE;
    snprintf(run->out->why, sizeof run->out->why, format, a, b);
    return false;
}

/* False: it cannot be run, or is other code (the state says so). */
static bool check_code(struct row_run *run, const struct exec_module *module, const struct cubin_kernel *kernel)
{
    const struct published_row *row = run->row;
    struct occupancy own, measured;
    uint32_t shared = shared_of(run, kernel, module->sm), registers = kernel->registers;
    uint64_t threads = (uint64_t)row->block[0] * row->block[1] * row->block[2];
    const struct config *config = &run->session.config;
    run->out->registers = registers;
    if (threads > config->sm.threads)
        return status_fail(run->status, STATUS_USAGE, "a CTA of %ju threads does not fit an SM", (uintmax_t)threads);
    if (!gpu_occupancy(config, registers, (uint32_t)threads, shared, &own, run->status))
        return false;
    run->out->ctas_per_sm = own.ctas_per_sm;
    if (row->registers == 0)
        return true;
    if (registers > row->registers + REGISTERS_APART || row->registers > registers + REGISTERS_APART)
        return other_code(run, "the cubin's kernel has %u registers, the row %u", registers, row->registers);
    occupancy_compute(config, row->registers, (uint32_t)threads, shared, &measured);
    return own.ctas_per_sm == measured.ctas_per_sm ||
           other_code(run, "an SM holds %u CTAs of the cubin's kernel, and %u with the registers of the row",
                      own.ctas_per_sm, measured.ctas_per_sm);
}

/* CTAs at the borders of a grid may do less than those of a window: INSTRUCTIONS_APART leaves room for them. */
static void check_instructions(struct row_run *run)
{
    const struct published *table = run->site->table;
    struct published_result *out = run->out;
    for (unsigned i = 0; i < table->counters; i++) {
        double measured = run->row->counter[i];
        if (strcmp(table->counter[i], instructions) != 0 || isnan(measured) || isnan(out->counter[i]))
            continue;
        double off = measured > 0 ? 100 * (out->counter[i] / measured - 1) : 100;
        if (fabs(off) <= INSTRUCTIONS_APART)
            continue;
        out->state = PUBLISHED_OTHER_CODE;
        snprintf(out->why, sizeof out->why, "the cubin's kernel executes %.1f %% %s instructions than the row",
                 fabs(off), off > 0 ? "more" : "fewer");
    }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* The fidelity itself chooses the timed part. */
static bool is_projected(const struct row_run *run)
{
    return fidelity_is_hybrid(&run->options) || fidelity_sample(&run->options);
}

static struct published_window choose_window(const struct row_run *run)
{
    const struct published_result *out = run->out;
    uint64_t waves = run->site->options->waves ? run->site->options->waves : PUBLISHED_WAVES;
    struct published_window w =
        published_window(published_ctas(run->row), out->sms, out->gpu_sms, out->ctas_per_sm, waves);
    if (is_projected(run))
        w.first = 0, w.second = w.ctas;
    return w;
}

/* Makes the plan of a run: the session has that of the fidelity. */
static bool choose_ctas(struct row_run *run, uint64_t ctas)
{
    if (is_projected(run))
        return true;
    plan_free(&run->session.plan);
    return plan_add_number(&run->session.plan, "only-ctas", "--waves", ctas, run->status);
}

/* A new GPU, on which the first CTAs of the launch run. */
static bool run_prefix(struct row_run *run, uint64_t ctas, struct kernel_result *result, uint64_t *unwritten)
{
    const struct published_row *row = run->row;
    struct session *session = &run->session;
    struct argument_list list = {0};
    bool ok = choose_ctas(run, ctas) && session_renew(session, run->status) &&
              argument_list_parse(&list, &run->options, run->status);
    list.unread = true;
    struct exec_module *module = ok ? load_module(session->gpu, run->path, false, run->status) : NULL;
    const struct cubin_kernel *kernel = module ? cubin_find_kernel(&module->cubin, row->kernel, run->status) : NULL;
    ok = kernel && argument_list_place(&list, kernel, gpu_memory(session->gpu), run->status);
    if (ok) {
        const struct gpu_launch launch = {
            .module = module,
            .kernel = kernel->name,
            .grid = {row->grid[0], row->grid[1], row->grid[2]},
            .block = {row->block[0], row->block[1], row->block[2]},
            .dynamic_shared_bytes = row->shared,
            .parameters = list.parameters,
            .parameter_bytes = list.parameter_bytes,
        };
        ok = session_launch(session, &launch, result, run->status);
        run->out->seconds += result->host_seconds;
        *unwritten = gpu_unwritten_sectors(session->gpu);
    }
    argument_list_free(&list);
    return ok;
}

/* ---- the launch from its runs ------------------------------------------------------------------------------------ */

static double active(const struct kernel_result *r) { return (double)r->sm.cycles_active; }

/* The launch lasts as long as the SMs with the most CTAs. The mean of active cycles is that of the mean share. */
static void predict_cycles(struct row_run *run, const struct published_window *w, const struct kernel_result *first,
                           const struct kernel_result *second)
{
    struct published_result *out = run->out;
    bool mean = published_basis(run->row) == PUBLISHED_ACTIVE;
    double sms = out->sms, rest = 0;
    out->whole = w->first == 0;
    out->ctas = w->second;
    out->cycles_per_cta = NAN;
    if (!out->whole) {
        out->cycles_per_cta = (active(second) - active(first)) / (double)(w->second - w->first);
        rest = out->cycles_per_cta * ((mean ? w->share : (double)w->ctas) - (double)w->second);
    }
    out->predicted = ((mean ? active(second) : sms * (double)second->cycles) + rest) / sms;
    double measured = published_cycles(run->row);
    out->error = 100 * (out->predicted / measured - 1);
}

/* Sectors that reach device memory of those that the launch leaves in the L2. It fills with dirty lines once, and keeps
 * to the end as large a share of its capacity as they have of all that passes through it. */
static double predict_written(const struct row_run *run, const struct published_window *w,
                              const struct kernel_result *first, const struct kernel_result *second)
{
    enum { SECTOR = 32 };
    const struct published_result *out = run->out;
    double written = (double)(second->mem.dram_bytes_written / SECTOR + run->unwritten[1]);
    double before = (double)(first->mem.dram_bytes_written / SECTOR + run->unwritten[0]);
    double passed = written + (double)(second->mem.dram_bytes_read / SECTOR);
    double slope = (written - before) / (double)(w->second - w->first);
    double total = (before + slope * (w->share - (double)w->first)) * out->gpu_sms / out->sms;
    double kept = passed > 0 ? run->session.config.l2.size / SECTOR * (written / passed) : 0;
    return fmax(0, total - kept);
}

static double predict_counter(const struct row_run *run, const struct published_window *w, published_counter counter,
                              const struct measured run_of[3])
{
    const struct published_result *out = run->out;
    double ctas = (double)published_ctas(run->row), device = (double)out->gpu_sms / out->sms;
    enum published_scale scale = published_counter_scale(counter);
    if (scale != PUBLISHED_TOTAL)
        return published_counter_value(&run_of[2], counter) * (scale == PUBLISHED_DEVICE ? device : 1);
    double second = published_counter_value(&run_of[1], counter);
    if (out->whole)
        return second * ctas / (double)out->ctas;
    double first = published_counter_value(&run_of[0], counter);
    if (published_counter_written(counter))
        return predict_written(run, w, run_of[0].result, run_of[1].result);
    double slope = (second - first) / (double)(w->second - w->first);
    return (first + slope * (w->share - (double)w->first)) * device;
}

static void predict(struct row_run *run, const struct published_window *w, const struct kernel_result *first,
                    const struct kernel_result *second)
{
    const struct published_site *site = run->site;
    const struct config *config = &run->session.config;
    struct kernel_result steady = *second;
    if (w->first)
        published_subtract(&steady, first);
    const struct measured run_of[3] = {{first, config}, {second, config}, {&steady, config}};
    predict_cycles(run, w, first, second);
    for (unsigned i = 0; i < site->table->counters; i++)
        if (site->counter[i] >= 0)
            run->out->counter[i] = predict_counter(run, w, site->counter[i], run_of);
    run->out->state = PUBLISHED_COMPARED;
    check_instructions(run);
}

/* Takes the estimate of a launch. Its counters are those of the timed part, except for the instructions. SMs are active
 * from the launch on. */
static void predict_projected(struct row_run *run, const struct kernel_result *r)
{
    const struct published_site *site = run->site;
    struct published_result *out = run->out;
    bool active_cycles = published_basis(run->row) == PUBLISHED_ACTIVE;
    out->whole = true;
    out->ctas = r->ctas_done;
    out->cycles_per_cta = NAN;
    out->predicted = (double)(result_cycles(r) - (active_cycles ? r->launch_cycles : 0));
    out->error = 100 * (out->predicted / published_cycles(run->row) - 1);
    for (unsigned i = 0; i < site->table->counters; i++)
        if (strcmp(site->table->counter[i], instructions) == 0)
            out->counter[i] = (double)(r->warp_instructions + r->rest_instructions);
    out->state = PUBLISHED_COMPARED;
    check_instructions(run);
}

/* False: nothing came of it, or it is other code. */
static bool run_row(struct row_run *run)
{
    struct session *session = &run->session;
    struct kernel_result first = {0}, second = {0};
    if (!prepare(run) || !session_begin(session, &run->options, run->status))
        return false;
    session->options.progress = run->site->progress;
    session->options.progress_context = run->site->self;
    struct exec_module *module = load_module(session->gpu, run->path, false, run->status);
    const struct cubin_kernel *kernel =
        module ? cubin_find_kernel(&module->cubin, run->row->kernel, run->status) : NULL;
    if (!kernel || !check_code(run, module, kernel))
        return false;
    const struct published_window w = choose_window(run);
    if ((w.first && !run_prefix(run, w.first, &first, &run->unwritten[0])) ||
        !run_prefix(run, w.second, &second, &run->unwritten[1]))
        return false;
    if (second.estimate.kind == ESTIMATE_PROJECTED)
        predict_projected(run, &second);
    else
        predict(run, &w, &first, &second);
    return true;
}

bool published_run(struct published_result *out, const struct published_row *row, const struct published_site *site,
                   struct status *status)
{
    struct status own = {0};
    struct row_run run = {.row = row, .site = site, .out = out, .status = &own};
    *out = (struct published_result){
        .row = row, .state = PUBLISHED_FAILED, .cycles_per_cta = NAN, .predicted = NAN, .error = NAN};
    out->counter = malloc((site->table->counters + 1) * sizeof *out->counter);
    if (!out->counter)
        return status_fail(status, STATUS_MEMORY, "no memory for a row");
    for (unsigned i = 0; i < site->table->counters; i++)
        out->counter[i] = NAN;
    run_row(&run);
    session_end(&run.session);
    free(run.options.set.items);
    free(run.options.arg.items);
    if (own.code == STATUS_INTERRUPTED)
        return status_fail(status, own.code, "interrupted at line %u of the table", row->line);
    if (out->state == PUBLISHED_FAILED)
        snprintf(out->why, sizeof out->why, "%s", own.text);
    return true;
}
