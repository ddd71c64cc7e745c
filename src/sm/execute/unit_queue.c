#include "sm/execute/unit_queue.h"

enum { FIRST_READ = 3 }; /* from issue, as of a fixed-latency instruction */

void unit_queue_begin(struct unit_queue *q, const struct unit_ports *to)
{
    q->to = to;
    op_ring_clear(&q->waiting);
    op_ring_clear(&q->results);
    q->head_since = q->unit_free = q->last_result = 0;
    q->operand = (struct vl_operand){0};
}

void unit_queue_push(struct unit_queue *q, const struct code *code, uint8_t slot, uint64_t now)
{
    *op_ring_push(&q->waiting, now) = (struct queued_op){code, now, slot};
    queue_clock_wake(q->to->clock, now + q->to->core->queue_war);
}

static uint64_t start_of(const struct unit_queue *q)
{
    return latest(op_ring_head(&q->waiting)->issue + q->to->core->queue_war, q->unit_free);
}

static bool start(struct unit_queue *q, uint64_t now)
{
    if (op_ring_empty(&q->waiting) || op_ring_full(&q->results) || now < start_of(q) || vl_operand_waits(&q->operand))
        return false;
    struct queued_op op = *op_ring_front(&q->waiting);
    const struct config_core *core = q->to->core;
    uint64_t since = latest(op.issue + FIRST_READ, q->head_since);
    if (!q->operand.asked && !register_file_read_queued(q->to->registers, core, op.code, since, now, q->to->n))
        return false;
    uint64_t late = queued_constant_late(q->to, &op, &q->operand, now);
    if (late == TAGS_COMING)
        return true;
    gate_wake(q->to->gate);
    op_ring_pop(&q->waiting);
    q->head_since = now;
    q->unit_free = now + op.code->interval;
    uint64_t rest = op.code->latency > core->queue_war ? op.code->latency - core->queue_war : 1u;
    q->last_result = latest(now + rest + late, q->last_result);
    *op_ring_push(&q->results, q->last_result) = op;
    retire_sources_read(q->to->retire, op.slot, op.code, now);
    return true;
}

bool unit_queue_cycle(struct unit_queue *q, uint64_t now)
{
    bool moved = start(q, now);
    return queued_result_write(q->to, &q->results, now) || moved;
}

uint64_t unit_queue_next(const struct unit_queue *q, uint64_t now)
{
    uint64_t next = op_ring_next(&q->results);
    bool waits = vl_operand_waits(&q->operand); /* for a reply of the L2 */
    if (!waits && !op_ring_empty(&q->waiting) && !op_ring_full(&q->results) && start_of(q) < next)
        next = start_of(q);
    return latest(next, now + 1);
}

bool unit_queue_arrives(struct unit_queue *q, uint64_t line, uint64_t ready)
{
    return queued_constant_arrives(q->to, &q->operand, &q->waiting, line, ready);
}

void unit_queue_archive(struct archive *a, struct unit_queue *q)
{
    archive_keep(a, &q->to);
    op_ring_archive(a, q->to, &q->waiting);
    op_ring_archive(a, q->to, &q->results);
}
