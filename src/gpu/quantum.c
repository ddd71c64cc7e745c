#include "gpu/quantum.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "gpu/grid_parts.h"
#include "gpu/placement.h"

/* Messages that are worth the waking of a team. The result is the same. */
enum { FEW = 16 };

/* A quantum that would end at `end` does not go beyond the plan's cycle. */
static uint64_t bounded(const struct timed *t, uint64_t end)
{
    uint64_t bound = t->bound.cycle, last = latest(bound, t->now + 1);
    return bound ? earliest(last, end) : end;
}

/* Where the last instruction of a limit may issue in this quantum the SMs go cycle by cycle, and it ends behind that
 * cycle. */
static bool run_sms(struct timed *t)
{
    uint64_t end = bounded(t, t->now + t->quantum);
    uint64_t limit = t->bound.instructions, most = (end - t->now) * t->used * SM_SUBCORES;
    t->end = end;
    if (!limit || front_instructions(t) + most < limit)
        return front_run(t);
    bool ok = true;
    for (t->end = t->now; ok && t->end < end && front_instructions(t) < limit;) {
        t->end++;
        ok = front_run_sms(t);
    }
    return ok && front_collect(t);
}

static void run_group(void *context, unsigned index)
{
    struct timed *t = context;
    if (!mem_take_requests(t->mem, index))
        atomic_store(&t->short_of_memory, true);
    mem_run(t->mem, index, t->end);
}

static bool run_groups_alone(struct timed *t)
{
    if (!mem_exchange_requests(t->mem))
        return false;
    for (unsigned g = 0; g < mem_groups(t->mem); g++)
        mem_run(t->mem, g, t->end);
    return true;
}

static bool run_memory(struct timed *t)
{
    if (t->hybrid.on)
        return hybrid_run_memory(t);
    if (!co_runner_read(&t->co_runner, t->mem, t->now, t->end))
        return false;
    uint32_t messages = mem_waiting(t->mem);
    t->answered = messages > 0;
    if (messages < FEW)
        return messages == 0 || run_groups_alone(t);
    team_run(t->team, mem_groups(t->mem), run_group, t);
    return !t->short_of_memory;
}

/* Others may begin, or go on, because of a kernel's work in this quantum. */
static bool others_follow(const struct timed *t)
{
    for (const struct kernel_run *k = t->kernels; k && t->shares; k = k->next)
        if (!k->ended && (kernel_run_done(k) || (!k->told && kernel_run_preexited(k))))
            return true;
    return false;
}

/* Quanta in which nothing happens are left out, except for those after which a grid's next timed part may begin. */
static void skip(struct timed *t)
{
    if (!t->config->run.skip_idle || t->co_runner.period > 0 || t->watched_by_plan || grid_parts_wait(t) ||
        others_follow(t))
        return;
    uint64_t next = front_next(t);
    if (next > t->now) {
        uint64_t memory = mem_next(t->mem);
        next = memory < next ? memory : next;
    }
    if (next > t->now && next != UINT64_MAX && t->launch_at > t->now)
        t->now += (earliest(next, t->launch_at) - t->now) / t->quantum * t->quantum;
}

/* ---- CTAs -------------------------------------------------------------------------------------------------------- */

/* The CTAs that ended in this quantum, in the order (cycle, SM). */
static bool replace_ctas(struct timed *t, struct status *status)
{
    for (;;) {
        struct timed_sm *first = NULL;
        for (uint32_t i = 0; i < t->used; i++) {
            struct timed_sm *s = &t->sms[i];
            if (s->sm.finished_count && (!first || s->sm.finished[0].cycle < first->sm.finished[0].cycle))
                first = s;
        }
        if (!first)
            return true;
        struct sm_finished f = first->sm.finished[0];
        memmove(first->sm.finished, first->sm.finished + 1, --first->sm.finished_count * sizeof f);
        if (!placement_cta_ended(t, first->sm.id, &f, status))
            return false;
    }
}

static void serve(const struct timed *t)
{
    for (struct kernel_run *k = t->kernels; k; k = k->next) {
        const struct machine *machine = &k->launch.machine;
        if (!k->ended && machine->serve)
            machine->serve(machine->self, t->used);
        if (!k->ended && machine->serve_work)
            machine->serve_work(machine->self, t->used, kernel_run_give_away, k);
    }
}

bool quantum_run(struct timed *t, struct status *status)
{
    bool ok = run_sms(t);
    if (ok) {
        serve(t);
        ok = run_memory(t);
    }
    if (!ok)
        return status_fail(status, STATUS_MEMORY, "out of memory for memory requests at cycle %llu",
                           (unsigned long long)t->now);
    kernel_run_count_preexits(t);
    if (!replace_ctas(t, status))
        return false;
    for (struct kernel_run *k = t->kernels; k; k = k->next)
        kernel_run_settle(t, k);
    t->now = t->end;
    skip(t);
    return true;
}
