#include "gpu/cta_scheduler.h"

#include <assert.h>
#include <math.h>

#include "base/order.h"

static uint64_t ticks(double cycles) { return (uint64_t)llround(cycles * CTA_TICKS); }

struct cta_pace cta_pace(const struct config_launch *config, uint32_t warps)
{
    return (struct cta_pace){.interval = config->cta_interval + config->warp_interval * warps,
                             .replacement = ticks(config->cta_replacement + config->warp_replacement * warps),
                             .gpu = ticks(config->gpu_replacement)};
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Near the golden section of the groups, which spreads any number of them, and without a common divisor. */
struct cta_arrangement cta_arrange(enum config_cta_order order, uint64_t ctas, uint32_t group)
{
    struct cta_arrangement a = {.order = order, .group = group, .groups = ctas / group, .step = 1};
    if (order == CONFIG_CTA_ORDER_SCATTERED && a.groups > 2) {
        a.step = (uint64_t)((double)a.groups * 0.6180339887498949);
        while (common_divisor(a.step, a.groups) != 1)
            a.step++;
    }
    return a;
}

uint64_t cta_number(const struct cta_arrangement *a, uint64_t index)
{
    uint64_t number = index / a->group;
    if (a->share.sms)
        return share_number(&a->share, index);
    switch (a->order) {
    case CONFIG_CTA_ORDER_GRID: return index;
    case CONFIG_CTA_ORDER_REVERSED: number = a->groups - 1 - number; break;
    case CONFIG_CTA_ORDER_SCATTERED: number = (uint64_t)((unsigned __int128)number * a->step % a->groups); break;
    }
    return number * a->group + index % a->group;
}

void cta_scheduler_begin(struct cta_scheduler *s, uint64_t total, struct cta_pace pace,
                         const struct cta_arrangement *arrangement)
{
    *s = (struct cta_scheduler){.total = total, .pace = pace, .arrangement = *arrangement};
}

uint64_t cta_scheduler_place(struct cta_scheduler *s, struct cta_queue *queue, const struct cta_placement *place,
                             uint64_t from)
{
    assert(s->next < s->total);
    assert(queue->count < CTA_QUEUE);
    uint64_t at = latest(from, queue->port_free);
    queue->port_free = at + s->pace.interval;
    queue->start[queue->count++] = (struct cta_start){
        .cycle = at, .order = cta_number(&s->arrangement, s->next++), .place = *place, .cluster.size = 1};
    return at;
}

uint64_t cta_scheduler_replace(struct cta_scheduler *s, struct cta_queue *queue, const struct cta_placement *place,
                               uint64_t from)
{
    uint64_t begin = latest(from * CTA_TICKS, latest(queue->replaced, s->replaced));
    queue->replaced = begin + s->pace.replacement;
    s->replaced = s->pace.gpu > 0 ? begin + s->pace.gpu : 0;
    return cta_scheduler_place(s, queue, place, begin / CTA_TICKS);
}
