/* The FP64 unit that the four sub-cores of a GeForce or workstation part share. Each sub-core has a queue. Its head
 * moves its operands, 64 bytes a cycle, over a path of several steps. The unit takes one instruction at a time from the
 * sub-cores in turn. Results come back at 64 bytes a cycle by the path of loads.
 *
 *   issue t -> queue -> operands t+2 .. -> steps -> unit (one in fp64_interval) -> return bus -> registers
 *
 * Parts for data centres have FP64 lanes in each sub-core instead, behind a latch as other units of fixed latency.
 * Source: the configuration and code published with the MICRO 2025 paper. With its values for TU102 (5 steps, 25
 * cycles) DADD takes 44 and DFMA 48 cycles, as measured there: 4 for the third operand. */
#ifndef SUBCORE_SM_FP64_H
#define SUBCORE_SM_FP64_H

#include "sm/execute/queued_unit.h"
#include "sm/slot.h"

/* The part of a sub-core: a queued unit, which the shared unit moves. */
struct fp64_path {
    const struct unit_ports *to;
    struct op_ring queue;      /* not moved yet: a place is taken at issue */
    struct op_ring moving;     /* on the path; ready: when their operands are at the unit */
    struct op_ring results;    /* ready: the result is at the write port */
    uint64_t path_free;        /* the operands of the next can move */
    struct vl_operand operand; /* constant of the head in `queue` */
};

void fp64_path_begin(struct fp64_path *p, const struct unit_ports *to);
static inline uint32_t fp64_path_count(const struct fp64_path *p) { return op_ring_count(&p->queue); }
void fp64_path_push(struct fp64_path *p, const struct code *code, uint8_t slot, uint64_t now);
bool fp64_path_arrives(struct fp64_path *p, uint64_t line, uint64_t ready);
void fp64_path_archive(struct archive *a, struct fp64_path *p);

/* Nothing moves by itself: fp64_unit_cycle moves the paths of all sub-cores. */
static inline bool fp64_path_cycle(struct fp64_path *p, uint64_t now)
{
    (void)p, (void)now;
    return false;
}
static inline uint64_t fp64_path_next(const struct fp64_path *p, uint64_t now)
{
    (void)p, (void)now;
    return UINT64_MAX;
}

struct fp64_unit {
    struct fp64_ports {
        struct fp64_path *path[SM_SUBCORES];
    } to;
    uint64_t free;
    uint32_t count; /* instructions in all sub-cores' parts */
    uint32_t turn;  /* sub-core that is asked first */
};

void fp64_unit_begin(struct fp64_unit *u);
/* Operands move. The unit takes at most one instruction. Returns true if anything moved. */
bool fp64_unit_work(struct fp64_unit *u, uint64_t now);
static inline bool fp64_unit_cycle(struct fp64_unit *u, uint64_t now) { return u->count && fp64_unit_work(u, now); }
/* Earliest cycle after `now` in which anything can move; UINT64_MAX when the unit is empty. */
uint64_t fp64_unit_next(const struct fp64_unit *u, uint64_t now);

#endif
