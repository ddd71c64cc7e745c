/* The recipe "a queued unit" of CONTRIBUTING, followed: a unit that takes an instruction every TOY_CYCLES cycles, and
 * whose result is there as many cycles later. */
#ifndef SUBCORE_TESTS_SM_TOY_UNIT_H
#define SUBCORE_TESTS_SM_TOY_UNIT_H

#include "sm/execute/queued_unit.h"

enum { TOY_CYCLES = 10 };

struct toy_unit {
    const struct unit_ports *to;
    struct op_ring waiting; /* ready: the instruction is behind CONTROL */
    struct op_ring results;
    uint64_t free; /* cycle from which the unit takes the next */
};

static inline void toy_unit_begin(struct toy_unit *t, const struct unit_ports *to)
{
    t->to = to;
    t->free = 0;
    op_ring_clear(&t->waiting);
    op_ring_clear(&t->results);
}

static inline uint32_t toy_unit_count(const struct toy_unit *t) { return op_ring_count(&t->waiting); }

static inline void toy_unit_push(struct toy_unit *t, const struct code *code, uint8_t slot, uint64_t now)
{
    *op_ring_push(&t->waiting, now + 2) = (struct queued_op){code, now, slot};
    queue_clock_wake(t->to->clock, now + 2);
}

static inline bool toy_unit_cycle(struct toy_unit *t, uint64_t now)
{
    bool moved = queued_result_write(t->to, &t->results, now);
    if (!op_ring_ready(&t->waiting, now) || now < t->free || op_ring_full(&t->results))
        return moved;
    struct queued_op op = *op_ring_front(&t->waiting);
    gate_wake(t->to->gate); /* a place becomes free */
    op_ring_pop(&t->waiting);
    t->free = now + TOY_CYCLES;
    *op_ring_push(&t->results, now + TOY_CYCLES) = op;
    retire_sources_read(t->to->retire, op.slot, op.code, now);
    return true;
}

static inline uint64_t toy_unit_next(const struct toy_unit *t, uint64_t now)
{
    uint64_t start = latest(op_ring_next(&t->waiting), t->free);
    return latest(earliest(op_ring_empty(&t->waiting) ? UINT64_MAX : start, op_ring_next(&t->results)), now + 1);
}

static inline bool toy_unit_arrives(struct toy_unit *t, uint64_t line, uint64_t ready)
{
    (void)t, (void)line, (void)ready; /* no instruction has a constant operand */
    return false;
}

static inline void toy_unit_archive(struct archive *a, struct toy_unit *t)
{
    archive_keep(a, &t->to);
    op_ring_archive(a, t->to, &t->waiting);
    op_ring_archive(a, t->to, &t->results);
}

#endif
