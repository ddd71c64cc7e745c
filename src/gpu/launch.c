/* Launches that are executed, with time or without. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "exec/inst.h"
#include "exec/memory/proxy.h"
#include "exec/memory/window.h"
#include "exec/run.h"
#include "gpu/likeness.h"
#include "gpu/occupancy.h"
#include "gpu/ordered.h"
#include "gpu/outside.h"
#include "gpu/record.h"
#include "gpu/state.h"

/* Static shared memory of sm_90 and later already holds the system's reserve, which the occupancy rule adds again. */
static uint32_t user_static_shared(const struct gpu *gpu, const struct exec_launch *l)
{
    uint32_t fixed = l->kernel->cubin->static_shared_bytes;
    if (l->module->sm >= 90)
        fixed = fixed > gpu->config.sm.shared_reserved ? fixed - gpu->config.sm.shared_reserved : 0;
    return fixed;
}

static uint32_t user_shared(const struct gpu *gpu, const struct exec_launch *l)
{
    return user_static_shared(gpu, l) + l->dynamic_shared_bytes;
}

static void fill_facts(const struct gpu *gpu, const struct exec_launch *l, bool functional, struct kernel_result *r)
{
    gpu_fill_facts(gpu, r);
    text_printable(r->kernel, sizeof r->kernel, l->kernel->cubin->name);
    text_printable(r->module, sizeof r->module, l->module->cubin.path);
    r->code_architecture = l->module->sm;
    memcpy(r->grid, &l->grid, sizeof r->grid);
    memcpy(r->cluster, &l->cluster, sizeof r->cluster);
    memcpy(r->block, &l->block, sizeof r->block);
    r->dynamic_shared = l->dynamic_shared_bytes;
    r->static_shared = user_static_shared(gpu, l);
    r->registers = l->kernel->cubin->registers;
    r->local_bytes = l->kernel->local_bytes + l->stack_bytes;
    r->detailed = !functional;
    r->ctas = l->cta_count;
    if (functional)
        r->threads = 1;
}

/* The observers of a functional launch. */
struct watchers {
    struct hazards *hazards;
    struct check *check;
    bool functional;
    struct record record;
    const struct exec_watch *next;
};

/* The shared memory checker's findings. */
static void note_finding(void *self, unsigned sm, const struct exec_finding *finding)
{
    static const uint8_t kinds[] = {
        [PROXY_NO_FENCE] = HAZARD_PROXY,  [PROXY_BEFORE_PHASE] = HAZARD_PHASE, [PROXY_OVERRUN] = HAZARD_OVERRUN,
        [TENSOR_NO_WAIT] = HAZARD_TENSOR, [TENSOR_LEAK] = HAZARD_LEAK,         [PROXY_BEFORE_COMMIT] = HAZARD_COMMIT,
    };
    const struct watchers *w = self;
    if (w->check)
        check_proxy(w->check, finding);
    if (!w->hazards)
        return;
    const struct hazard hazard = {.first = finding->first,
                                  .second = finding->second,
                                  .kind = kinds[finding->kind],
                                  .cause = HAZARD_MEMORY,
                                  .counter = ISA_NO_SB,
                                  .offset = finding->offset,
                                  .count = 1,
                                  .sm = (uint16_t)sm,
                                  .warp = finding->warp,
                                  .lanes = UINT32_MAX,
                                  .cta = finding->cta};
    hazards_noted(w->hazards, w->functional ? 0 : sm, &hazard);
}

static void pass_outside(void *self, const struct exec_warp *warp, uint32_t pc, unsigned lane, uint64_t address,
                         unsigned bytes)
{
    const struct watchers *w = self;
    char place[200];
    memory_place(warp->cta->launch->module->memory, address, place, sizeof place);
    check_outside(w->check, warp, pc, lane, address, bytes, place);
}

static void watch_functional(void *self, const struct exec_warp *warp, const struct issued *issued)
{
    struct watchers *w = self;
    if (w->hazards)
        hazards_issued(w->hazards, 0, warp->slot, warp->cta->linear, issued->pc, issued->path, issued->active, 0);
    if (w->check)
        check_issued(w->check, warp, issued);
    if (w->record.writer)
        record_issued(&w->record, warp->slot, warp, issued);
    if (w->next)
        w->next->issued(w->next->self, warp, issued);
}

static bool run_functional(struct gpu *gpu, struct exec_launch *launch, struct kernel_result *r, struct status *status)
{
    struct exec_totals totals = {0};
    bool ok = gpu_execute(gpu, launch, &totals, status);
    r->warp_instructions = totals.warp_instructions;
    r->thread_instructions = totals.thread_instructions;
    r->ctas_done = totals.ctas;
    plan_estimate_least(r, launch->timer_width);
    r->complete = ok;
    gpu->fault = totals.fault;
    return ok;
}

static bool run_timed(struct gpu *gpu, const struct exec_launch *launch, const struct sm_observer *observer,
                      struct record *record, struct kernel_result *r, struct status *status)
{
    if (!gpu->exec_machine_ready)
        gpu->exec_machine_ready = exec_machine_init(&gpu->exec_machine, &gpu->config, gpu->memory, status);
    if (!gpu->exec_machine_ready || !gpu_ready_timed(gpu, status))
        return false;
    struct gpu_options options = gpu->options;
    struct timed_launch timed;
    options.observer = observer ? observer : options.observer;
    exec_machine_begin(&gpu->exec_machine, launch, options.strict_hazards, record, &timed);
    bool ok = timed_run_one(&gpu->timed, &timed, &options, r, status);
    gpu->fault = exec_machine_fault(&gpu->exec_machine);
    gpu->past.cycles += r->cycles;
    gpu->past.instructions += r->warp_instructions;
    if (!ok || (r->stop != STOP_NONE && r->stop != STOP_CTAS && !result_is_chosen(r)))
        gpu_reset_timed(gpu);
    return ok;
}

static bool begin_hazards(struct gpu *gpu, const struct exec_launch *l, bool functional, struct status *status)
{
    const struct hazard_launch launch = {
        .kernel = l->kernel->cubin->name,
        .architecture = l->module->sm,
        .isa = &l->kernel->code[0].isa,
        .stride = sizeof l->kernel->code[0],
        .count = l->kernel->count,
        .sms = functional ? 1 : gpu->config.gpu.sms,
        .warps_per_cta = l->warps_per_cta,
        .timed = !functional,
    };
    return gpu_begin_hazards(gpu, &launch, status);
}

static struct record_facts facts_of(const struct gpu *gpu, const struct gpu_launch *launch, const struct exec_launch *l)
{
    return (struct record_facts){.static_shared = user_static_shared(gpu, l),
                                 .shared_preferred = launch->shared_preferred,
                                 .stream = launch->stream,
                                 .number = gpu->launches - 1};
}

static bool begin_record(const struct gpu *gpu, const struct gpu_launch *launch, const struct exec_launch *l,
                         struct record *record, struct status *status)
{
    const struct record_facts facts = facts_of(gpu, launch, l);
    return record_begin(record, gpu->options.trace, l, &facts, status);
}

/* Times a launch, or a part of it. */
static bool run_with_time(struct gpu *gpu, const struct gpu_launch *launch, struct exec_launch *l,
                          struct record *record, struct kernel_result *r, struct status *status)
{
    const struct record_facts facts = facts_of(gpu, launch, l);
    if (!record && !launch->observer && ordered_run_fits(gpu, l))
        return ordered_run(gpu, l, &facts, r, status);
    return run_timed(gpu, l, launch->observer, record, r, status);
}

/* The trace's error comes last: a launch that failed is told of first. */
static bool end_record(struct record *record, bool ok, struct status *status)
{
    struct status own = {0};
    if (!record->writer || record_end(record, ok, &own) || !ok)
        return ok;
    *status = own;
    return false;
}

/* Two words, zero at the launch, that the CTAs of a cooperative grid count at; placed as cooperative_groups.h of CUDA
 * 13.0 reads them. */
static bool clear_workspace(struct gpu *gpu, uint64_t *workspace, struct status *status)
{
    enum { BYTES = 8 };
    static const uint8_t zero[BYTES];
    if (!*workspace)
        *workspace = memory_alloc(gpu->memory, BYTES);
    if (!*workspace || !memory_write(gpu->memory, *workspace, zero, BYTES))
        return status_fail(status, STATUS_MEMORY, "no device memory for the barrier of a cooperative grid");
    return true;
}

static bool prepare(struct gpu *gpu, const struct gpu_launch *launch, uint64_t workspace, struct exec_launch *l,
                    struct status *status)
{
    const struct config *c = &gpu->config;
    const struct exec_launch_inputs request = {.kernel = launch->kernel,
                                               .function = launch->function,
                                               .grid = launch->grid,
                                               .block = launch->block,
                                               .dynamic_shared_bytes = launch->dynamic_shared_bytes,
                                               .parameters = launch->parameters,
                                               .parameter_bytes = launch->parameter_bytes,
                                               .sm_count = c->gpu.sms,
                                               .warp_slots = c->gpu.sms * c->sm.warps,
                                               .stack_limit = launch->stack_limit,
                                               .grid_workspace = launch->cooperative ? workspace : 0,
                                               .cluster = launch->cluster};
    if (!exec_launch_prepare(l, launch->module, &request, status))
        return false;
    l->start_ns = launch->start_ns;
    if (gpu->options.output)
        l->output = gpu->options.output;
    return true;
}

/* A cluster must fit one GPC. */
static bool check_cluster(const struct gpu *gpu, const struct exec_launch *l, const struct occupancy *occupancy,
                          struct status *status)
{
    return occupancy_resident(&gpu->config, occupancy->ctas_per_sm, l->cta_group) > 0 ||
           status_fail(status, STATUS_USAGE, "%s: no GPC of %s can hold a cluster of %u CTAs at once",
                       l->kernel->cubin->name, gpu->config.gpu.name, l->cta_group);
}

static bool check_occupancy(const struct gpu *gpu, const struct exec_launch *l, struct occupancy *out,
                            struct status *status)
{
    uint32_t threads = l->block.x * l->block.y * l->block.z;
    return gpu_occupancy(&gpu->config, l->kernel->cubin->registers, threads, user_shared(gpu, l), out, status) &&
           check_cluster(gpu, l, out, status) &&
           (!l->cooperative || gpu_check_cooperative(gpu, l->kernel->cubin->name, l->cta_count, out, status));
}

bool gpu_plan_launch(struct gpu *gpu, struct gpu_launch *launch, uint64_t of_kernel, struct status *status)
{
    if (plan_compares(gpu->options.plan))
        launch->likeness = likeness_of(gpu->memory, launch);
    const struct plan_launch question = {launch->kernel, of_kernel, launch->likeness, gpu->past, launch->named};
    enum plan_action action = plan_launch(gpu->options.plan, &question);
    if (action == PLAN_EXECUTE)
        launch->mode = GPU_MODE_FUNCTIONAL;
    return action == PLAN_TIME || action == PLAN_EXECUTE ||
           status_fail(status, STATUS_UNSUPPORTED,
                       "%s: a launch can be timed or executed; a plan that %s is not there yet", launch->kernel,
                       action == PLAN_WARM ? "warms caches" : "leaves launches out");
}

static void begin_outside(const struct gpu *gpu, struct exec_launch *launch, bool checked)
{
    if (gpu->options.pass_outside && !checked && gpu->options.outside.tell)
        outside_begin(launch);
}

bool gpu_launch(struct gpu *gpu, const struct gpu_launch *launch, struct kernel_result *result, struct status *status)
{
    memset(result, 0, sizeof *result);
    gpu->fault = (struct exec_fault_report){0};
    gpu->launches++;
    if (gpu->options.lines)
        line_profile_free(gpu->options.lines);
    bool functional =
        launch->mode == GPU_MODE_OF_OPTIONS ? gpu->options.functional : launch->mode == GPU_MODE_FUNCTIONAL;
    struct exec_launch l;
    if ((!functional && !gpu_check_fit(gpu, launch->module->cubin.path, launch->module->sm, status)) ||
        (launch->cooperative && !clear_workspace(gpu, &gpu->grid_workspace, status)) ||
        !prepare(gpu, launch, gpu->grid_workspace, &l, status))
        return false;
    bool recorded = gpu->options.trace && !launch->unrecorded && (functional || gpu->options.trace_timed);
    struct watchers watchers = {.hazards = gpu->options.hazards, .next = launch->watch};
    const struct exec_watch watch = {&watchers, watch_functional, NULL};
    const struct exec_findings findings = {&watchers, note_finding};
    const struct exec_outside outside = {&watchers, pass_outside};
    watchers.functional = functional;
    watchers.check = functional ? gpu->options.check : NULL;
    l.findings = watchers.hazards || watchers.check ? &findings : NULL;
    l.outside = watchers.check && gpu->options.pass_outside ? &outside : NULL;
    begin_outside(gpu, &l, watchers.check != NULL);
    l.watch = watchers.hazards || watchers.check || recorded || watchers.next ? &watch : NULL;
    fill_facts(gpu, &l, functional, result);
    result->likeness = launch->likeness;
    bool ok = check_occupancy(gpu, &l, &result->occupancy, status) && begin_hazards(gpu, &l, functional, status) &&
              (!watchers.check || check_begin(watchers.check, &l, status)) &&
              (!recorded || begin_record(gpu, launch, &l, &watchers.record, status));
    gpu_prefer_shared(gpu, launch->shared_preferred, &result->occupancy);
    if (ok) {
        double begin = gpu_seconds();
        ok = functional ? run_functional(gpu, &l, result, status)
                        : run_with_time(gpu, launch, &l, recorded ? &watchers.record : NULL, result, status);
        result->host_seconds = gpu_seconds() - begin;
        memory_windows_flush(gpu->memory);
        if (!ok)
            gpu_name_fault(gpu, l.kernel->cubin->name, status);
        ok = gpu_end_hazards(gpu, ok, status);
        if (watchers.check)
            check_end(watchers.check, &gpu->fault);
        ok = end_record(&watchers.record, ok, status);
        if (ok)
            plan_ended(gpu->options.plan, result);
    }
    outside_end(&l, &gpu->options.outside);
    exec_launch_end(&l);
    return ok;
}

bool gpu_prepare_shared(struct gpu *gpu, const struct gpu_launch *launch, struct exec_launch *l,
                        struct kernel_result *r, struct status *status)
{
    uint64_t workspace = 0;
    memset(r, 0, sizeof *r);
    gpu->launches++;
    if (!gpu_check_fit(gpu, launch->module->cubin.path, launch->module->sm, status) ||
        (launch->cooperative && !clear_workspace(gpu, &workspace, status)))
        return false;
    if (!prepare(gpu, launch, workspace, l, status)) {
        if (workspace)
            memory_free(gpu->memory, workspace);
        return false;
    }
    begin_outside(gpu, l, false);
    fill_facts(gpu, l, false, r);
    if (!check_occupancy(gpu, l, &r->occupancy, status)) {
        gpu_end_shared(gpu, l);
        return false;
    }
    gpu_prefer_shared(gpu, launch->shared_preferred, &r->occupancy);
    return true;
}

void gpu_end_shared(struct gpu *gpu, struct exec_launch *l)
{
    if (l->grid_workspace)
        memory_free(gpu->memory, l->grid_workspace);
    outside_end(l, &gpu->options.outside);
    exec_launch_end(l);
}
