#include "gpu/quantum.h"

#include <stdlib.h>
#include <string.h>

/* Fewer messages than this the caller moves alone: waking a team takes longer. The result is the same. */
enum { FEW = 64 };

static bool run(struct timed *t, uint32_t messages, void (*work)(void *context, unsigned gpc))
{
    uint32_t gpcs = mem_network(t->mem)->gpcs;
    if (messages >= FEW)
        team_run(t->team, gpcs, work, t);
    else
        for (unsigned g = 0; g < gpcs; g++)
            work(t, g);
    for (uint32_t g = 0; g < gpcs; g++)
        if (t->short_of_memory[g])
            return false;
    return true;
}

/* ---- the GPCs' side of the SMs ----------------------------------------------------------------------------------- */

static bool deliver(void *self, const struct reply *reply)
{
    return inbox_add(&((struct timed *)self)->sms[reply->sm].sm.inbox, reply);
}

static void deliver_replies(void *context, unsigned index)
{
    struct timed *t = context;
    struct network *network = mem_network(t->mem);
    t->short_of_memory[index] =
        !gpc_deliver(&network->gpc[index], &network->model, t->end, (struct gpc_sink){t, deliver});
}

static void collect_requests(void *context, unsigned index)
{
    struct timed *t = context;
    struct network *network = mem_network(t->mem);
    struct gpc *gpc = &network->gpc[index];
    bool ok = true;
    for (uint32_t i = 0; i < t->used; i++) {
        struct outbox *out = &t->sms[i].sm.out;
        if (network->model.noc->topology.gpc[i] != index || out->count == 0)
            continue;
        ok &= !out->lost && gpc_send(gpc, &network->model, out->request, out->count);
        out->count = 0;
    }
    t->short_of_memory[index] = !ok || !gpc_depart(gpc, &network->model, t->end);
}

/* ---- SMs --------------------------------------------------------------------------------------------------------- */

static void run_sm(void *context, unsigned index)
{
    struct timed *t = context;
    const struct machine *machine = &t->launch->machine;
    struct timed_sm *s = &t->sms[index];
    struct cta_queue *q = &s->queue;
    uint32_t started = 0;
    while (started < q->count && q->start[started].cycle < s->end) {
        const struct cta_start *start = &q->start[started++];
        if (start->cycle > s->sm.now)
            sm_run(&s->sm, start->cycle);
        machine->start_cta(machine->self, index, start->cta_slot, start->linear);
        sm_start_cta(&s->sm, start->cta_slot, start->linear, t->launch->threads_per_cta);
    }
    q->count -= started;
    memmove(q->start, q->start + started, q->count * sizeof q->start[0]);
    sm_run(&s->sm, s->end);
}

/* Phases 1 and 2 to `end`. */
static bool run_sms_until(struct timed *t, uint64_t end)
{
    uint32_t replies = network_replies(mem_network(t->mem));
    t->end = end;
    if (replies > 0 && !run(t, replies, deliver_replies))
        return false;
    for (uint32_t i = 0; i < t->used; i++)
        t->sms[i].end = end;
    team_run(t->team, t->used, run_sm, t);
    return true;
}

/* Where the last instruction of a limit may issue in this quantum the SMs go cycle by cycle, and it ends behind that
 * cycle. */
static bool run_sms(struct timed *t)
{
    uint64_t end = early_end(&t->early, t->now, t->now + t->quantum);
    uint64_t limit = t->early.limits.instructions, most = (end - t->now) * t->used * SM_PARTITIONS;
    if (!limit || timed_instructions(t) + most < limit)
        return run_sms_until(t, end);
    bool ok = true;
    for (uint64_t at = t->now; ok && at < end && timed_instructions(t) < limit;)
        ok = run_sms_until(t, ++at);
    return ok;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void run_group(void *context, unsigned index)
{
    struct timed *t = context;
    mem_run(t->mem, index, t->end);
}

static bool collect(struct timed *t)
{
    uint32_t messages = network_requests(mem_network(t->mem));
    for (uint32_t i = 0; i < t->used; i++)
        messages += t->sms[i].sm.out.count;
    if (messages == 0)
        return true;
    return run(t, messages, collect_requests) && mem_exchange_requests(t->mem);
}

static bool run_memory(struct timed *t)
{
    if (!collect(t))
        return false;
    if (!mem_idle(t->mem))
        team_run(t->team, mem_groups(t->mem), run_group, t);
    return mem_exchange_replies(t->mem);
}

/* ---- CTAs -------------------------------------------------------------------------------------------------------- */

/* CTAs that ended in this quantum are replaced in the order (cycle, SM). */
static void replace_ctas(struct timed *t)
{
    for (;;) {
        struct timed_sm *first = NULL;
        for (uint32_t i = 0; i < t->used; i++) {
            struct timed_sm *s = &t->sms[i];
            if (s->sm.finished_count && (!first || s->sm.finished[0].cycle < first->sm.finished[0].cycle))
                first = s;
        }
        if (!first)
            return;
        struct sm_finished f = first->sm.finished[0];
        memmove(first->sm.finished, first->sm.finished + 1, --first->sm.finished_count * sizeof f);
        uint64_t start = f.cycle + t->config->launch.cta_latency;
        cta_scheduler_replace(&t->scheduler, &first->queue, f.cta_slot, start > t->end ? start : t->end);
        if (f.cycle > t->last_cta_end)
            t->last_cta_end = f.cycle;
    }
}

bool quantum_run(struct timed *t)
{
    if (!run_sms(t))
        return false;
    if (t->launch->machine.serve)
        t->launch->machine.serve(t->launch->machine.self, t->used);
    if (!run_memory(t))
        return false;
    replace_ctas(t);
    t->now = t->end;
    return true;
}
