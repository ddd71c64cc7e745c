/* Queue between CONTROL and a unit of variable latency that is no memory unit: special functions and conversions (XU),
 * barriers and what else the address unit (ADU) does. An instruction takes a place at issue. At the head it reads its
 * operands by ports that ALLOCATE leaves free, and leaves for the unit when that takes one. Results come in the order
 * of the queue, which is why compilers name a dependence counter only for the last of a run.
 *
 *   issue t -> CONTROL t+1 -> queue -> reads from t+3 on -> t + queue_war at the earliest: unit -> result
 *
 * Sources: MICRO 2025 paper, execution units and register file; places: the configuration published with it. */
#ifndef SUBCORE_SM_UNIT_QUEUE_H
#define SUBCORE_SM_UNIT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ring.h"
#include "sm/code.h"
#include "sm/front/constant_vl.h"

struct queued_op {
    const struct code *code;
    uint64_t issue;
    uint8_t slot; /* warp slot */
};
RING(op_ring, struct queued_op, 32)

struct unit_queue {
    struct op_ring waiting;
    struct op_ring results; /* in the unit; ready: the result is at the write port */
    uint64_t head_since;    /* the instruction before the head left */
    uint64_t unit_free;
    uint64_t last_result;
    struct vl_operand operand; /* of the head */
};

struct sm;

static inline void op_ring_clear(struct op_ring *r) { r->head = r->tail = 0; }

static inline void unit_queue_init(struct unit_queue *q)
{
    op_ring_clear(&q->waiting);
    op_ring_clear(&q->results);
    q->head_since = q->unit_free = q->last_result = 0;
    q->operand = (struct vl_operand){0};
}

static inline void unit_queue_push(struct unit_queue *q, const struct code *code, uint8_t slot, uint64_t now)
{
    *op_ring_push(&q->waiting, now) = (struct queued_op){code, now, slot};
}

/* The head leaves if it can, and a result is written. True when anything moved. */
bool unit_queue_cycle(struct sm *sm, unsigned subcore, struct unit_queue *q, uint64_t now);
/* Earliest cycle after `now` at which anything can move; UINT64_MAX when the queue is empty. */
uint64_t unit_queue_next(const struct sm *sm, const struct unit_queue *q, uint64_t now);

/* A constant operand of the head comes from the cache of LDC, as the name of that cache, VL, suggests: by how many
 * cycles it is later than a hit. While the L2 is asked for it, TAGS_COMING: the instruction stays at the head of its
 * queue. */
uint64_t unit_constant_late(struct sm *sm, const struct code *code, struct vl_operand *operand, uint64_t now);

/* Writes the oldest result if it is there and its write port is free: a result of fixed latency goes first. True when
 * it has written, and taken it out of the ring. */
bool unit_result_write(struct sm *sm, unsigned subcore, struct op_ring *results, uint64_t now);

#endif
