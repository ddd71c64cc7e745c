/* Memory unit of a sub-core: the queue in front of the SM-shared part.
 *
 *   issue --> 4 places and a latch --> address step --> (acceptor of the shared part)
 *                                      store data
 *
 * A place is taken at issue and free when the instruction leaves, so that five issue back to back and the sixth waits
 * (MICRO 2025 paper, memory pipeline and table 1). Instructions leave in the order of issue.
 *
 * The last free place goes to the warps in turn. A queue that is always full therefore serves its warps alike, whatever
 * the warp scheduler prefers. On an RTX 2080 Ti the warps of a CTA that shared memory limits stay together to the end:
 * Nsight Compute counts 85.5 % active warps where a choice of the youngest leaves 62 and this rule 87, and 49.0, 73.9,
 * 98.9 % where it leaves 36, 64, 87 and this rule 50, 75, 99. */
#ifndef SUBCORE_SM_MEMORY_QUEUE_H
#define SUBCORE_SM_MEMORY_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/ring.h"
#include "sm/memory/address_unit.h"
#include "sm/slot.h"

RING(memory_ring, uint16_t, 64) /* tokens; ready: at the shared part, nothing in the way */

struct memory_queue {
    struct memory_ring ring;
    uint64_t last_leave;
    uint64_t store_free; /* cycle from which store data can be read from the registers */
    uint8_t turn;        /* warp that took a place last */
};

static inline bool memory_queue_full(const struct memory_queue *q, const struct config_lsu *c)
{
    return memory_ring_count(&q->ring) >= c->queue;
}

/* Returns the warps among `warps`, each of which wants a place, that may take one: the one whose turn it is when one
 * place is left, else all. */
static inline uint32_t memory_queue_admits(const struct memory_queue *q, const struct config_lsu *c, uint32_t warps)
{
    if (!c->turns || !(warps & (warps - 1)) || memory_ring_count(&q->ring) + 1 < c->queue)
        return warps;
    uint32_t behind = warps & ~((UINT32_C(2) << q->turn) - 1);
    return UINT32_C(1) << lowest_bit32(behind ? behind : warps);
}

static inline void memory_queue_issue(struct memory_queue *q, const struct config_lsu *c, const struct access *a,
                                      uint16_t token, uint64_t now)
{
    *memory_ring_push(&q->ring, now + address_way(c, a)) = token;
    q->turn = (uint8_t)slot_warp(a->slot);
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
