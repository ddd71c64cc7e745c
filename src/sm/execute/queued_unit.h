/* The common part of a sub-core's queued units: units of variable latency behind a queue that is not the memory unit's.
 * An instruction takes a place at issue. At the head of the queue it reads its operands by ports that ALLOCATE leaves
 * free, and leaves for the unit when that takes it. Its result waits for the write port of its register bank.
 *
 * units.def lists these units. Each is a struct and these functions, named after the struct:
 *
 *   void     x_begin(struct x *, const struct unit_ports *)     empty; the ports stay
 *   uint32_t x_count(const struct x *)                          places taken in its queue
 *   void     x_push(struct x *, const struct code *, uint8_t slot, uint64_t now)     an instruction issues
 *   bool     x_cycle(struct x *, uint64_t now)                  true if anything moved
 *   uint64_t x_next(const struct x *, uint64_t now)             earliest cycle after `now` in which anything can move
 *   bool     x_arrives(struct x *, uint64_t line, uint64_t ready)   a constant line comes; true if the head wants it
 *   void     x_archive(struct archive *, struct x *) */
#ifndef SUBCORE_SM_QUEUED_UNIT_H
#define SUBCORE_SM_QUEUED_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"
#include "base/order.h"
#include "base/ring.h"
#include "sm/code_table.h"
#include "sm/execute/queue_clock.h"
#include "sm/memory/constant_vl.h"
#include "sm/memory/return_path.h"
#include "sm/registers/register_file.h"
#include "sm/retire.h"
#include "sm/scheduler/warp_gate.h"

struct sm_warp;

/* The ports of a queued unit in a sub-core. */
struct unit_ports {
    const struct config_core *core;
    struct register_file *registers;
    struct constant_vl *constants;
    struct return_path *returns;
    const struct warp_gate *gate;
    struct retire *retire;
    struct queue_clock *clock;
    struct fp64_unit *fp64; /* shared by the sub-cores */
    struct sm_warp *warp;   /* [SM_WARPS] */
    const struct code_table *code;
    struct sm_counters *n;
};

struct queued_op {
    const struct code *code;
    uint64_t issue;
    uint8_t slot; /* warp slot */
};
RING(op_ring, struct queued_op, 32)

static inline void op_ring_clear(struct op_ring *r) { r->head = r->tail = 0; }
static inline const struct queued_op *op_ring_head(const struct op_ring *r)
{
    return &r->item[r->head % op_ring_capacity];
}

void op_ring_archive(struct archive *a, const struct unit_ports *to, struct op_ring *ring);

/* Returns by how many cycles the constant operand of a queue's head is later than a hit. It comes from the LDC cache,
 * as the name of that cache, VL, suggests. While the L2 is asked for it, TAGS_COMING: the instruction stays. */
uint64_t queued_constant_late(const struct unit_ports *to, const struct queued_op *op, struct vl_operand *operand,
                              uint64_t now);

/* Notes that a constant line comes: the operand of the queue's head is there at `ready` if it waits for this line.
 * Returns true if so. */
bool queued_constant_arrives(const struct unit_ports *to, struct vl_operand *operand, const struct op_ring *queue,
                             uint64_t line, uint64_t ready);

/* Writes the oldest result if it is there and its write port is free: a result of fixed latency goes first. Returns
 * true if it has written, and taken it out of the ring. */
bool queued_result_write(const struct unit_ports *to, struct op_ring *results, uint64_t now);

#endif
