#include "gpu/grid_parts.h"

#include "gpu/kernel_run.h"
#include "gpu/timed.h"

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static struct plan_part answer(const struct timed *t, const struct kernel_run *k, uint64_t first)
{
    const struct plan_grid grid = {k->launch.ctas, k->resident};
    if (k->launch.cooperative || kernel_run_follows(k))
        return (struct plan_part){.end = grid.ctas};
    struct plan_part part = plan_ctas(t->plan, &grid, first);
    part.end += (k->launch.cta_group - part.end % k->launch.cta_group) % k->launch.cta_group;
    return part;
}

/* Timed CTAs of several answers are handed out like those of one, at least `least` of them at once. */
static void ask(const struct timed *t, struct kernel_run *k, uint64_t least)
{
    struct cta_scheduler *s = &k->scheduler;
    struct grid_parts *p = &k->parts;
    while (s->total < k->launch.ctas && s->total - s->next < least && p->next.end == s->total) {
        p->next = answer(t, k, s->total);
        if (p->next.action != PLAN_TIME)
            p->why = p->next.why;
        else
            s->total = p->next.end;
    }
}

static void ask_for_wave(const struct timed *t, struct kernel_run *k) { ask(t, k, k->resident); }

void grid_parts_begin(const struct timed *t, struct kernel_run *k)
{
    k->parts = (struct grid_parts){0};
    ask_for_wave(t, k);
    k->parts.first = k->scheduler.total;
}

void grid_parts_ask(const struct timed *t, struct kernel_run *k) { ask(t, k, 1); }

/* ---- parts without time ------------------------------------------------------------------------------------------ */

/* Nothing of the kernel is on an SM, or on its way. */
static bool is_drained(const struct timed *t, const struct kernel_run *k)
{
    for (uint32_t i = 0; i < t->used; i++) {
        const struct timed_sm *s = &t->sms[i];
        if (tenants_has(s, k) && (s->sm.ctas > 0 || s->queue.count > 0 || !port_quiet(&s->sm.port)))
            return false;
    }
    return true;
}

static bool pass(struct timed *t, struct kernel_run *k, const struct gpu_options *options, struct status *status)
{
    const struct machine *machine = &k->launch.machine;
    struct cta_scheduler *s = &k->scheduler;
    struct grid_parts *p = &k->parts;
    if (p->next.action == PLAN_WARM)
        return status_fail(status, STATUS_UNSUPPORTED, "%s: a plan that warms caches is not there yet",
                           k->launch.kernel);
    if (p->next.action == PLAN_EXECUTE && machine->part &&
        !machine->part(machine->self, t, s->total, p->next.end, options, k->result, status))
        return false;
    p->skipped |= p->next.action == PLAN_SKIP;
    p->untimed += p->next.end - s->total;
    s->next = s->done = s->total = p->next.end;
    return true;
}

bool grid_parts_advance(struct timed *t, struct kernel_run *k, const struct gpu_options *options, bool *begun,
                        struct status *status)
{
    const struct cta_scheduler *s = &k->scheduler;
    while (!k->ended && kernel_run_rests(k) && !kernel_run_done(k)) {
        if (!is_drained(t, k))
            return true;
        if (!pass(t, k, options, status))
            return false;
        ask_for_wave(t, k);
        *begun |= s->next < s->total;
    }
    return true;
}

bool grid_parts_wait(const struct timed *t)
{
    for (const struct kernel_run *k = t->kernels; k; k = k->next)
        if (!k->ended && kernel_run_rests(k) && !kernel_run_done(k))
            return true;
    return false;
}

struct plan_answer grid_parts_rest(const struct kernel_run *k)
{
    const struct grid_parts *p = &k->parts;
    bool left = k->scheduler.total < k->launch.ctas;
    enum plan_action action = left ? p->next.action : PLAN_TIME;
    return (struct plan_answer){p->skipped && action == PLAN_EXECUTE ? PLAN_SKIP : action, p->why};
}
