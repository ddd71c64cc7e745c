#include "gpu/kernel_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "gpu/front.h"
#include "gpu/logging.h"
#include "gpu/occupancy.h"
#include "gpu/tenants.h"
#include "gpu/timed.h"
#include "gpu/upload.h"

/* ---- the launch -------------------------------------------------------------------------------------------------- */

/* Returns the first place of so many behind the code that was placed last, where no kernel in flight has any;
 * UINT32_MAX when there is none. Lines begin there for every cache. */
static uint32_t find_place(const struct timed *t, uint32_t places)
{
    enum { UNIT = 64 };
    uint32_t base = t->next_code;
    for (unsigned turn = 0; turn < 2; turn++, base = 0) {
        bool moved = true;
        while (moved && base + places <= t->code.places) {
            moved = false;
            for (const struct kernel_run *k = t->kernels; k; k = k->next) {
                const struct code_window *w = &k->table.window[0];
                if (!k->shares || w->base >= base + places || base > w->end)
                    continue;
                base = (w->end + UNIT) / UNIT * UNIT;
                moved = true;
            }
        }
        if (base + places <= t->code.places)
            return base;
    }
    return UINT32_MAX;
}

/* In the space that kernels share, if there is room. */
static bool build_table(struct timed *t, struct kernel_run *k)
{
    const struct code_source *source = &k->launch.code;
    uint32_t base = t->shares && k->launch.machine.take_slot ? find_place(t, source->count + 1) : UINT32_MAX;
    k->shares = base != UINT32_MAX;
    if (!k->shares)
        return code_table_build(&k->table, source, t->config);
    t->next_code = base;
    return code_space_build(&t->code, base, &k->table, source, t->config);
}

static bool build_code(struct timed *t, struct kernel_run *k, struct status *status)
{
    const struct timed_launch *launch = &k->launch;
    const struct config *config = t->config;
    if (!build_table(t, k))
        return status_fail(status, STATUS_MEMORY, "out of memory for the code of %s", launch->kernel);
    k->table.l1_bytes = config_l1_bytes(config, k->occupancy->carveout);
    k->table.window[0].address = launch->code_address;
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

/* The schedule that it follows, and the one that it adds to. */
static bool enter_schedules(struct timed *t, struct kernel_run *k, struct status *status)
{
    const struct timed_launch *l = &k->launch;
    if (t->places && !cta_schedule_launch(t->places, k->number, l->kernel, l->ctas))
        return status_fail(status, STATUS_MEMORY, "out of memory for the places of CTAs");
    if (!t->schedule)
        return true;
    if (l->cta_group > 1)
        return status_fail(status, STATUS_UNSUPPORTED, "%.200s: a schedule does not tell where clusters run",
                           l->kernel);
    return cta_follow_begin(&k->follow, t->schedule, k->number, l->kernel, l->ctas, t->config->gpu.sms, status);
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
                             .priority = start->priority,
                             .latency = start->latency ? start->latency : c->launch.latency,
                             .first_cta = UINT64_MAX,
                             .resident = occupancy_resident(c, start->occupancy->ctas_per_sm, start->launch->cta_group),
                             .last_cta_end = t->now};
    bool ok = enter_schedules(t, k, status) && build_code(t, k, status);
    if (ok && c->launch.upload && !t->hybrid.on && !upload(t->mem, start->launch, t->used > 0 ? t->now : 0))
        ok = status_fail(status, STATUS_MEMORY, "out of memory for requests of the launch");
    if (!ok) {
        kernel_run_free(k);
        return NULL;
    }
    struct cta_arrangement arrangement =
        cta_arrange(c->launch.cta_order, start->launch->ctas, start->launch->cta_group);
    if (t->hybrid.on)
        arrangement.share = t->hybrid.share;
    cta_scheduler_begin(&k->scheduler, 0, cta_pace(&c->launch, start->launch->warps_per_cta), &arrangement);
    append(t, k);
    return k;
}

void kernel_run_free(struct kernel_run *k)
{
    cta_follow_free(&k->follow);
    if (!k->shares)
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

uint64_t kernel_run_instructions(const struct timed *t, const struct kernel_run *k)
{
    uint64_t sum = k->result->sm.inst_executed; /* on SMs that have left it */
    for (uint32_t i = 0; i < t->used; i++)
        sum += tenants_instructions(&t->sms[i], k);
    return sum;
}

/* Each SM counts for itself. A profile is the sum. */
static bool begin_lines(const struct timed *t, struct sm *sm, uint32_t instructions, struct status *status)
{
    free(sm->lines);
    sm->lines = t->lines ? calloc(instructions + 1u, sizeof *sm->lines) : NULL;
    return !t->lines || sm->lines ||
           status_fail(status, STATUS_MEMORY, "out of memory for counters of %u instructions", instructions);
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
    if (t->config->launch.preload)
        l15_preload(&s->sm.l15, 0, k->launch.bank_bytes[0]);
    s->sm.now = s->sm.last_progress = t->now;
    s->sm.observer = t->watch ? &t->observer : t->watched;
    tenants_begin(s, k);
    logging_take(t, index);
    return begin_lines(t, &s->sm, k->table.count, status);
}

/* ---- other grids ------------------------------------------------------------------------------------------------- */

void kernel_run_count_preexits(struct timed *t)
{
    for (uint32_t i = 0; i < t->used; i++) {
        struct grid_link *grids = &t->sms[i].sm.grids;
        for (uint32_t p = 0; p < grids->preexits; p++) {
            struct kernel_run *k = tenants_of_slot(&t->sms[i], grids->preexit[p].cta);
            k->preexits++;
            k->preexit_cycle = latest(k->preexit_cycle, grids->preexit[p].cycle);
        }
        grids->preexits = 0;
    }
}

bool kernel_run_give_away(void *context, uint64_t *order)
{
    struct kernel_run *k = context;
    uint32_t group = k->launch.cta_group;
    if (!kernel_run_waits(k) || kernel_run_follows(k))
        return false;
    *order = cta_number(&k->scheduler.arrangement, k->scheduler.next);
    k->scheduler.next += group;
    k->scheduler.done += group;
    k->preexits += group;
    return true;
}

void kernel_run_acquire(struct timed *t, struct kernel_run *k)
{
    k->waits = false;
    for (uint32_t i = 0; i < t->used; i++)
        if (tenants_acquire(&t->sms[i], k, t->now))
            front_wake(t, i, t->now);
}

void kernel_run_settle(struct timed *t, struct kernel_run *k)
{
    if (k->settled || !kernel_run_last(k))
        return;
    uint64_t last = k->last_cta_end;
    for (uint32_t i = 0; i < t->used; i++) {
        const struct unwaited *u = tenants_unwaited(&t->sms[i], k);
        if (u && u->count > 0)
            return;
        last = u ? latest(last, u->last) : last;
    }
    k->last_cta_end = last;
    k->settled = true;
    for (uint32_t i = 0; i < t->used; i++)
        if (tenants_has(&t->sms[i], k))
            tenants_settle(t, i);
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
    uint64_t latency = k->latency, end = end_cycle(t, k);
    for (uint32_t i = 0; i < t->used; i++)
        if (tenants_has(&t->sms[i], k))
            tenants_count(t, i);
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
