#include "sm/execute/unit_queue.h"

#include "sm/issue/dependence.h"
#include "sm/issue/issue.h"
#include "sm/sm.h"

enum { FIRST_READ = 3 }; /* from issue, as of a fixed-latency instruction */

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

bool unit_result_write(struct sm *sm, unsigned subcore, struct op_ring *results, uint64_t now)
{
    if (!op_ring_ready(results, now))
        return false;
    struct queued_op op = *op_ring_front(results);
    struct write_ports *ports = &sm->subcore[subcore].registers.write;
    unsigned bank = write_back_bank(op.code);
    if (!write_ports_free(ports, bank, now))
        return false;
    nap_end(sm, subcore);
    write_ports_take(ports, bank, now);
    op_ring_pop(results);
    retire_result_written(&sm->retire, op.slot, op.code, now);
    if (--sm->warp[op.slot].queued_ops == 0)
        retire_warp_drained(&sm->retire, op.slot);
    return true;
}

static uint64_t start_of(const struct sm *sm, const struct unit_queue *q)
{
    const struct queued_op *op = &q->waiting.item[q->waiting.head % op_ring_capacity];
    return max64(op->issue + sm->config->core.queue_war, q->unit_free);
}

uint64_t unit_constant_late(struct sm *sm, const struct code *code, struct vl_operand *operand, uint64_t now)
{
    if (!(code->flags & CODE_CONSTANT))
        return 0;
    if (!operand->asked)
        operand->ready = constant_vl_operand(sm, code->constant_bank, code->constant_offset, now);
    operand->asked = operand->ready == TAGS_COMING;
    if (operand->asked)
        return TAGS_COMING;
    return operand->ready > now ? operand->ready - now : 0;
}

static bool start(struct sm *sm, unsigned subcore, struct unit_queue *q, uint64_t now)
{
    if (op_ring_empty(&q->waiting) || op_ring_full(&q->results) || now < start_of(sm, q) ||
        vl_operand_waits(&q->operand))
        return false;
    struct queued_op op = *op_ring_front(&q->waiting);
    const struct config_core *core = &sm->config->core;
    uint64_t since = max64(op.issue + FIRST_READ, q->head_since);
    struct register_file *registers = &sm->subcore[subcore].registers;
    if (!q->operand.asked && !register_file_read_queued(registers, core, op.code, since, now, &sm->n))
        return false;
    nap_end(sm, subcore);
    uint64_t late = unit_constant_late(sm, op.code, &q->operand, now);
    if (late == TAGS_COMING)
        return true;
    op_ring_pop(&q->waiting);
    q->head_since = now;
    q->unit_free = now + op.code->interval;
    uint64_t rest = op.code->latency > core->queue_war ? op.code->latency - core->queue_war : 1u;
    q->last_result = max64(now + rest + late, q->last_result);
    *op_ring_push(&q->results, q->last_result) = op;
    retire_sources_read(&sm->retire, op.slot, op.code, now);
    return true;
}

bool unit_queue_cycle(struct sm *sm, unsigned subcore, struct unit_queue *q, uint64_t now)
{
    bool moved = start(sm, subcore, q, now);
    return unit_result_write(sm, subcore, &q->results, now) || moved;
}

uint64_t unit_queue_next(const struct sm *sm, const struct unit_queue *q, uint64_t now)
{
    uint64_t next = op_ring_next(&q->results);
    bool waits = vl_operand_waits(&q->operand); /* for a reply of the L2 */
    if (!waits && !op_ring_empty(&q->waiting) && !op_ring_full(&q->results) && start_of(sm, q) < next)
        next = start_of(sm, q);
    return max64(next, now + 1);
}
