/* Timed launches of kernels from a trace. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/occupancy.h"
#include "gpu/state.h"
#include "gpu/stream_order.h"

static bool check_dimensions(const struct trace_launch *l, struct status *status)
{
    enum { MOST = 1024 };
    uint64_t threads = 1, ctas = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!l->block[i] || l->block[i] > MOST || !l->grid[i] || l->grid[i] > INT32_MAX)
            return status_fail(
                status, STATUS_FORMAT,
                "%s: the trace has grid %u x %u x %u and block %u x %u x %u; a dimension of a grid is from "
                "1 to %d, and one of a block from 1 to %d",
                l->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2], INT32_MAX, MOST);
        threads *= l->block[i];
        ctas = ctas > UINT32_MAX ? ctas : ctas * l->grid[i];
    }
    if (threads > MOST)
        return status_fail(status, STATUS_FORMAT,
                           "%s: the trace has blocks of %" PRIu64 " threads; a block can have at most %d", l->name,
                           threads, MOST);
    if (l->code_count == 0)
        return status_fail(status, STATUS_FORMAT, "%s: the trace has no code", l->name);
    return true;
}

/* Control bits are those of an architecture. The order that a scoreboard keeps is not. */
static bool check_code(const struct gpu *gpu, const struct trace_launch *l, struct status *status)
{
    const struct config_core *core = &gpu->config.core;
    bool scoreboard = core->dependence == CONFIG_DEPENDENCE_SCOREBOARD || core->model == CONFIG_CORE_LEGACY;
    if (!l->control_bits || scoreboard || gpu_fits(gpu, l->architecture))
        return true;
    return status_fail(
        status, STATUS_USAGE,
        "%s was traced with code for sm_%u, whose control bits %s, which is sm_%u, does not know: choose a "
        "GPU of that architecture with --gpu, or let a scoreboard handle dependences with --set "
        "core.dependence=scoreboard",
        l->name, l->architecture, gpu->config.gpu.name, gpu->config.gpu.architecture);
}

static void fill_facts(const struct gpu *gpu, const struct trace_launch *l, struct kernel_result *r)
{
    gpu_fill_facts(gpu, r);
    snprintf(r->kernel, sizeof r->kernel, "%s", l->name);
    r->code_architecture = l->architecture;
    memcpy(r->grid, l->grid, sizeof r->grid);
    for (unsigned i = 0; i < 3; i++)
        r->cluster[i] = l->cluster[0] ? l->cluster[i] : 1;
    memcpy(r->block, l->block, sizeof r->block);
    r->dynamic_shared = l->dynamic_shared;
    r->static_shared = l->static_shared;
    r->registers = l->registers;
    r->local_bytes = l->local_bytes;
    r->detailed = true;
    r->ctas = trace_launch_ctas(l);
}

void gpu_replay_facts(const struct gpu *gpu, const struct trace_kernel *kernel, struct kernel_result *result)
{
    struct trace_summary summary;
    trace_kernel_summary(kernel, &summary);
    *result = (struct kernel_result){0};
    fill_facts(gpu, trace_kernel_launch(kernel), result);
    result->detailed = false;
    result->complete = true;
    result->warp_instructions = summary.instructions;
}

static bool begin_hazards(struct gpu *gpu, const struct trace_launch *l, struct status *status)
{
    const struct hazard_launch launch = {
        .kernel = l->name,
        .architecture = l->architecture,
        .isa = &l->code[0].isa,
        .stride = sizeof l->code[0],
        .count = l->code_count,
        .sms = gpu->config.gpu.sms,
        .warps_per_cta = trace_launch_warps(l),
        .timed = true,
    };
    return gpu_begin_hazards(gpu, &launch, status);
}

/* ---- one of them ------------------------------------------------------------------------------------------------- */

/* A kernel that has not ended. */
struct replay {
    const struct trace_kernel *kernel;
    struct timed_launch launch;
    struct trace_machine machine;
    struct kernel_result result;
    struct trace_identity identity;
    bool identified; /* it began alone, and has that identity */
    uint64_t end;    /* cycle of its end, once it has ended */
};

struct replays {
    struct gpu *gpu;
    const struct gpu_sequence *sequence;
    struct stream_order order;
    bool exhausted;       /* the sequence has no more */
    double since;         /* wall clock of the last end */
    uint64_t end;         /* cycle of it */
    bool by_a_limit;      /* the run has ended */
    uint64_t begun;       /* launches of the run */
    struct replay *first; /* of the run, which has not begun; NULL: it has */
    uint64_t first_cycle; /* in which it begins */
};

/* Of a kernel that a limit has ended nothing is executed, but the trace knows the rest. */
static void count_rest(const struct trace_kernel *kernel, const struct plan *plan, struct kernel_result *r)
{
    struct trace_summary summary;
    trace_kernel_summary(kernel, &summary);
    if (r->stop == STOP_NONE || summary.instructions < r->warp_instructions)
        return;
    r->rest_instructions = summary.instructions - r->warp_instructions;
    plan_estimate(plan, r);
}

/* All that can be wrong with a launch. */
static bool prepare(struct gpu *gpu, struct replay *p, struct status *status)
{
    const struct trace_launch *l = trace_kernel_launch(p->kernel);
    struct kernel_result *r = &p->result;
    gpu->fault = (struct exec_fault_report){0};
    if (gpu->options.lines)
        line_profile_free(gpu->options.lines);
    if (!check_dimensions(l, status) || !check_code(gpu, l, status))
        return false;
    fill_facts(gpu, l, r);
    uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    if (!gpu_occupancy(&gpu->config, l->registers, threads, l->static_shared + l->dynamic_shared, &r->occupancy,
                       status) ||
        (l->cooperative && !gpu_check_cooperative(gpu, l->name, r->ctas, &r->occupancy, status)))
        return false;
    if (occupancy_resident(&gpu->config, r->occupancy.ctas_per_sm, trace_launch_group(l)) == 0)
        return status_fail(status, STATUS_USAGE, "%s: no GPC of %s can hold a cluster of %" PRIu32 " CTAs at once",
                           l->name, gpu->config.gpu.name, trace_launch_group(l));
    gpu_prefer_shared(gpu, l->shared_preferred, &r->occupancy);
    if (!begin_hazards(gpu, l, status) ||
        !trace_machine_begin(&p->machine, &gpu->config, p->kernel, gpu->options.passes_damage, &p->launch, status))
        return false;
    r->ctas = p->launch.ctas;
    return true;
}

/* Remembers a launch that was the only one of its run, and was timed to its end or as a hybrid one. */
static void remember(const struct replays *all, const struct replay *p)
{
    const struct kernel_result *r = &p->result;
    const struct repeat launch = {.identity = p->identity, .result = *r, .end = p->end};
    bool whole = r->complete || r->stop == STOP_HYBRID;
    if (p->identified && all->begun == 1 && whole && all->gpu->damaged == 0)
        repeats_add(&all->gpu->repeats, &launch);
}

/* Tells of it and forgets it. False: the run is over. */
static bool end(struct replays *all, struct replay *p, bool begun, struct status *status)
{
    struct gpu *gpu = all->gpu;
    bool ok = status->code == STATUS_OK;
    double now = gpu_seconds();
    p->result.host_seconds = now - all->since;
    all->since = now;
    gpu->damaged = 0;
    if (begun && ok)
        count_rest(p->kernel, gpu->options.plan, &p->result);
    if (begun) {
        gpu->damaged = trace_machine_damaged(&p->machine, &gpu->damage);
        if (ok)
            remember(all, p);
        gpu_end_hazards(gpu, ok, status);
    }
    if (!ok)
        gpu_name_fault(gpu, trace_kernel_launch(p->kernel)->name, status);
    const struct status failed = *status;
    ok = all->sequence->ended(all->sequence->self, p->kernel, &p->result, status) && (ok || !begun);
    if (begun && failed.code != STATUS_OK)
        *status = failed;
    trace_machine_free(&p->machine);
    free(p);
    return ok;
}

/* ---- repeats ----------------------------------------------------------------------------------------------------- */

/* Returns whether nobody watches more of a launch than its result. */
static bool only_results(const struct gpu_options *o)
{
    return !o->every_launch && !o->hazards && !o->lines && !o->samples && !o->log && !o->observer && !o->schedule &&
           !o->places && !o->pause.begun && !o->pause.save && !plan_watches(o->plan);
}

bool gpu_repeats(const struct gpu *gpu, const struct trace_kernel *kernel, uint64_t *trace)
{
    struct trace_identity identity;
    bool identified = only_results(&gpu->options) && trace_kernel_identity(kernel, &identity);
    *trace = identified ? identity.word[0] : 0;
    return identified && repeats_find(&gpu->repeats, &identity);
}

/* Returns the launch that the first of a run repeats (NULL: none). */
static const struct repeat *find_repeat(const struct replays *all, struct replay *p)
{
    const struct gpu *gpu = all->gpu;
    p->identified = only_results(&gpu->options) && stream_order_waits(&all->order) &&
                    trace_kernel_identity(p->kernel, &p->identity);
    return p->identified ? repeats_find(&gpu->repeats, &p->identity) : NULL;
}

/* Counts a launch that has ended. */
static void count(struct replays *all, const struct kernel_result *r)
{
    if (r->begin_cycle + r->cycles > all->end)
        all->end = r->begin_cycle + r->cycles;
    all->gpu->past.instructions += r->warp_instructions;
}

static bool fill_window(struct replays *all, struct status *status)
{
    while (!all->exhausted && !stream_order_full(&all->order)) {
        struct gpu_command command = {0};
        if (!all->sequence->next(all->sequence->self, &command, status))
            return false;
        all->exhausted = command.kind == GPU_COMMAND_NONE;
        if (command.kind == GPU_COMMAND_COPY && command.stream == 0)
            stream_order_barrier(&all->order);
        if (command.kind != GPU_COMMAND_KERNEL)
            continue;
        struct replay *p = calloc(1, sizeof *p);
        if (!p)
            return status_fail(status, STATUS_MEMORY, "out of memory for a kernel of a trace");
        p->kernel = command.kernel;
        stream_order_add(&all->order, trace_kernel_launch(p->kernel)->stream, p);
    }
    return true;
}

/* Tells the result of the launch that this one repeats. */
static bool repeat(struct replays *all, struct replay *p, const struct repeat *known, struct status *status)
{
    p->result = known->result;
    p->result.repeats = true;
    count(all, &p->result);
    stream_order_end(&all->order, p, known->end);
    return end(all, p, false, status);
}

/* Takes the next launch that may begin: NULL if there is none. */
static bool take(struct replays *all, struct replay **p, uint64_t *cycle, struct status *status)
{
    *p = all->first;
    *cycle = all->first_cycle;
    all->first = NULL;
    if (*p)
        return true;
    if (!fill_window(all, status))
        return false;
    *p = stream_order_launch(&all->order, cycle);
    all->begun += *p != NULL;
    return true;
}

static bool next(void *self, uint64_t now, struct kernel_start *out, struct status *status)
{
    struct replays *all = self;
    (void)now;
    for (;;) {
        struct replay *p;
        uint64_t cycle;
        if (!take(all, &p, &cycle, status))
            return false;
        if (!p)
            return true;
        if (prepare(all->gpu, p, status)) {
            *out = (struct kernel_start){
                .launch = &p->launch, .occupancy = &p->result.occupancy, .result = &p->result, .cycle = cycle};
            return true;
        }
        stream_order_end(&all->order, p, cycle);
        if (!end(all, p, false, status))
            return false;
    }
}

static bool ended(void *self, const struct kernel_run *k, uint64_t cycle, struct status *status)
{
    struct replays *all = self;
    struct replay *p = (struct replay *)((char *)k->result - offsetof(struct replay, result));
    const struct kernel_result *r = &p->result;
    all->by_a_limit |= r->stop == STOP_CYCLES || r->stop == STOP_INSTRUCTIONS;
    count(all, r);
    p->end = cycle;
    stream_order_end(&all->order, p, cycle);
    return end(all, p, true, status);
}

static bool simulate(struct replays *all, struct status *status)
{
    struct gpu *gpu = all->gpu;
    if (!gpu_ready_timed(gpu, status))
        return false;
    gpu->timed.shares = false;
    bool ok = timed_run(&gpu->timed, &(struct timed_feed){all, next, NULL, NULL, ended}, &gpu->options, status);
    if (!ok || gpu->timed.stop.action != PLAN_TIME)
        gpu_reset_timed(gpu);
    return ok;
}

/* From cold caches until nothing is in flight. A run whose first launch repeats an earlier one has only this one. */
static bool run(struct replays *all, struct status *status)
{
    struct replay *first;
    stream_order_restart(&all->order);
    all->end = all->begun = 0;
    if (!take(all, &first, &all->first_cycle, status))
        return false;
    const struct repeat *known = first ? find_repeat(all, first) : NULL;
    all->first = known ? NULL : first;
    bool ok = known ? repeat(all, first, known, status) : simulate(all, status);
    all->gpu->past.cycles += all->end;
    const struct gpu_sequence *s = all->sequence;
    return ok && (!s->idle || s->idle(s->self, all->end, status));
}

static bool follow_each_other(const struct gpu_options *o)
{
    return o->serial_streams || o->hazards || o->lines || o->samples || plan_alone(o->plan) || o->pause.begun ||
           o->pause.save;
}

bool gpu_replay_all(struct gpu *gpu, const struct gpu_sequence *sequence, struct status *status)
{
    struct replays all = {
        .gpu = gpu, .sequence = sequence, .order.serial = follow_each_other(&gpu->options), .since = gpu_seconds()};
    bool ok = true;
    while (ok && !all.by_a_limit && (!all.exhausted || all.order.count > 0))
        ok = run(&all, status);
    for (uint32_t i = 0; i < all.order.count; i++) { /* that have not begun */
        struct replay *p = all.order.entry[i].item;
        sequence->ended(sequence->self, p->kernel, NULL, status);
        trace_machine_free(&p->machine);
        free(p);
    }
    return ok;
}

/* ---- a single one ------------------------------------------------------------------------------------------------ */

struct single {
    const struct trace_kernel *kernel; /* NULL: it has been given */
    struct kernel_result *result;
};

static bool single_next(void *self, struct gpu_command *out, struct status *status)
{
    struct single *single = self;
    (void)status;
    if (single->kernel)
        *out = (struct gpu_command){.kind = GPU_COMMAND_KERNEL, .kernel = single->kernel};
    single->kernel = NULL;
    return true;
}

static bool single_ended(void *self, const struct trace_kernel *kernel, const struct kernel_result *result,
                         struct status *status)
{
    const struct single *single = self;
    (void)kernel;
    if (result)
        *single->result = *result;
    return status->code == STATUS_OK;
}

bool gpu_replay(struct gpu *gpu, const struct trace_kernel *kernel, struct kernel_result *result, struct status *status)
{
    struct single single = {kernel, result};
    memset(result, 0, sizeof *result);
    return gpu_replay_all(gpu, &(struct gpu_sequence){&single, single_next, single_ended, NULL}, status);
}

uint64_t gpu_replay_damage(const struct gpu *gpu, struct status *first)
{
    *first = gpu->damaged > 0 ? gpu->damage : (struct status){0};
    return gpu->damaged;
}
