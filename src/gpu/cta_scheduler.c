#include "gpu/cta_scheduler.h"

#include <assert.h>

void cta_scheduler_begin(struct cta_scheduler *s, uint64_t total, uint32_t interval)
{
    *s = (struct cta_scheduler){.total = total, .interval = interval};
}

static void queue_add(const struct cta_scheduler *s, struct cta_queue *q, uint32_t slot, uint64_t linear,
                      uint64_t cycle)
{
    uint64_t at = cycle > q->port_free ? cycle : q->port_free;
    q->port_free = at + s->interval;
    assert(q->count < CTA_QUEUE);
    q->start[q->count++] = (struct cta_start){at, linear, slot};
}

void cta_scheduler_place(struct cta_scheduler *s, struct cta_queue *queue, uint32_t cta_slot, uint64_t from)
{
    assert(s->next < s->total);
    queue_add(s, queue, cta_slot, s->next++, from);
}
