#include "gpu/kernel_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "gpu/front.h"
#include "gpu/logging.h"
#include "gpu/occupancy.h"
#include "gpu/timed.h"
#include "gpu/upload.h"

/* ---- the launch -------------------------------------------------------------------------------------------------- */

static bool build_code(struct kernel_run *k, const struct config *config, struct status *status)
{
    const struct timed_launch *launch = &k->launch;
    if (!code_table_build(&k->table, &launch->code, config))
        return status_fail(status, STATUS_MEMORY, "out of memory for the code of %s", launch->kernel);
    k->table.warps_per_cta = launch->warps_per_cta;
    k->table.l1_bytes = config_l1_bytes(config, k->occupancy->carveout);
    k->table.address = launch->code_address;
    return true;
}

/* Of those in flight each overlaps with each. */
static void append(struct timed *t, struct kernel_run *k)
{
    struct kernel_run **last = &t->kernels;
    for (; *last; last = &(*last)->next) {
        if ((*last)->ended)
            continue;
        (*last)->result->overlapped++;
        k->result->overlapped++;
    }
    *last = k;
    t->in_flight++;
}

struct kernel_run *kernel_run_launch(struct timed *t, const struct kernel_start *start, struct status *status)
{
    const struct config *c = t->config;
    struct kernel_run *k = malloc(sizeof *k);
    if (!k) {
        status_fail(status, STATUS_MEMORY, "out of memory for a kernel in flight");
        return NULL;
    }
    *k = (struct kernel_run){.launch = *start->launch,
                             .number = t->numbered++,
                             .occupancy = start->occupancy,
                             .result = start->result,
                             .launched = start->cycle,
                             .waits = start->waits,
                             .first_cta = UINT64_MAX,
                             .resident = occupancy_resident(c, start->occupancy->ctas_per_sm, start->launch->cta_group),
                             .last_cta_end = t->now};
    bool ok = build_code(k, c, status);
    if (ok && c->launch.upload && !upload(t->mem, start->launch, start->cycle > 0 ? t->now : 0))
        ok = status_fail(status, STATUS_MEMORY, "out of memory for requests of the launch");
    if (!ok) {
        kernel_run_free(k);
        return NULL;
    }
    cta_scheduler_begin(&k->scheduler, 0, cta_pace(&c->launch, start->launch->warps_per_cta));
    append(t, k);
    return k;
}

void kernel_run_free(struct kernel_run *k)
{
    code_table_free(&k->table);
    free(k);
}

/* ---- its SMs ----------------------------------------------------------------------------------------------------- */

static void count_active(const uint64_t active[TOPOLOGY_SMS], struct kernel_result *r)
{
    for (uint32_t i = 0; i < TOPOLOGY_SMS; i++) {
        if (!active[i])
            continue;
        r->sm_active_min = r->sms_used == 0 ? active[i] : earliest(active[i], r->sm_active_min);
        r->sm_active_max = latest(active[i], r->sm_active_max);
        r->sms_used++;
    }
}

static void collect_lines(const struct sm *sm, struct line_profile *profile)
{
    for (uint32_t i = 0; sm->lines && sm->n.cycles_active && i <= profile->count; i++)
        line_counters_add(&profile->line[i], &sm->lines[i]);
}

/* What the SM has counted goes into the result. */
static void count(struct timed *t, struct kernel_run *k, uint32_t index)
{
    struct sm *sm = &t->sms[index].sm;
    struct kernel_result *r = k->result;
    sm_run(sm, t->now);
    sm_counters_add(&r->sm, &sm->n);
    r->thread_instructions += k->launch.machine.thread_instructions(k->launch.machine.self, index);
    k->active[index] += sm->n.cycles_active;
    if (t->lines)
        collect_lines(sm, t->lines);
    t->counted += sm->n.inst_executed;
    sm->n = (struct sm_counters){0};
}

uint64_t kernel_run_instructions(const struct timed *t, const struct kernel_run *k)
{
    uint64_t sum = k->result->sm.inst_executed; /* on SMs that have left it */
    for (uint32_t i = 0; i < t->used; i++)
        sum += t->sms[i].kernel == k ? t->sms[i].sm.n.inst_executed : 0;
    return sum;
}

/* Each SM counts for itself; a profile is the sum. */
static bool begin_lines(const struct timed *t, struct sm *sm, uint32_t instructions, struct status *status)
{
    free(sm->lines);
    sm->lines = t->lines ? calloc(instructions + 1u, sizeof *sm->lines) : NULL;
    return !t->lines || sm->lines ||
           status_fail(status, STATUS_MEMORY, "out of memory for counters of %u instructions", instructions);
}

void kernel_run_leave(struct timed *t, uint32_t index)
{
    struct timed_sm *s = &t->sms[index];
    if (s->kernel && !s->kernel->ended)
        count(t, s->kernel, index);
    if (s->kernel)
        s->kernel->sms--;
    s->kernel = NULL;
}

bool kernel_run_make_sm(struct timed *t, uint32_t index, struct status *status)
{
    struct timed_sm *s = &t->sms[index];
    s->made = s->made || sm_init(&s->sm, (uint16_t)index, t->config, t->quantum, &t->storage);
    return s->made || status_fail(status, STATUS_MEMORY, "out of memory for %u SMs", t->used);
}

bool kernel_run_take(struct timed *t, struct kernel_run *k, uint32_t index, uint32_t ctas, struct status *status)
{
    const struct machine *machine = &k->launch.machine;
    struct timed_sm *s = &t->sms[index];
    if (!machine->begin_sm(machine->self, index, ctas, status))
        return false;
    if (k->table.scoreboard && !sm_make_scoreboard(&s->sm))
        return status_fail(status, STATUS_MEMORY, "out of memory for the scoreboard of an SM");
    s->queue = (struct cta_queue){0};
    sm_begin_kernel(&s->sm, &k->table, machine->source(machine->self, index));
    s->sm.now = s->sm.last_progress = t->now;
    s->sm.grids.waits = k->waits;
    s->sm.observer = t->watch ? &t->observer : t->watched;
    s->kernel = k;
    logging_take(t, index);
    return begin_lines(t, &s->sm, k->table.count, status);
}

/* ---- other grids ------------------------------------------------------------------------------------------------- */

void kernel_run_count_preexits(struct timed *t)
{
    for (uint32_t i = 0; i < t->used; i++) {
        struct grid_link *grids = &t->sms[i].sm.grids;
        struct kernel_run *k = t->sms[i].kernel;
        if (!grids->preexits)
            continue;
        k->preexits += grids->preexits;
        k->preexit_cycle = latest(k->preexit_cycle, grids->preexit_cycle);
        grids->preexits = 0;
    }
}

void kernel_run_acquire(struct timed *t, struct kernel_run *k)
{
    k->waits = false;
    for (uint32_t i = 0; i < t->used; i++)
        if (t->sms[i].kernel == k && grid_link_acquire(&t->sms[i].sm.grids))
            front_wake(t, i, t->now);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static uint64_t end_cycle(const struct timed *t, const struct kernel_run *k)
{
    uint64_t end = kernel_run_done(k) ? k->last_cta_end : t->now;
    uint64_t limit = t->bound.cycle;
    return t->stop.why == STOP_CYCLES && limit < end ? limit : end; /* before the first CTA */
}

void kernel_run_end(struct timed *t, struct kernel_run *k)
{
    struct kernel_result *r = k->result;
    uint64_t latency = t->config->launch.latency, end = end_cycle(t, k);
    for (uint32_t i = 0; i < t->used; i++)
        if (t->sms[i].kernel == k)
            count(t, k, i);
    count_active(k->active, r);
    bool placed = k->first_cta != UINT64_MAX;
    r->begin_cycle = placed ? k->first_cta - latency : k->launched < end ? k->launched : end;
    r->queued_cycles = r->begin_cycle - (k->launched < r->begin_cycle ? k->launched : r->begin_cycle);
    r->cycles = end - r->begin_cycle;
    r->launch_cycles = latency;
    r->ctas_done = k->scheduler.done - k->parts.untimed;
    r->warp_instructions = r->sm.inst_executed;
    if (placed) {
        mem_counters(t->mem, &r->mem);
        mem_counters_subtract(&r->mem, &k->before);
    }
    k->ended = true;
    t->in_flight--;
}
