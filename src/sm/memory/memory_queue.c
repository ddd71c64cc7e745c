#include "sm/memory/memory_queue.h"

uint64_t memory_queue_leaves(const struct memory_queue *q, const struct config_lsu *c, const struct access *a)
{
    uint64_t at = memory_ring_next(&q->ring);
    if (at < q->last_leave + address_step(c, a))
        at = q->last_leave + address_step(c, a);
    if (access_sends_data(a)) { /* its data are read a fixed time before or after it leaves */
        uint64_t early = q->store_free + address_way(c, a);
        uint32_t start = store_data_start(c, a);
        if (early > at + start)
            at = early - start;
    }
    return at;
}

void memory_queue_leave(struct memory_queue *q, const struct config_lsu *c, const struct access *a, uint64_t now)
{
    memory_ring_pop(&q->ring);
    q->last_leave = now;
    if (access_sends_data(a))
        q->store_free = address_sources_read(c, a, now);
}
