#include "gpu/front.h"

#include <string.h>

#include "base/order.h"
#include "gpu/timed.h"

/* SMs that are worth the waking of a team. The result is the same. */
enum { FEW = 4 };

void front_begin(struct timed *t) { memset(&t->front, 0, sizeof t->front); }

void front_widen(struct timed *t)
{
    struct front *f = &t->front;
    const struct topology *topology = &mem_network(t->mem)->model.noc->topology;
    f->tasks = 0;
    uint16_t sms = 0;
    for (uint32_t g = 0; g < topology->gpcs; g++) {
        struct front_gpc *gpc = &f->gpc[g];
        gpc->first = sms;
        for (uint32_t i = 0; i < t->used; i++)
            if (topology->gpc[i] == g)
                f->sm[sms++] = (uint16_t)i;
        gpc->count = (uint16_t)(sms - gpc->first);
    }
    for (uint32_t g = 0; g < topology->gpcs + 1; g++) {
        if (g < topology->gpcs && f->gpc[g].count > 0)
            f->task[f->tasks++] = (uint16_t)g;
        for (uint32_t i = 0; g > 0 && i < f->gpc[g - 1].count; i++)
            f->task[f->tasks++] = (uint16_t)(GPCS_MOST + f->sm[f->gpc[g - 1].first + i]);
    }
}

static bool give(void *self, const struct reply *reply)
{
    struct timed *t = self;
    front_wake(t, reply->sm, reply->arrival);
    return inbox_add(&t->sms[reply->sm].sm.port.in, reply);
}

static bool receive(void *self, const struct request *message)
{
    struct timed *t = self;
    front_wake(t, message->to, message->arrival);
    return peers_add(&t->sms[message->to].sm.port.peers, message);
}

static void deliver(struct timed *t, uint32_t g)
{
    struct network *network = mem_network(t->mem);
    struct gpc *gpc = &network->gpc[g];
    bool ok = !t->answered || mem_take_replies(t->mem, g);
    t->front.gpc[g].short_of_memory =
        !ok ||
        !gpc_deliver(gpc, &network->model, t->end, (struct gpc_sink){.self = t, .deliver = give, .receive = receive});
}

static void collect(struct timed *t, uint32_t g)
{
    struct network *network = mem_network(t->mem);
    struct front_gpc *front = &t->front.gpc[g];
    struct gpc *gpc = &network->gpc[g];
    for (uint32_t i = 0; i < front->count; i++) {
        struct outbox *out = &t->sms[t->front.sm[front->first + i]].sm.port.out;
        if (out->count == 0)
            continue;
        front->short_of_memory |= out->lost || !gpc_send(gpc, &network->model, out->request, out->count);
        out->count = 0;
    }
    front->short_of_memory |= !gpc_depart(gpc, &network->model, t->end);
}

/* An SM in which nothing moves is left alone. */
static void run_sm(struct timed *t, uint32_t index)
{
    if (t->front.wake[index] >= t->end)
        return;
    struct timed_sm *s = &t->sms[index];
    sm_fetch(&s->sm);
    struct cta_queue *q = &s->queue;
    uint32_t started = 0;
    if (sm_without_work(&s->sm) && s->sm.now < t->now)
        s->sm.now = t->now; /* its prefetches stood still, and goes on from here */
    while (started < q->count && q->start[started].cycle < t->end) {
        const struct cta_start *start = &q->start[started++];
        if (start->cycle > s->sm.now)
            sm_run(&s->sm, start->cycle);
        const struct machine *machine = &tenants_of_slot(s, start->place.slot)->launch.machine;
        uint64_t cta = machine->start_cta(machine->self, index, &start->place, start->order, &start->cluster);
        s->began[start->place.slot] = s->sm.now;
        sm_start_cta(&s->sm, &start->place, cta, &start->cluster);
    }
    q->count -= started;
    if (started > 0)
        memmove(q->start, q->start + started, q->count * sizeof q->start[0]);
    sm_run(&s->sm, t->end);
    t->front.wake[index] = s->sm.wake;
    if (q->count > 0)
        front_wake(t, index, q->start[0].cycle);
}

static void run_task(void *context, unsigned index)
{
    struct timed *t = context;
    uint32_t task = t->front.task[index];
    if (task < GPCS_MOST) {
        deliver(t, task);
        atomic_store(&t->front.gpc[task].delivered, t->front.round);
        return;
    }
    uint32_t g = mem_network(t->mem)->model.noc->topology.gpc[task - GPCS_MOST];
    struct front_gpc *gpc = &t->front.gpc[g];
    team_await(&gpc->delivered, t->front.round);
    run_sm(t, task - GPCS_MOST);
    if (atomic_fetch_sub(&gpc->running, 1) == 1 && !t->cut)
        collect(t, g);
}

/* Moves the groups' answers to the GPCs, so that nothing lies between them. Returns false if out of memory. */
static bool settle(struct timed *t)
{
    bool ok = !t->answered || mem_exchange_replies(t->mem);
    t->answered = false;
    return ok;
}

static bool run(struct timed *t)
{
    bool alone = t->used < FEW;
    if (alone && !settle(t))
        return false;
    struct front *f = &t->front;
    uint32_t gpcs = mem_network(t->mem)->gpcs;
    f->round++;
    for (uint32_t g = 0; g < gpcs; g++)
        f->gpc[g].running = f->gpc[g].count;
    if (alone)
        for (uint32_t i = 0; i < f->tasks; i++)
            run_task(t, i);
    else
        team_run(t->team, f->tasks, run_task, t);
    if (t->answered)
        for (unsigned g = 0; g < mem_groups(t->mem); g++)
            mem_replies_taken(t->mem, g);
    t->answered = false;
    bool ok = true;
    for (uint32_t g = 0; g < gpcs; g++)
        ok &= !f->gpc[g].short_of_memory;
    return ok;
}

bool front_run(struct timed *t)
{
    t->cut = false;
    return run(t);
}

bool front_run_sms(struct timed *t)
{
    t->cut = true;
    return run(t);
}

bool front_collect(struct timed *t)
{
    bool ok = true;
    for (uint32_t g = 0; g < mem_network(t->mem)->gpcs; g++) {
        collect(t, g);
        ok &= !t->front.gpc[g].short_of_memory;
    }
    return ok;
}

void front_wake(struct timed *t, uint32_t sm, uint64_t cycle)
{
    uint64_t *wake = &t->front.wake[sm];
    *wake = earliest(*wake, cycle);
}

uint64_t front_next(const struct timed *t)
{
    const struct network *network = mem_network(t->mem);
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < t->used; i++) {
        uint64_t wake = t->front.wake[i];
        next = earliest(next, wake);
        if (next < t->now + t->quantum)
            return t->now;
    }
    bool quiet = !t->answered && network_requests(network) == 0 && network_replies(network) == 0;
    return quiet ? next : t->now;
}

void front_catch_up(struct timed *t)
{
    for (uint32_t i = 0; i < t->used; i++)
        sm_run(&t->sms[i].sm, t->now);
}

uint64_t front_instructions(const struct timed *t)
{
    uint64_t sum = t->counted;
    for (uint32_t i = 0; i < t->used; i++)
        sum += t->sms[i].sm.n.inst_executed;
    return sum;
}
