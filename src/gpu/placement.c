#include "gpu/placement.h"

#include <stdatomic.h>

#include "gpu/grid_parts.h"
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
    bool ok = kernel_run_take(b->t, b->k, b->sm[index], share < most ? (uint32_t)share : most, &status);
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

static void place_cta(struct timed *t, struct kernel_run *k, uint32_t sm, uint32_t slot)
{
    struct timed_sm *s = &t->sms[sm];
    uint64_t ready = k->launched + t->config->launch.latency;
    uint64_t from = ready > t->now ? ready : t->now;
    from = s->free_from > from ? s->free_from : from;
    cta_scheduler_place(&k->scheduler, &s->queue, slot, from);
    front_wake(t, sm, from);
    if (from < k->first_cta)
        k->first_cta = from;
}

static bool place(struct timed *t, struct kernel_run *k, struct status *status)
{
    uint16_t sm[TOPOLOGY_SMS];
    uint64_t left = k->scheduler.total - k->scheduler.next;
    uint32_t count = find_free(t, k, sm), used = t->used;
    if (count > left)
        count = (uint32_t)left;
    if (count == 0)
        return true;
    for (uint32_t i = 0; i < count; i++)
        used = sm[i] >= used ? sm[i] + 1u : used;
    if (used > t->used)
        widen(t, used);
    if (k->first_cta == UINT64_MAX && k->launched > 0)
        mem_counters(t->mem, &k->before);
    if (!begin_sms(t, k, sm, count, status))
        return false;
    for (uint32_t slot = 0; slot < k->occupancy->ctas_per_sm; slot++)
        for (uint32_t i = 0; i < count && kernel_run_waits(k); i++)
            place_cta(t, k, sm[i], slot);
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
