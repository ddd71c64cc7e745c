#include "sm/execute/fp64.h"

enum { CYCLES_PER_WORD = 2 }; /* 32 lanes of 4 bytes, 64 bytes a cycle */

/* ---- the part of a sub-core -------------------------------------------------------------------------------------- */

void fp64_path_begin(struct fp64_path *p, const struct unit_ports *to)
{
    p->to = to;
    op_ring_clear(&p->queue);
    op_ring_clear(&p->moving);
    op_ring_clear(&p->results);
    p->path_free = 0;
    p->operand = (struct vl_operand){0};
}

void fp64_path_push(struct fp64_path *p, const struct code *code, uint8_t slot, uint64_t now)
{
    *op_ring_push(&p->queue, now + FP64_HAND_OVER) = (struct queued_op){code, now, slot};
    p->to->fp64->count++;
}

/* Cycle at which the operands of the head have moved, when nothing takes their ports. */
static uint64_t moved_at(const struct fp64_path *p)
{
    const struct queued_op *op = op_ring_head(&p->queue);
    return latest(op->issue + FP64_HAND_OVER, p->path_free) + op->code->transfer;
}

static bool move_operands(struct fp64_path *p, uint64_t now)
{
    const struct config_core *core = p->to->core;
    if (op_ring_empty(&p->queue) || op_ring_count(&p->moving) >= core->fp64_steps || now < moved_at(p) ||
        vl_operand_waits(&p->operand))
        return false;
    struct queued_op op = *op_ring_front(&p->queue);
    uint64_t since = latest(op.issue + FP64_HAND_OVER + 1, p->path_free);
    if (!p->operand.asked && !register_file_read_queued(p->to->registers, core, op.code, since, now, p->to->n))
        return false;
    uint64_t late = queued_constant_late(p->to, &op, &p->operand, now);
    if (late == TAGS_COMING)
        return true;
    gate_wake(p->to->gate);
    op_ring_pop(&p->queue);
    p->path_free = now;
    *op_ring_push(&p->moving, now + core->fp64_steps + late) = op;
    retire_sources_read(p->to->retire, op.slot, op.code, now);
    return true;
}

bool fp64_path_arrives(struct fp64_path *p, uint64_t line, uint64_t ready)
{
    queued_constant_arrives(p->to, &p->operand, &p->queue, line, ready);
    return false;
}

void fp64_path_archive(struct archive *a, struct fp64_path *p)
{
    archive_keep(a, &p->to);
    op_ring_archive(a, p->to, &p->queue);
    op_ring_archive(a, p->to, &p->moving);
    op_ring_archive(a, p->to, &p->results);
}

/* ---- the shared unit --------------------------------------------------------------------------------------------- */

void fp64_unit_begin(struct fp64_unit *u)
{
    u->free = 0;
    u->count = u->turn = 0;
}

static bool start(struct fp64_unit *u, unsigned subcore, uint64_t now)
{
    struct fp64_path *p = u->to.path[subcore];
    if (!op_ring_ready(&p->moving, now) || op_ring_full(&p->results))
        return false;
    struct queued_op op = *op_ring_front(&p->moving);
    op_ring_pop(&p->moving);
    u->free = now + op.code->interval;
    u->turn = subcore + 1;
    uint32_t cycles = CYCLES_PER_WORD * op.code->write_words;
    *op_ring_push(&p->results, return_path_deliver(p->to->returns, RETURN_GLOBAL, now + op.code->latency, cycles)) = op;
    return true;
}

static bool write_result(struct fp64_unit *u, struct fp64_path *p, uint64_t now)
{
    if (!queued_result_write(p->to, &p->results, now))
        return false;
    u->count--;
    return true;
}

bool fp64_unit_run(struct fp64_unit *u, uint64_t now)
{
    bool moved = false;
    for (unsigned i = 0; i < SM_SUBCORES && u->free <= now; i++)
        moved |= start(u, (u->turn + i) % SM_SUBCORES, now);
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        moved |= move_operands(u->to.path[subcore], now);
        moved |= write_result(u, u->to.path[subcore], now);
    }
    return moved;
}

uint64_t fp64_unit_next(const struct fp64_unit *u, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    if (u->count == 0)
        return next;
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        const struct fp64_path *p = u->to.path[subcore];
        next = earliest(next, op_ring_next(&p->results));
        if (!op_ring_empty(&p->moving))
            next = earliest(next, latest(op_ring_next(&p->moving), u->free));
        if (!vl_operand_waits(&p->operand) && !op_ring_empty(&p->queue) &&
            op_ring_count(&p->moving) < p->to->core->fp64_steps)
            next = earliest(next, moved_at(p));
    }
    return latest(next, now + 1);
}
