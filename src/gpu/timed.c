#include "gpu/timed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/deadlock.h"
#include "gpu/quantum.h"
#include "gpu/rest.h"
#include "gpu/upload.h"

static void effects_apply(void *self, const struct request *request)
{
    const struct machine *machine = &((struct timed *)self)->launch->machine;
    machine->apply(machine->self, request->sm, request->token, request->lanes);
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
    const struct machine *machine = &t->launch->machine;
    if (machine->written)
        machine->written(machine->self, sm, slot, pc, cycle);
    if (t->hazards)
        hazards_written(t->hazards, sm, slot, pc, cycle);
    if (next && next->written)
        next->written(next->self, sm, slot, pc, cycle);
}

static void begin_watching(struct timed *t, const struct gpu_options *options)
{
    bool watch = t->launch->machine.written || options->hazards;
    t->hazards = options->hazards;
    t->watched = options->observer;
    t->observer = (struct sm_observer){t, watch_issued, watch_written};
    for (uint32_t i = 0; i < t->used; i++)
        t->sms[i].sm.observer = watch ? &t->observer : options->observer;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static bool build_code(struct timed *t, const struct occupancy *occupancy, struct status *status)
{
    const struct timed_launch *launch = t->launch;
    if (!code_table_build(&t->table, &launch->code, t->config))
        return status_fail(status, STATUS_MEMORY, "out of memory for the code of %s", launch->kernel);
    t->table.warps_per_cta = launch->warps_per_cta;
    t->table.l1_bytes = config_l1_bytes(t->config, occupancy->carveout);
    t->table.address = launch->code_address;
    return true;
}

static bool begin_sm(struct timed *t, uint32_t index, uint32_t ctas, struct status *status)
{
    const struct machine *machine = &t->launch->machine;
    struct timed_sm *s = &t->sms[index];
    if (!machine->begin_sm(machine->self, index, ctas, status))
        return false;
    if (t->table.registers && !sm_make_scoreboard(&s->sm))
        return status_fail(status, STATUS_MEMORY, "out of memory for the scoreboard of an SM");
    s->queue = (struct cta_queue){0};
    sm_begin_kernel(&s->sm, &t->table, machine->source(machine->self, index));
    s->sm.now = t->now;
    return true;
}

static void end_sms(struct timed *t)
{
    const struct machine *machine = &t->launch->machine;
    for (uint32_t i = 0; i < t->used; i++) {
        free(t->sms[i].sm.lines);
        t->sms[i].sm.lines = NULL;
    }
    machine->end(machine->self, t->used);
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
        if (!sm_init(&s->sm, (uint16_t)t->ready, t->config, t->quantum)) {
            sm_free(&s->sm);
            return status_fail(status, STATUS_MEMORY, "out of memory for %u SMs", t->used);
        }
    }
    return true;
}

static uint64_t timed_ctas(const struct timed_launch *launch, const struct gpu_limits *limits)
{
    bool some = limits->ctas && limits->ctas < launch->ctas && !launch->cooperative;
    return some ? limits->ctas : launch->ctas;
}

static bool begin_kernel(struct timed *t, const struct occupancy *occupancy, const struct gpu_options *options,
                         struct status *status)
{
    const struct config *c = t->config;
    const struct timed_launch *launch = t->launch;
    mem_reset(t->mem);
    t->now = t->last_cta_end = c->launch.latency;
    t->used = 0;
    if (!build_code(t, occupancy, status))
        return false;
    if (c->launch.upload && !upload(t->mem, launch))
        return status_fail(status, STATUS_MEMORY, "out of memory for requests of the launch");
    uint64_t all = timed_ctas(launch, &options->limits);
    early_begin(&t->early, &options->limits, all, (uint64_t)occupancy->ctas_per_sm * c->gpu.sms, t->now);
    t->used = all < c->gpu.sms ? (uint32_t)all : c->gpu.sms;
    if (!make_ready(t, status))
        return false;
    for (uint32_t i = 0; i < t->used; i++) {
        uint64_t share = all / c->gpu.sms + (i < all % c->gpu.sms);
        uint32_t ctas = share < occupancy->ctas_per_sm ? (uint32_t)share : occupancy->ctas_per_sm;
        if (!begin_sm(t, i, ctas, status))
            return false;
    }
    front_begin(t);
    t->answered = false;
    begin_watching(t, options);
    if (options->lines && !begin_lines(t, options->lines, status))
        return false;
    cta_scheduler_begin(&t->scheduler, all, c->launch.cta_interval);
    for (uint32_t slot = 0; slot < occupancy->ctas_per_sm; slot++)
        for (uint32_t i = 0; i < t->used; i++)
            cta_scheduler_place(&t->scheduler, &t->sms[i].queue, slot, t->now);
    return true;
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
    const struct machine *machine = &t->launch->machine;
    result->cycles = t->scheduler.done == t->scheduler.total ? t->last_cta_end : t->now;
    if (t->early.stop == STOP_CYCLES && t->early.limits.cycles < result->cycles)
        result->cycles = t->early.limits.cycles; /* before the first CTA */
    result->launch_cycles = t->config->launch.latency;
    result->ctas_done = t->scheduler.done;
    result->sm_active_min = UINT64_MAX;
    for (uint32_t i = 0; i < t->used; i++) {
        const struct sm_counters *n = &t->sms[i].sm.n;
        sm_counters_add(&result->sm, n);
        result->thread_instructions += machine->thread_instructions(machine->self, i);
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

uint64_t timed_instructions(const struct timed *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->used; i++)
        sum += t->sms[i].sm.n.inst_executed;
    return sum;
}

enum { QUANTA_A_PROGRESS = 64 };

/* Multiples of `every` cycles of all launches. */
static void plan_save(struct timed *t, const struct gpu_pause *pause)
{
    t->next_save = pause->every ? ((t->before + t->now) / pause->every + 1) * pause->every : UINT64_MAX;
}

/* Between two quanta. */
static bool save(struct timed *t, const struct gpu_pause *pause, bool last, struct status *status)
{
    if (!pause->save || (!last && t->before + t->now < t->next_save))
        return true;
    plan_save(t, pause);
    front_catch_up(t);
    return pause->save(pause->self, t->now, last, status);
}

static bool run_kernel(struct timed *t, const struct gpu_options *options, struct status *status)
{
    const struct machine *machine = &t->launch->machine;
    bool limits = early_limits(&options->limits);
    if (!t->next_save)
        plan_save(t, &options->pause);
    for (uint64_t quantum = 0; t->scheduler.done < t->scheduler.total; quantum++) {
        if (limits && early_check(&t->early, t->now, timed_instructions(t), t->scheduler.done))
            return true;
        if (!quantum_run(t))
            return status_fail(status, STATUS_MEMORY, "out of memory for memory requests at cycle %llu",
                               (unsigned long long)t->now);
        if (!machine->check(machine->self, t->used, status))
            return false;
        bool stop = options->stop && *options->stop;
        if (!save(t, &options->pause, stop, status))
            return false;
        if (stop)
            return status_fail(status, STATUS_INTERRUPTED, "stopped at cycle %llu", (unsigned long long)t->now);
        if (quantum % QUANTA_A_PROGRESS)
            continue;
        if (mem_idle(t->mem) && t->now > last_progress(t) + t->config->run.deadlock_cycles)
            return deadlock_report(t, status);
        if (options->progress)
            options->progress(options->progress_context, t->scheduler.done, t->scheduler.total, t->now,
                              timed_instructions(t));
    }
    return true;
}

bool timed_run(struct timed *t, const struct timed_launch *launch, const struct occupancy *occupancy,
               const struct gpu_options *options, struct kernel_result *result, struct status *status)
{
    t->launch = launch;
    bool begun = begin_kernel(t, occupancy, options, status) &&
                 (!options->pause.begun || options->pause.begun(options->pause.self, status));
    bool ok = begun && run_kernel(t, options, status);
    if (ok && t->early.stop == STOP_NONE && t->scheduler.total < launch->ctas)
        t->early.stop = STOP_CTAS;
    if (begun)
        front_catch_up(t);
    collect(t, result);
    if (options->lines)
        collect_lines(t, options->lines);
    result->stop = t->early.stop;
    result->stable_ipc = t->early.stable_ipc;
    result->complete = ok && result->stop == STOP_NONE;
    if (ok && launch->machine.rest && rest_wanted(result->stop, &options->limits))
        ok = launch->machine.rest(launch->machine.self, t, options, result, status);
    early_estimate(result);
    end_sms(t);
    t->launch = NULL;
    return ok;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

bool timed_init(struct timed *t, const struct config *config, unsigned threads, struct status *status)
{
    *t = (struct timed){.config = config};
    t->mem = mem_create(config, (struct memory_effects){t, effects_apply}, status);
    if (!t->mem)
        return false;
    t->quantum = mem_quantum(t->mem);
    t->team = team_create(threads);
    t->sms = calloc(config->gpu.sms, sizeof *t->sms);
    if (t->team && t->sms)
        return true;
    timed_free(t);
    return status_fail(status, STATUS_MEMORY, "out of memory for %u SMs", config->gpu.sms);
}

void timed_free(struct timed *t)
{
    for (uint32_t i = 0; i < t->ready; i++)
        sm_free(&t->sms[i].sm);
    free(t->sms);
    code_table_free(&t->table);
    if (t->team)
        team_destroy(t->team);
    if (t->mem)
        mem_destroy(t->mem);
    *t = (struct timed){0};
}
