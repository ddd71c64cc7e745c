/* Memory unit of a sub-core: the queue in front of the SM-shared part.
 *
 *   issue --> 4 places and a latch --> address step --> (acceptor of the shared part)
 *                                      store data
 *
 * A place is taken at issue and free when the instruction leaves, so that five issue back to back and the sixth waits
 * (MICRO 2025 paper, memory pipeline and table 1). Instructions leave in the order of issue. */
#ifndef SUBCORE_SM_MEMORY_QUEUE_H
#define SUBCORE_SM_MEMORY_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "sm/memory/address_unit.h"

RING(memory_ring, uint16_t, 64) /* tokens; ready: at the shared part, nothing in the way */

struct memory_queue {
    struct memory_ring ring;
    uint64_t last_leave;
    uint64_t store_free; /* cycle from which store data can be read from the registers */
};

static inline bool memory_queue_full(const struct memory_queue *q, const struct config_lsu *c)
{
    return memory_ring_count(&q->ring) >= c->queue;
}

static inline void memory_queue_issue(struct memory_queue *q, const struct config_lsu *c, const struct access *a,
                                      uint16_t token, uint64_t now)
{
    *memory_ring_push(&q->ring, now + address_way(c, a)) = token;
}

static inline uint16_t memory_queue_head(const struct memory_queue *q)
{
    return q->ring.item[q->ring.head % memory_ring_capacity];
}

/* Cycle from which the head, which is `a`, can leave as far as the sub-core is concerned. */
uint64_t memory_queue_leaves(const struct memory_queue *q, const struct config_lsu *c, const struct access *a);

/* The head leaves. */
void memory_queue_leave(struct memory_queue *q, const struct config_lsu *c, const struct access *a, uint64_t now);

#endif
