#include "gpu/grid_parts.h"

#include <math.h>

#include "gpu/kernel_run.h"
#include "gpu/timed.h"
#include "gpu/warming.h"

static uint64_t sectors_served(const struct mem_counters *n)
{
    return n->l2_sectors_read + n->l2_sectors_write + n->l2_sectors_atomic;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* Returns the CTAs whose accesses fill the L2: by the sectors that those so far have brought into it. CTAs in flight go
 * on behind a gap and use their lines again. Where these are more than half of the L2, the CTAs of the gap fill the
 * rest, a quarter or more. */
static uint64_t refill(const struct timed *t, const struct kernel_run *k, const struct mem_counters *n)
{
    uint64_t ctas = k->scheduler.next - k->parts.untimed;
    uint64_t hits = n->l2_sectors_read_hit + n->l2_sectors_write_hit + n->l2_sectors_atomic_hit;
    double each = ctas ? (double)(sectors_served(n) - hits) / (double)ctas : 0;
    double size = (double)mem_l2_sectors(t->mem), flight = each * (double)k->resident;
    double all = flight > size / 2 ? fmax(size - flight, size / 4) : size;
    return each * (double)k->launch.ctas > all ? (uint64_t)(all / each) : k->launch.ctas;
}

/* The facts for a policy whose gaps time flows past. */
static struct plan_grid grid_now(const struct timed *t, const struct kernel_run *k, struct hybrid_result *traffic)
{
    bool in_order = t->config->launch.cta_order == CONFIG_CTA_ORDER_GRID;
    struct mem_counters n;
    mem_counters(t->mem, &n);
    if (t->hybrid.on)
        reuse_memory_result(t->hybrid.memory, traffic);
    return (struct plan_grid){.ctas = k->launch.ctas,
                              .resident = k->resident,
                              .apart = k->launch.apart && in_order,
                              .handed = k->last_cta_end,
                              .cycle = t->end,
                              .instructions = front_instructions(t),
                              .sectors = sectors_served(&n),
                              .moved = (n.dram_bytes_read + n.dram_bytes_written) / PORT_SECTOR,
                              .dirty = mem_dirty_sectors(t->mem),
                              .pin = PORT_SECTOR * t->config->gpu.clock / (t->config->dram.bandwidth * 1e3),
                              .rest = k->result->rest_instructions,
                              .share = t->hybrid.on ? &t->hybrid.share : NULL,
                              .traffic = t->hybrid.on ? traffic : NULL,
                              .refill = refill(t, k, &n)};
}

static struct plan_part answer(const struct timed *t, const struct kernel_run *k, uint64_t first)
{
    struct hybrid_result traffic = {0};
    const struct plan_grid grid = grid_now(t, k, &traffic);
    if (k->launch.cooperative || kernel_run_follows(k))
        return (struct plan_part){.end = grid.ctas};
    struct plan_part part = plan_ctas(t->plan, &grid, first);
    part.end += (k->launch.cta_group - part.end % k->launch.cta_group) % k->launch.cta_group;
    return part;
}

/* ---- parts without time ------------------------------------------------------------------------------------------ */

static bool pass(struct timed *t, struct kernel_run *k, const struct gpu_options *options, struct status *status)
{
    const struct machine *machine = &k->launch.machine;
    struct cta_scheduler *s = &k->scheduler;
    struct grid_parts *p = &k->parts;
    struct warming warming;
    bool warms = p->next.action == PLAN_WARM;
    uint64_t ctas = p->next.end - s->total;
    if (t->hybrid.on) {
        warming_begin_hybrid(&warming, &t->hybrid, t->config->l2.atomic_bytes);
        hybrid_pass(&t->hybrid, p->next.end);
    } else if (warms) {
        warming_begin(&warming, t->mem, t->config->gpu.sms);
    }
    if (p->next.action != PLAN_SKIP && machine->part &&
        !machine->part(machine->self, t, s->total, p->next.end, warms ? &warming : NULL, options, k->result, status))
        return false;
    p->skipped |= p->next.action == PLAN_SKIP;
    p->untimed += ctas;
    s->done += ctas;
    s->next = s->total = p->next.end;
    return true;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* Timed CTAs of several answers are handed out like those of one, at least `least` at once. */
static bool ask(struct timed *t, struct kernel_run *k, uint64_t least, struct status *status)
{
    struct cta_scheduler *s = &k->scheduler;
    struct grid_parts *p = &k->parts;
    while (s->total < k->launch.ctas && s->total - s->next < least && p->next.end == s->total) {
        p->next = answer(t, k, s->total);
        if (p->next.action == PLAN_TIME) {
            s->total = p->next.end;
            continue;
        }
        p->why = p->next.why;
        if (p->next.flows && s->next == s->total && !pass(t, k, t->options, status))
            return false;
    }
    return true;
}

static bool ask_for_wave(struct timed *t, struct kernel_run *k, struct status *status)
{
    return ask(t, k, t->hybrid.on ? 1 : k->resident, status);
}

bool grid_parts_begin(struct timed *t, struct kernel_run *k, struct status *status)
{
    k->parts = (struct grid_parts){0};
    if (!ask_for_wave(t, k, status))
        return false;
    k->parts.first = k->scheduler.total;
    return true;
}

bool grid_parts_ask(struct timed *t, struct kernel_run *k, struct status *status) { return ask(t, k, 1, status); }

/* Nothing of the kernel is on an SM, or on its way. */
static bool is_drained(const struct timed *t, const struct kernel_run *k)
{
    for (uint32_t i = 0; i < t->used; i++) {
        const struct timed_sm *s = &t->sms[i];
        if (tenants_has(s, k) &&
            (s->sm.ctas > 0 || s->queue.count > 0 || !port_quiet(&s->sm.port) || !lsu_acknowledged(&s->sm.lsu)))
            return false;
    }
    return true;
}

bool grid_parts_advance(struct timed *t, struct kernel_run *k, const struct gpu_options *options, bool *begun,
                        struct status *status)
{
    const struct cta_scheduler *s = &k->scheduler;
    while (!k->ended && kernel_run_rests(k) && !kernel_run_last(k)) {
        if (!is_drained(t, k))
            return true;
        if (!pass(t, k, options, status))
            return false;
        if (!ask_for_wave(t, k, status))
            return false;
        *begun |= s->next < s->total;
    }
    return true;
}

bool grid_parts_wait(const struct timed *t)
{
    for (const struct kernel_run *k = t->kernels; k; k = k->next)
        if (!k->ended && kernel_run_rests(k) && !kernel_run_last(k))
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
