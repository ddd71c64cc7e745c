/* A queued unit of one sub-core: special functions and conversions (XU), barriers and the other work of the address
 * unit (ADU). Results come in the order of the queue, which is why compilers name a dependence counter only for the
 * last of a run.
 *
 *   issue t -> CONTROL t+1 -> queue -> reads from t+3 on -> t + queue_war at the earliest: unit -> result
 *
 * Sources: MICRO 2025 paper, execution units and register file; places: the configuration published with it. */
#ifndef SUBCORE_SM_UNIT_QUEUE_H
#define SUBCORE_SM_UNIT_QUEUE_H

#include "sm/execute/queued_unit.h"

struct unit_queue {
    const struct unit_ports *to;
    struct op_ring waiting;
    struct op_ring results; /* in the unit; ready: the result is at the write port */
    uint64_t head_since;    /* the instruction before the head left */
    uint64_t unit_free;
    uint64_t last_result;
    struct vl_operand operand; /* of the head */
};

void unit_queue_begin(struct unit_queue *q, const struct unit_ports *to);
static inline uint32_t unit_queue_count(const struct unit_queue *q) { return op_ring_count(&q->waiting); }
void unit_queue_push(struct unit_queue *q, const struct code *code, uint8_t slot, uint64_t now);
bool unit_queue_cycle(struct unit_queue *q, uint64_t now);
uint64_t unit_queue_next(const struct unit_queue *q, uint64_t now);
bool unit_queue_arrives(struct unit_queue *q, uint64_t line, uint64_t ready);
void unit_queue_archive(struct archive *a, struct unit_queue *q);

#endif
