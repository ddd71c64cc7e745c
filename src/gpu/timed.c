#include "gpu/timed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "gpu/deadlock.h"
#include "gpu/grid_parts.h"
#include "gpu/placement.h"
#include "gpu/quantum.h"
#include "gpu/rest.h"
#include "gpu/sampling.h"

static void effects_apply(void *self, const struct request *request)
{
    const struct timed *t = self;
    const struct machine *machine = &tenants_first(&t->sms[request->sm])->launch.machine;
    machine->apply(machine->self, request);
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
    const struct machine *machine = &tenants_first(&t->sms[sm])->launch.machine;
    if (machine->written)
        machine->written(machine->self, sm, slot, pc, cycle);
    if (t->hazards)
        hazards_written(t->hazards, sm, slot, pc, cycle);
    if (next && next->written)
        next->written(next->self, sm, slot, pc, cycle);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static bool launch(struct timed *t, const struct kernel_start *start, const struct gpu_options *options,
                   struct status *status)
{
    t->watch = start->launch->machine.written || options->hazards;
    if (t->lines && !line_profile_reset(t->lines, start->launch->code.count))
        return status_fail(status, STATUS_MEMORY, "out of memory for counters of %u instructions",
                           start->launch->code.count);
    if (!hybrid_begin(t, start->launch, start->occupancy, status))
        return false;
    struct kernel_run *k = kernel_run_launch(t, start, status);
    return k && grid_parts_begin(t, k, status);
}

/* All that was launched by now. */
static bool launch_all(struct timed *t, const struct timed_feed *feed, const struct gpu_options *options,
                       struct status *status)
{
    uint32_t before = t->in_flight;
    bool begun = false;
    while (t->in_flight < t->config->launch.resident_grids) {
        struct kernel_start start = {0};
        if (!feed->next(feed->self, t->used ? t->now : 0, &start, status))
            return false;
        if (!start.launch)
            break;
        if (!launch(t, &start, options, status))
            return false;
    }
    for (struct kernel_run *k = t->kernels; k; k = k->next)
        if (!grid_parts_advance(t, k, options, &begun, status))
            return false;
    t->launch_at = earliest(placement_next(t), feed->again ? feed->again(feed->self) : UINT64_MAX);
    bool some_wait = begun || (t->kernels && (t->in_flight > before || t->kernels->next));
    return !some_wait || placement_run(t, status);
}

/* Reports its result, even if the run has failed. */
static bool finish(struct timed *t, struct kernel_run *k, const struct timed_feed *feed,
                   const struct gpu_options *options, bool ok, struct status *status)
{
    const struct machine *machine = &k->launch.machine;
    struct kernel_result *r = k->result;
    uint64_t cycle = kernel_run_done(k) ? k->last_cta_end : t->now;
    kernel_run_end(t, k);
    if (t->hybrid.on)
        hybrid_end(t, r);
    t->ended_ctas += r->ctas_done;
    const struct plan_answer left = t->stop.action != PLAN_TIME ? t->stop : grid_parts_rest(k);
    r->stop = ok ? left.why : t->stop.why;
    r->complete = ok && r->stop == STOP_NONE;
    plan_note(t->plan, r);
    if (ok && machine->rest && (left.action == PLAN_WARM || left.action == PLAN_EXECUTE))
        ok = machine->rest(machine->self, t, options, r, status);
    plan_estimate(t->plan, r);
    machine->end(machine->self, t->used);
    return feed->ended(feed->self, k, cycle, status) && ok;
}

static void tell_preexited(struct timed *t, const struct timed_feed *feed)
{
    for (struct kernel_run *k = t->kernels; k && feed->preexited; k = k->next) {
        if (k->told || k->ended || !kernel_run_preexited(k))
            continue;
        k->told = true;
        feed->preexited(feed->self, k, k->preexit_cycle);
    }
}

static bool finish_done(struct timed *t, const struct timed_feed *feed, const struct gpu_options *options,
                        struct status *status)
{
    bool ok = true;
    for (struct kernel_run *k = t->kernels; k && ok; k = k->next) {
        kernel_run_settle(t, k);
        if (!k->ended && kernel_run_done(k))
            ok = finish(t, k, feed, options, true, status);
    }
    return ok;
}

/* Of those that have ended and whose SMs have all gone to others. */
static void forget_ended(struct timed *t)
{
    for (struct kernel_run **link = &t->kernels; *link;) {
        struct kernel_run *k = *link;
        if (!k->ended || k->sms > 0) {
            link = &k->next;
            continue;
        }
        *link = k->next;
        kernel_run_free(k);
    }
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

static void begin(struct timed *t, const struct gpu_options *options)
{
    mem_reset(t->mem);
    t->now = t->end = t->config->launch.latency;
    t->options = options;
    co_runner_begin(&t->co_runner, t->config);
    t->used = 0;
    t->counted = t->ended_ctas = 0;
    t->next_code = 0;
    t->launch_at = UINT64_MAX;
    t->answered = false;
    t->hazards = options->hazards;
    t->watched = options->observer;
    t->observer = (struct sm_observer){t, watch_issued, watch_written};
    t->lines = options->lines;
    t->log = options->log;
    if (t->log)
        run_log_begin(t->log);
    t->schedule = options->schedule;
    t->places = options->places;
    t->plan = options->plan;
    t->watched_by_plan = plan_watches(t->plan);
    t->bound = plan_bound(t->plan, &t->past);
    t->stop = (struct plan_answer){0};
    spin_monitor_begin(&t->spin, options);
    front_begin(t);
}

/* Of kernels that are launched together, the first stands for all. */
static void begin_plan(struct timed *t)
{
    const struct kernel_run *k = t->kernels;
    plan_begin(t->plan, &(struct plan_grid){.ctas = k->scheduler.total, .resident = k->resident}, t->now);
}

static void end(struct timed *t)
{
    for (uint32_t i = 0; i < t->used; i++) {
        free(t->sms[i].sm.lines);
        t->sms[i].sm.lines = NULL;
    }
    while (t->kernels) {
        struct kernel_run *k = t->kernels;
        t->kernels = k->next;
        kernel_run_free(k);
    }
    t->in_flight = 0;
    if (t->log)
        run_log_end(t->log);
    spin_monitor_free(&t->spin);
}

static uint64_t last_progress(const struct timed *t)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < t->used; i++)
        if (t->sms[i].sm.last_progress > last)
            last = t->sms[i].sm.last_progress;
    return last;
}

static uint64_t timed_ctas_done(const struct timed *t)
{
    uint64_t sum = t->ended_ctas;
    for (const struct kernel_run *k = t->kernels; k; k = k->next)
        sum += k->ended ? 0 : k->scheduler.done - k->parts.untimed;
    return sum;
}

/* Returns the cycles that memory would take, at its pins, to write the dirty lines of the L2. */
static uint64_t unwritten(const struct timed *t)
{
    double bytes_per_cycle = t->config->dram.bandwidth * 1e3 / t->config->gpu.clock;
    return (uint64_t)((double)mem_dirty_sectors(t->mem) * PORT_SECTOR / bytes_per_cycle);
}

/* Returns whether the plan ends the run here. */
static bool ask_plan(struct timed *t)
{
    if (!t->watched_by_plan)
        return false;
    const struct plan_time time = {.now = t->now,
                                   .instructions = front_instructions(t),
                                   .ctas = timed_ctas_done(t),
                                   .unwritten = unwritten(t),
                                   .past = t->past};
    t->stop = plan_quantum(t->plan, &time);
    return t->stop.action != PLAN_TIME;
}

enum { QUANTA_A_PROGRESS = 64 };

/* Multiples of `every` cycles over all launches. */
static void plan_save(struct timed *t, const struct gpu_pause *pause)
{
    t->next_save = pause->every ? ((t->past.cycles + t->now) / pause->every + 1) * pause->every : UINT64_MAX;
}

/* Between two quanta. */
static bool save(struct timed *t, const struct gpu_pause *pause, bool last, struct status *status)
{
    if (!pause->save || (!last && t->past.cycles + t->now < t->next_save))
        return true;
    plan_save(t, pause);
    front_catch_up(t);
    return pause->save(pause->self, t->now, last, status);
}

static bool check_machines(const struct timed *t, struct status *status)
{
    for (const struct kernel_run *k = t->kernels; k; k = k->next) {
        const struct machine *machine = &k->launch.machine;
        if (!k->ended && !machine->check(machine->self, t->used, status))
            return false;
    }
    return true;
}

static void tell_progress(const struct timed *t, const struct gpu_options *options)
{
    uint64_t ctas = t->ended_ctas;
    for (const struct kernel_run *k = t->kernels; k; k = k->next)
        ctas += k->ended ? 0 : k->scheduler.total - k->parts.untimed;
    options->progress(options->progress_context, timed_ctas_done(t), ctas, t->now, front_instructions(t));
}

/* How far the oldest kernel in flight is. */
static bool say_stopped(const struct timed *t, const struct gpu_options *options, struct status *status)
{
    const struct kernel_run *k = t->kernels;
    char others[64] = "";
    while (k->ended)
        k = k->next;
    if (t->in_flight > 1)
        snprintf(others, sizeof others, "; kernels in flight beside it: %u", t->in_flight - 1);
    spin_monitor_again(t, options);
    return status_fail(status, STATUS_INTERRUPTED,
                       "kernel %.200s: stopped at cycle %" PRIu64 " with %" PRIu64 " of %" PRIu64
                       " CTAs completed, after %" PRIu64 " warp instructions%s",
                       k->launch.kernel, t->now, k->scheduler.done, k->scheduler.total, kernel_run_instructions(t, k),
                       others);
}

/* To the end of the last kernel in flight, or where a limit ends them all. */
static bool run(struct timed *t, const struct timed_feed *feed, const struct gpu_options *options,
                struct status *status)
{
    if (!t->next_save)
        plan_save(t, &options->pause);
    for (uint64_t quantum = 0;; quantum++) {
        tell_preexited(t, feed);
        if (!finish_done(t, feed, options, status))
            return false;
        if (t->in_flight == 0)
            return true;
        if (quantum > 0 && !launch_all(t, feed, options, status))
            return false;
        forget_ended(t);
        if (ask_plan(t))
            return true;
        if (!quantum_run(t, status))
            return false;
        sampling_quantum(t);
        if (!check_machines(t, status))
            return false;
        bool stop = options->stop && *options->stop;
        if (!save(t, &options->pause, stop, status))
            return false;
        if (stop)
            return say_stopped(t, options, status);
        if (quantum % QUANTA_A_PROGRESS)
            continue;
        if (mem_idle(t->mem) && t->now > last_progress(t) + t->config->run.deadlock_cycles)
            return deadlock_report(t, status);
        spin_monitor_check(t, options);
        if (options->progress)
            tell_progress(t, options);
    }
}

bool timed_run(struct timed *t, const struct timed_feed *feed, const struct gpu_options *options, struct status *status)
{
    begin(t, options);
    bool begun = sampling_begin(t, options, status) && launch_all(t, feed, options, status);
    if (begun && t->in_flight > 0) {
        begin_plan(t);
        begun = !options->pause.begun || options->pause.begun(options->pause.self, status);
    }
    bool ok = begun && run(t, feed, options, status);
    for (struct kernel_run *k = t->kernels; k; k = k->next)
        if (!k->ended)
            ok &= finish(t, k, feed, options, ok, status);
    end(t);
    return ok;
}

/* ---- one kernel -------------------------------------------------------------------------------------------------- */

struct one {
    struct kernel_start start;
    bool launched;
};

static bool one_next(void *self, uint64_t now, struct kernel_start *out, struct status *status)
{
    (void)now, (void)status;
    struct one *one = self;
    if (!one->launched)
        *out = one->start;
    one->launched = true;
    return true;
}

static bool one_ended(void *self, const struct kernel_run *k, uint64_t cycle, struct status *status)
{
    (void)self, (void)k, (void)cycle, (void)status;
    return true;
}

bool timed_run_one(struct timed *t, const struct timed_launch *launch, const struct gpu_options *options,
                   struct kernel_result *result, struct status *status)
{
    struct one one = {.start = {.launch = launch, .occupancy = &result->occupancy, .result = result}};
    t->shares = false;
    return timed_run(t, &(struct timed_feed){&one, one_next, NULL, NULL, one_ended}, options, status);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

bool timed_init(struct timed *t, const struct config *config, unsigned threads, struct status *status)
{
    *t = (struct timed){.config = config};
    t->mem = mem_create(config, (struct memory_effects){t, effects_apply}, status);
    if (!t->mem)
        return false;
    t->quantum = (uint32_t)earliest(mem_quantum(t->mem), config->tma.work);
    t->team = team_create(threads);
    t->sms = arena_take(&t->storage, config->gpu.sms * sizeof *t->sms);
    if (t->team && t->sms)
        return true;
    timed_free(t);
    return status_fail(status, STATUS_MEMORY, "out of memory for %u SMs", config->gpu.sms);
}

void timed_free(struct timed *t)
{
    for (uint32_t i = 0; t->sms && i < t->config->gpu.sms; i++)
        if (t->sms[i].made)
            sm_free(&t->sms[i].sm);
    code_space_free(&t->code);
    hybrid_free(&t->hybrid);
    arena_free(&t->storage);
    if (t->team)
        team_destroy(t->team);
    if (t->mem)
        mem_destroy(t->mem);
    *t = (struct timed){0};
}
