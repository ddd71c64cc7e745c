#include "gpu/timed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/deadlock.h"
#include "gpu/quantum.h"
#include "gpu/upload.h"

/* ---- the source of an SM: the functional machine ----------------------------------------------------------------- */

static struct exec_warp *warp_in(struct timed_sm *s, uint32_t slot)
{
    return &s->cta[slot / s->warps_per_cta]->warps[slot % s->warps_per_cta];
}

static void source_step(void *self, uint32_t slot, uint32_t token, uint64_t clock, struct issued *out)
{
    struct timed_sm *s = self;
    s->core.clock = clock;
    if (s->strict.slots)
        strict_step(&s->strict, slot, &s->core, warp_in(s, slot), token, clock - 1, out);
    else
        exec_step(&s->core, warp_in(s, slot), token, out);
}

static void source_complete(void *self, uint32_t token)
{
    struct timed_sm *s = self;
    exec_complete(&s->core, token);
}

static uint32_t source_release(void *self, uint32_t slot)
{
    uint32_t next;
    exec_release_barrier(warp_in(self, slot), &next);
    return next;
}

static void effects_apply(void *self, const struct request *request)
{
    struct timed *t = self;
    exec_apply(&t->sms[request->sm].core, request->token, request->lanes);
}

/* ---- watching ---------------------------------------------------------------------------------------------------- */

static void watch_issued(void *self, uint16_t sm, uint32_t slot, uint64_t cta, const struct code *code,
                         const struct issued *issued, uint64_t cycle)
{
    const struct timed *t = self;
    const struct sm_observer *next = t->watched;
    if (t->hazards)
        hazards_issued(t->hazards, sm, slot, cta, issued->pc, issued->path, issued->active, cycle);
    if (next)
        next->issued(next->self, sm, slot, cta, code, issued, cycle);
}

static void watch_written(void *self, uint16_t sm, uint32_t slot, uint32_t pc, uint64_t cycle)
{
    struct timed *t = self;
    const struct sm_observer *next = t->watched;
    if (t->sms[sm].strict.slots)
        strict_written(&t->sms[sm].strict, slot, pc, cycle);
    if (t->hazards)
        hazards_written(t->hazards, sm, slot, pc, cycle);
    if (next && next->written)
        next->written(next->self, sm, slot, pc, cycle);
}

static bool begin_watching(struct timed *t, const struct exec_launch *launch, const struct gpu_options *options,
                           struct status *status)
{
    bool watch = options->strict_hazards || options->hazards;
    t->hazards = options->hazards;
    t->watched = options->observer;
    t->observer = (struct sm_observer){t, watch_issued, watch_written};
    for (uint32_t i = 0; i < t->used; i++) {
        struct timed_sm *s = &t->sms[i];
        s->sm.observer = watch ? &t->observer : options->observer;
        strict_free(&s->strict);
        if (options->strict_hazards && !strict_init(&s->strict, SM_WARPS, status))
            return false;
        s->strict.sm = launch->module->sm;
    }
    return true;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static const struct isa_inst *instruction_at(const void *self, uint32_t index)
{
    return &((const struct exec_kernel *)self)->code[index].isa;
}

static bool build_code(struct timed *t, const struct exec_launch *launch, const struct occupancy *occupancy,
                       struct status *status)
{
    const struct code_source source = {launch->kernel, instruction_at, launch->kernel->count};
    if (!code_table_build(&t->table, &source, t->config))
        return status_fail(status, STATUS_MEMORY, "out of memory for the code of %s", launch->kernel->cubin->name);
    t->table.warps_per_cta = launch->warps_per_cta;
    t->table.l1_bytes = config_l1_bytes(t->config, occupancy->carveout);
    t->table.address = upload_address(launch);
    return true;
}

static bool begin_sm(struct timed *t, struct timed_sm *s, const struct exec_launch *launch, uint32_t ctas,
                     struct status *status)
{
    s->warps_per_cta = launch->warps_per_cta;
    s->threads_per_cta = launch->block.x * launch->block.y * launch->block.z;
    s->queue = (struct cta_queue){0};
    s->core.fault = (struct status){0};
    s->core.report = (struct exec_fault_report){0};
    s->core.start_ns = launch->start_ns;
    s->core.thread_instructions = 0;
    sm_begin_kernel(&s->sm, &t->table, (struct sm_source){s, source_step, source_complete, source_release});
    s->sm.now = t->now;
    for (uint32_t c = 0; c < ctas; c++) {
        s->cta[c] = exec_cta_create(launch, status);
        if (!s->cta[c])
            return false;
    }
    return true;
}

static void end_sms(struct timed *t)
{
    for (uint32_t i = 0; i < t->used; i++) {
        free(t->sms[i].sm.lines);
        t->sms[i].sm.lines = NULL;
        for (uint32_t c = 0; c < SM_CTAS; c++) {
            if (t->sms[i].cta[c])
                exec_cta_destroy(t->sms[i].cta[c]);
            t->sms[i].cta[c] = NULL;
        }
    }
}

/* Each SM counts for itself; a profile is the sum. */
static bool begin_lines(struct timed *t, struct line_profile *profile, struct status *status)
{
    bool ok = line_profile_reset(profile, t->table.count);
    for (uint32_t i = 0; ok && i < t->used; i++) {
        struct sm *sm = &t->sms[i].sm;
        sm->lines = calloc(t->table.count + 1u, sizeof *sm->lines);
        ok = sm->lines != NULL;
    }
    return ok || status_fail(status, STATUS_MEMORY, "out of memory for counters of %u instructions", t->table.count);
}

static void collect_lines(const struct timed *t, struct line_profile *profile)
{
    for (uint32_t i = 0; i < t->used; i++) {
        const struct line_counters *lines = t->sms[i].sm.lines;
        for (uint32_t k = 0; lines && t->sms[i].sm.n.cycles_active && k <= profile->count; k++)
            line_counters_add(&profile->line[k], &lines[k]);
    }
}

/* SMs are made when the first CTA comes to them. */
static bool make_ready(struct timed *t, struct status *status)
{
    for (; t->ready < t->used; t->ready++) {
        struct timed_sm *s = &t->sms[t->ready];
        if (!sm_init(&s->sm, (uint16_t)t->ready, t->config, t->quantum) ||
            !exec_core_init(&s->core, t->memory, false, t->ready, status)) {
            sm_free(&s->sm);
            return status_fail(status, STATUS_MEMORY, "out of memory for %u SMs", t->used);
        }
        t->cores[t->ready] = &s->core;
        s->core.clock_hz = (uint64_t)(t->config->gpu.clock * 1e6);
    }
    return true;
}

static bool begin_kernel(struct timed *t, const struct exec_launch *launch, const struct occupancy *occupancy,
                         const struct gpu_options *options, struct status *status)
{
    const struct config *c = t->config;
    mem_reset(t->mem);
    t->now = t->last_cta_end = c->launch.latency;
    if (!build_code(t, launch, occupancy, status))
        return false;
    if (c->launch.upload && !upload(t->mem, launch))
        return status_fail(status, STATUS_MEMORY, "out of memory for requests of the launch");
    t->used = launch->cta_count < c->gpu.sms ? (uint32_t)launch->cta_count : c->gpu.sms;
    if (!make_ready(t, status))
        return false;
    for (uint32_t i = 0; i < t->used; i++) {
        uint64_t share = launch->cta_count / c->gpu.sms + (i < launch->cta_count % c->gpu.sms);
        uint32_t ctas = share < occupancy->ctas_per_sm ? (uint32_t)share : occupancy->ctas_per_sm;
        if (!begin_sm(t, &t->sms[i], launch, ctas, status))
            return false;
    }
    if (!begin_watching(t, launch, options, status) || (options->lines && !begin_lines(t, options->lines, status)))
        return false;
    cta_scheduler_begin(&t->scheduler, launch->cta_count, c->launch.cta_interval);
    for (uint32_t slot = 0; slot < occupancy->ctas_per_sm; slot++)
        for (uint32_t i = 0; i < t->used; i++)
            cta_scheduler_place(&t->scheduler, &t->sms[i].queue, slot, t->now);
    return true;
}

static bool strict_failed(const struct timed *t)
{
    for (uint32_t i = 0; i < t->used; i++)
        if (t->sms[i].strict.failed)
            return true;
    return false;
}

static const struct exec_core *first_fault(const struct timed *t)
{
    for (uint32_t i = 0; i < t->used; i++)
        if (t->sms[i].core.fault.code != STATUS_OK)
            return &t->sms[i].core;
    return NULL;
}

static uint64_t last_progress(const struct timed *t)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < t->used; i++)
        if (t->sms[i].sm.last_progress > last)
            last = t->sms[i].sm.last_progress;
    return last;
}

static void collect(const struct timed *t, struct kernel_result *result)
{
    result->cycles = t->scheduler.done == t->scheduler.total ? t->last_cta_end : t->now;
    result->launch_cycles = t->config->launch.latency;
    result->ctas_done = t->scheduler.done;
    result->sm_active_min = UINT64_MAX;
    for (uint32_t i = 0; i < t->used; i++) {
        const struct sm_counters *n = &t->sms[i].sm.n;
        sm_counters_add(&result->sm, n);
        result->thread_instructions += t->sms[i].core.thread_instructions;
        if (!n->cycles_active)
            continue;
        result->sms_used++;
        if (n->cycles_active < result->sm_active_min)
            result->sm_active_min = n->cycles_active;
        if (n->cycles_active > result->sm_active_max)
            result->sm_active_max = n->cycles_active;
    }
    if (!result->sms_used)
        result->sm_active_min = 0;
    result->warp_instructions = result->sm.inst_executed;
    mem_counters(t->mem, &result->mem);
}

static uint64_t instructions(const struct timed *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->used; i++)
        sum += t->sms[i].sm.n.inst_executed;
    return sum;
}

enum { QUANTA_A_PROGRESS = 64 };

static bool run_kernel(struct timed *t, const struct exec_launch *launch, const struct gpu_options *options,
                       struct status *status)
{
    for (uint64_t quantum = 0; t->scheduler.done < t->scheduler.total; quantum++) {
        if (!quantum_run(t, launch->output))
            return status_fail(status, STATUS_MEMORY, "out of memory for memory requests at cycle %llu",
                               (unsigned long long)t->now);
        const struct exec_core *fault = first_fault(t);
        if (fault) {
            *status = fault->fault;
            t->fault = fault->report;
            return false;
        }
        if (options->strict_hazards && strict_failed(t))
            return status_fail(status, STATUS_MEMORY, "out of memory for --strict-hazards");
        if (options->stop && *options->stop)
            return status_fail(status, STATUS_INTERRUPTED, "stopped at cycle %llu", (unsigned long long)t->now);
        if (quantum % QUANTA_A_PROGRESS)
            continue;
        if (mem_idle(t->mem) && t->now > last_progress(t) + t->config->run.deadlock_cycles)
            return deadlock_report(t, launch, status);
        if (options->progress)
            options->progress(options->progress_context, t->scheduler.done, t->scheduler.total, t->now,
                              instructions(t));
    }
    return true;
}

bool timed_run(struct timed *t, const struct exec_launch *launch, const struct occupancy *occupancy,
               const struct gpu_options *options, struct kernel_result *result, struct status *status)
{
    bool ok = begin_kernel(t, launch, occupancy, options, status) && run_kernel(t, launch, options, status);
    collect(t, result);
    if (options->lines)
        collect_lines(t, options->lines);
    result->complete = ok;
    end_sms(t);
    return ok;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

bool timed_init(struct timed *t, const struct config *config, struct memory *memory, unsigned threads,
                struct status *status)
{
    *t = (struct timed){.config = config, .memory = memory};
    t->mem = mem_create(config, (struct memory_effects){t, effects_apply}, status);
    if (!t->mem)
        return false;
    t->quantum = mem_quantum(t->mem);
    t->team = team_create(threads);
    t->sms = calloc(config->gpu.sms, sizeof *t->sms);
    t->cores = calloc(config->gpu.sms, sizeof(struct exec_core *));
    if (t->team && t->sms && t->cores)
        return true;
    timed_free(t);
    return status_fail(status, STATUS_MEMORY, "out of memory for %u SMs", config->gpu.sms);
}

void timed_free(struct timed *t)
{
    for (uint32_t i = 0; i < t->ready; i++) {
        sm_free(&t->sms[i].sm);
        exec_core_free(&t->sms[i].core);
        strict_free(&t->sms[i].strict);
    }
    free(t->sms);
    free(t->cores);
    code_table_free(&t->table);
    if (t->team)
        team_destroy(t->team);
    if (t->mem)
        mem_destroy(t->mem);
    *t = (struct timed){0};
}
