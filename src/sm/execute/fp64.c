#include "sm/execute/fp64.h"

#include "sm/issue/dependence.h"
#include "sm/sm.h"

enum { CYCLES_PER_WORD = 2 }; /* 32 lanes of 4 bytes, 64 bytes a cycle */

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t min64(uint64_t a, uint64_t b) { return a < b ? a : b; }

void fp64_issue(struct sm *sm, unsigned subcore, const struct code *code, uint8_t slot, uint64_t now)
{
    struct op_ring *queue = &sm->subcore[subcore].fp64.queue;
    *op_ring_push(queue, now + FP64_HAND_OVER) = (struct queued_op){code, now, slot};
    sm->fp64.count++;
}

/* Cycle at which the operands of the head have moved, when nothing takes their ports. */
static uint64_t moved_at(const struct fp64_path *path)
{
    const struct queued_op *op = &path->queue.item[path->queue.head % op_ring_capacity];
    return max64(op->issue + FP64_HAND_OVER, path->path_free) + op->code->transfer;
}

static bool move_operands(struct sm *sm, unsigned subcore, uint64_t now)
{
    struct subcore *p = &sm->subcore[subcore];
    struct fp64_path *path = &p->fp64;
    uint32_t steps = sm->config->core.fp64_steps;
    if (op_ring_empty(&path->queue) || op_ring_count(&path->moving) >= steps || now < moved_at(path) ||
        vl_operand_waits(&path->operand))
        return false;
    struct queued_op op = *op_ring_front(&path->queue);
    uint64_t since = max64(op.issue + FP64_HAND_OVER + 1, path->path_free);
    bool asked = path->operand.asked;
    if (!asked && !register_file_read_queued(&p->registers, &sm->config->core, op.code, since, now, &sm->n))
        return false;
    nap_end(sm, subcore);
    uint64_t late = unit_constant_late(sm, op.code, &path->operand, now);
    if (late == TAGS_COMING)
        return true;
    op_ring_pop(&path->queue);
    path->path_free = now;
    *op_ring_push(&path->moving, now + steps + late) = op;
    retire_sources_read(&sm->retire, op.slot, op.code, now);
    return true;
}

static bool start(struct sm *sm, unsigned subcore, uint64_t now)
{
    struct subcore *p = &sm->subcore[subcore];
    if (!op_ring_ready(&p->fp64.moving, now) || op_ring_full(&p->fp64.results))
        return false;
    struct queued_op op = *op_ring_front(&p->fp64.moving);
    op_ring_pop(&p->fp64.moving);
    sm->fp64.free = now + op.code->interval;
    sm->fp64.turn = subcore + 1;
    uint32_t cycles = CYCLES_PER_WORD * op.code->write_words;
    *op_ring_push(&p->fp64.results, return_path_deliver(&p->returns, RETURN_GLOBAL, now + op.code->latency, cycles)) =
        op;
    return true;
}

static bool write_result(struct sm *sm, unsigned subcore, uint64_t now)
{
    if (!unit_result_write(sm, subcore, &sm->subcore[subcore].fp64.results, now))
        return false;
    sm->fp64.count--;
    return true;
}

bool fp64_cycle(struct sm *sm, uint64_t now)
{
    if (sm->fp64.count == 0)
        return false;
    bool moved = false;
    for (unsigned i = 0; i < SM_SUBCORES && sm->fp64.free <= now; i++)
        moved |= start(sm, (sm->fp64.turn + i) % SM_SUBCORES, now);
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        moved |= move_operands(sm, subcore, now);
        moved |= write_result(sm, subcore, now);
    }
    return moved;
}

uint64_t fp64_next(const struct sm *sm, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (unsigned subcore = 0; subcore < SM_SUBCORES && sm->fp64.count; subcore++) {
        const struct fp64_path *path = &sm->subcore[subcore].fp64;
        next = min64(next, op_ring_next(&path->results));
        if (!op_ring_empty(&path->moving))
            next = min64(next, max64(op_ring_next(&path->moving), sm->fp64.free));
        if (!vl_operand_waits(&path->operand) && !op_ring_empty(&path->queue) &&
            op_ring_count(&path->moving) < sm->config->core.fp64_steps)
            next = min64(next, moved_at(path));
    }
    return next > now ? next : now + 1;
}
