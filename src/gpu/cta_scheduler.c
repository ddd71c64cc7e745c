#include "gpu/cta_scheduler.h"

#include <assert.h>
#include <math.h>

#include "base/order.h"

static uint64_t ticks(double cycles) { return (uint64_t)llround(cycles * CTA_TICKS); }

struct cta_pace cta_pace(const struct config_launch *config, uint32_t warps)
{
    return (struct cta_pace){.interval = config->cta_interval,
                             .replacement = ticks(config->cta_replacement + config->warp_replacement * warps),
                             .gpu = ticks(config->gpu_replacement)};
}

void cta_scheduler_begin(struct cta_scheduler *s, uint64_t total, struct cta_pace pace)
{
    *s = (struct cta_scheduler){.total = total, .pace = pace};
}

uint64_t cta_scheduler_place(struct cta_scheduler *s, struct cta_queue *queue, const struct cta_placement *place,
                             uint64_t from)
{
    assert(s->next < s->total);
    assert(queue->count < CTA_QUEUE);
    uint64_t at = latest(from, queue->port_free);
    queue->port_free = at + s->pace.interval;
    queue->start[queue->count++] =
        (struct cta_start){.cycle = at, .order = s->next++, .place = *place, .cluster.size = 1};
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
