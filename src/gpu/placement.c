#include "gpu/placement.h"

#include <stdatomic.h>

#include "base/order.h"
#include "gpu/grid_parts.h"
#include "gpu/placement_policy.h"
#include "gpu/timed.h"

/* SMs that are worth the waking of a team. The result is the same. */
enum { FEW = 4 };

/* An SM of a kernel that waits is empty only between two timed parts of its grid. */
static bool is_free(const struct timed *t, const struct kernel_run *k, uint32_t index)
{
    const struct timed_sm *s = &t->sms[index];
    return index >= t->used || ((s->kernel == k || !kernel_run_waits(s->kernel)) && s->sm.ctas == 0 &&
                                s->queue.count == 0 && port_quiet(&s->sm.port));
}

static uint64_t free_from(const struct timed *t, uint32_t index)
{
    return index < t->used ? t->sms[index].free_from : 0;
}

/* By time, then by number. */
static uint32_t find_free(const struct timed *t, const struct kernel_run *k, uint16_t sm[TOPOLOGY_SMS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->config->gpu.sms; i++) {
        if (!is_free(t, k, i))
            continue;
        uint32_t place = count++;
        for (; place > 0 && free_from(t, sm[place - 1]) > free_from(t, i); place--)
            sm[place] = sm[place - 1];
        sm[place] = (uint16_t)i;
    }
    return count;
}

static void widen(struct timed *t, uint32_t used)
{
    for (; t->used < used; t->used++) {
        t->sms[t->used].kernel = NULL;
        t->sms[t->used].free_from = 0;
    }
    front_widen(t);
}

/* SMs begin a kernel side by side: they share nothing, and most of what it costs is memory that the host gives them. */
struct beginning {
    struct timed *t;
    struct kernel_run *k;
    const uint16_t *sm;
    uint32_t count; /* of these */
    uint64_t left;  /* CTAs */
    atomic_bool failed;
    struct status *status; /* of the first that did */
};

static void begin_task(void *context, unsigned index)
{
    struct beginning *b = context;
    struct status status = {0};
    uint64_t share = b->left / b->count + (index < b->left % b->count);
    uint32_t most = b->k->occupancy->ctas_per_sm;
    uint32_t ctas = b->k->launch.cta_group == 1 && share < most ? (uint32_t)share : most;
    bool ok = kernel_run_take(b->t, b->k, b->sm[index], ctas, &status);
    b->t->free_slots[b->sm[index]] = ctas < SM_CTAS ? (UINT32_C(1) << ctas) - 1 : UINT32_MAX;
    if (!ok && !atomic_exchange(&b->failed, true))
        *b->status = status;
}

static bool begin_sms(struct timed *t, struct kernel_run *k, const uint16_t *sm, uint32_t count, struct status *status)
{
    uint64_t left = k->scheduler.total - k->scheduler.next;
    struct beginning b = {.t = t, .k = k, .sm = sm, .count = count, .left = left, .status = status};
    for (uint32_t i = 0; i < count; i++) {
        if (!kernel_run_make_sm(t, sm[i], status))
            return false;
        kernel_run_leave(t, sm[i]);
    }
    k->sms += count;
    if (count >= FEW)
        team_run(t->team, count, begin_task, &b);
    else
        for (uint32_t i = 0; i < count; i++)
            begin_task(&b, i);
    return !b.failed;
}

/* ---- CTA groups -------------------------------------------------------------------------------------------------- */

_Static_assert((int)CTA_GROUP_MOST == (int)EXEC_CTA_GROUP, "CTAs of a group");

static const struct placement_policy *const policy = &placement_in_turn;

static uint32_t bit(uint32_t slot) { return UINT32_C(1) << slot; }

static struct placement_view view_of(const struct timed *t, const struct kernel_run *k, const uint16_t *sm,
                                     uint32_t count)
{
    return (struct placement_view){.group = k->launch.cta_group,
                                   .slots = k->occupancy->ctas_per_sm,
                                   .count = count,
                                   .sm = sm,
                                   .free = t->free_slots,
                                   .gpc = mem_network(t->mem)->model.noc->topology.gpc};
}

typedef uint64_t hand_out_function(struct cta_scheduler *, struct cta_queue *, uint32_t cta_slot, uint64_t from);

/* Tells the CTAs of a cluster where the others are. They begin in one cycle, the latest of theirs. */
static void join(struct timed *t, const struct kernel_run *k, const struct cta_place *place,
                 struct cta_start *const *start, uint64_t cycle)
{
    uint32_t size = k->launch.cta_group;
    struct cluster_place cluster = {.number = (uint64_t)k->number << 40 | start[0]->order / size,
                                    .size = (uint8_t)size};
    for (uint32_t i = 0; i < size; i++)
        cluster.member[i] = (struct cluster_member){place[i].sm, place[i].slot};
    for (uint32_t i = 0; i < size; i++) {
        struct cta_queue *queue = &t->sms[place[i].sm].queue;
        cluster.rank = (uint8_t)i;
        start[i]->cluster = cluster;
        start[i]->cycle = cycle;
        queue->port_free = latest(queue->port_free, cycle);
    }
}

/* The CTAs of the next group of the grid start here at `cycle`, or later as the scheduler says. */
static void hand_out(struct timed *t, struct kernel_run *k, const struct cta_place *place, uint64_t cycle,
                     hand_out_function *begin)
{
    struct cta_start *start[CTA_GROUP_MOST];
    uint64_t last = 0;
    for (uint32_t i = 0; i < k->launch.cta_group; i++) {
        struct cta_queue *queue = &t->sms[place[i].sm].queue;
        t->free_slots[place[i].sm] &= ~bit(place[i].slot);
        last = latest(last, begin(&k->scheduler, queue, place[i].slot, cycle));
        start[i] = &queue->start[queue->count - 1];
    }
    if (k->launch.cta_group > 1)
        join(t, k, place, start, last);
    for (uint32_t i = 0; i < k->launch.cta_group; i++)
        front_wake(t, place[i].sm, start[i]->cycle);
}

/* All CTAs of a group start when the last of their SMs can take one. */
static void begin_group(struct timed *t, struct kernel_run *k, const struct cta_place *place)
{
    uint64_t from = latest(k->launched + t->config->launch.latency, t->now);
    for (uint32_t i = 0; i < k->launch.cta_group; i++)
        from = latest(from, t->sms[place[i].sm].free_from);
    hand_out(t, k, place, from, cta_scheduler_place);
    k->first_cta = earliest(from, k->first_cta);
}

/* SMs of the kernel, beside the first `count`, with slots in which no group has fitted. */
static uint32_t add_partly_free(const struct timed *t, const struct kernel_run *k, uint16_t sm[TOPOLOGY_SMS],
                                uint32_t count)
{
    uint32_t all = count;
    for (uint32_t i = 0; k->launch.cta_group > 1 && i < t->used; i++) {
        bool listed = t->sms[i].kernel != k || !t->free_slots[i];
        for (uint32_t j = 0; j < count && !listed; j++)
            listed = sm[j] == i;
        if (!listed)
            sm[all++] = (uint16_t)i;
    }
    return all;
}

/* Single CTAs take no more SMs than there are CTAs; groups take all, because each needs several of one GPC. */
static bool place(struct timed *t, struct kernel_run *k, struct status *status)
{
    uint16_t sm[TOPOLOGY_SMS];
    struct cta_place place[CTA_GROUP_MOST];
    uint64_t left = k->scheduler.total - k->scheduler.next;
    uint32_t count = find_free(t, k, sm), used = t->used;
    if (count > left && k->launch.cta_group == 1)
        count = (uint32_t)left;
    if (count == 0 || left == 0)
        return true;
    for (uint32_t i = 0; i < count; i++)
        used = sm[i] >= used ? sm[i] + 1u : used;
    if (used > t->used)
        widen(t, used);
    if (k->first_cta == UINT64_MAX && k->launched > 0)
        mem_counters(t->mem, &k->before);
    if (!begin_sms(t, k, sm, count, status))
        return false;
    struct placement_view view = view_of(t, k, sm, add_partly_free(t, k, sm, count));
    while (kernel_run_waits(k) && policy->first(&view, place))
        begin_group(t, k, place);
    grid_parts_ask(t, k);
    return true;
}

bool placement_run(struct timed *t, struct status *status)
{
    for (struct kernel_run *k = t->kernels; k; k = k->next) {
        if (!k->ended && !place(t, k, status))
            return false;
        if (kernel_run_waits(k))
            break;
    }
    return true;
}

void placement_cta_ended(struct timed *t, uint32_t index, const struct sm_finished *f)
{
    struct timed_sm *s = &t->sms[index];
    struct kernel_run *k = s->kernel;
    uint16_t sm[TOPOLOGY_SMS];
    struct cta_place freed = {(uint16_t)index, (uint16_t)f->cta_slot}, place[CTA_GROUP_MOST];
    uint64_t start = latest(f->cycle + t->config->launch.cta_latency, t->end);
    t->free_slots[index] |= bit(f->cta_slot);
    if (t->log)
        run_log_cta(t->log, (uint16_t)index, (uint16_t)f->cta_slot, f->linear, s->began[f->cta_slot], f->cycle);
    s->free_from = start;
    front_wake(t, index, start);
    k->scheduler.done++;
    k->preexits += !f->preexited;
    k->preexit_cycle = f->preexited ? k->preexit_cycle : latest(k->preexit_cycle, f->cycle);
    k->last_cta_end = latest(k->last_cta_end, f->cycle);
    const struct placement_view view = view_of(t, k, sm, add_partly_free(t, k, sm, 0));
    if (kernel_run_waits(k) && policy->next(&view, freed, place))
        hand_out(t, k, place, start, cta_scheduler_replace);
    grid_parts_ask(t, k);
}
