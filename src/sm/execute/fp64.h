/* The FP64 unit that the four sub-cores of a GeForce or workstation part share. Each sub-core has a queue; its head
 * moves its operands, 64 bytes a cycle, over a path of several steps; the unit takes one instruction at a time from the
 * sub-cores in turn; results come back at 64 bytes a cycle by the path of loads.
 *
 *   issue t -> queue -> operands t+2 .. -> steps -> unit (one in fp64_interval) -> return bus -> registers
 *
 * Parts for data centres have FP64 lanes in each sub-core instead, behind a latch as other units of fixed latency.
 * Source: the configuration and code published with the MICRO 2025 paper. With its values for TU102 (5 steps, 25
 * cycles) DADD takes 44 and DFMA 48 cycles, as measured there: 4 for the third operand. */
#ifndef SUBCORE_SM_FP64_H
#define SUBCORE_SM_FP64_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/execute/unit_queue.h"

/* The part of a sub-core. */
struct fp64_path {
    struct op_ring queue;      /* not moved yet: a place is taken at issue */
    struct op_ring moving;     /* on the path; ready: when their operands are at the unit */
    struct op_ring results;    /* ready: the result is at the write port */
    uint64_t path_free;        /* the operands of the next can move */
    struct vl_operand operand; /* constant of the head of `queue` */
};

struct fp64_unit {
    uint64_t free;
    uint32_t count; /* instructions in all sub-cores' parts */
    uint32_t turn;  /* sub-core that is asked first */
};

struct sm;

static inline void fp64_path_init(struct fp64_path *p)
{
    op_ring_clear(&p->queue);
    op_ring_clear(&p->moving);
    op_ring_clear(&p->results);
    p->path_free = 0;
    p->operand = (struct vl_operand){0};
}

void fp64_issue(struct sm *sm, unsigned subcore, const struct code *code, uint8_t slot, uint64_t now);
/* Operands move; the unit takes at most one instruction. True when anything moved. */
bool fp64_cycle(struct sm *sm, uint64_t now);
uint64_t fp64_next(const struct sm *sm, uint64_t now);

#endif
