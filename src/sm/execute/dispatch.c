#include "sm/execute/dispatch.h"

#include "sm/issue/dependence.h"
#include "sm/sm.h"

/* ---- issue ------------------------------------------------------------------------------------------------------- */

static uint64_t while_full(uint32_t count, uint32_t places) { return count >= places ? UINT64_MAX : 0; }

uint64_t dispatch_queue_free(const struct sm *sm, const struct subcore *p, enum issue_class class)
{
    const struct config_core *core = &sm->config->core;
    switch (class) {
    case CLASS_XU: return while_full(op_ring_count(&p->xu.waiting), core->xu_queue);
    case CLASS_ADU: return while_full(op_ring_count(&p->adu.waiting), core->adu_queue);
    default: return while_full(op_ring_count(&p->fp64.queue), core->fp64_queue);
    }
}

static void enqueue(struct sm *sm, unsigned subcore, uint8_t slot, const struct code *code, uint64_t now)
{
    struct subcore *p = &sm->subcore[subcore];
    sm->warp[slot].queued_ops++;
    if (code->class == CLASS_FP64) {
        fp64_issue(sm, subcore, code, slot, now);
        return;
    }
    unit_queue_push(code->class == CLASS_XU ? &p->xu : &p->adu, code, slot, now);
    dispatch_wake(sm, p, now + sm->config->core.queue_war);
}

/* A place in the result queue is reserved at issue: with more results ahead than it has places the next instruction
 * waits until there is one. */
static void reserve_result(struct sm *sm, struct subcore *p, const struct code *code, uint64_t arrival, uint64_t now)
{
    uint64_t ahead = code->flags & CODE_UNIFORM_RESULT
                         ? result_queue_put(&p->uniform_results, NULL, code, arrival)
                         : result_queue_put(&p->results, &p->registers.write, code, arrival);
    uint32_t places = sm->config->core.result_queue;
    if (ahead >= places)
        units_block(&p->units, now + ahead + 2 - places);
}

/* An instruction that waits in ALLOCATE for read ports holds CONTROL, and CONTROL holds issue; it comes to its unit
 * later, and the unit's latch is taken for as much longer (A100: a clock read behind IADD3 sees its wait, experiment
 * reuse-a100). The second FP32 group is left out: behind FFMA, which takes it there, a clock read sees nothing of its
 * wait (listing 1 without its last NOP). What has a queue leaves CONTROL for it. */
static uint64_t allocate(struct sm *sm, unsigned subcore, uint8_t slot, const struct code *code, uint64_t now)
{
    struct subcore *p = &sm->subcore[subcore];
    uint64_t left_control;
    unsigned unit = units_choose(&p->units, &sm->unit_choice, code->class, now);
    uint64_t allocated =
        register_file_allocate(&p->registers, &sm->config->core, code, slot, now, &left_control, &sm->n);
    uint64_t undelayed = allocated - ISSUE_TO_ALLOCATE; /* issue in this cycle would not have had to wait */
    units_hold(&p->units, unit, (unit == UNIT_FP32_SECOND ? now : undelayed) + code->interval);
    if (code->result_parts) /* after the read window and execution */
        reserve_result(sm, p, code, allocated + code->result_latency + sm->config->core.read_window, now);
    /* A counter is up before it goes down. */
    bool counted = code->write_sb != ISA_NO_SB || code->read_sb != ISA_NO_SB;
    if (counted && !(code->flags & CODE_ASYNC_GROUP))
        retire_sources_read(&sm->retire, slot, code, allocated + code->window + 1);
    if ((counted || sm->observer) && !(code->flags & CODE_ASYNC_GROUP))
        retire_result_written(&sm->retire, slot, code,
                              undelayed + (code->latency > SB_VISIBLE ? code->latency : SB_VISIBLE + 1u));
    return left_control;
}

void dispatch(struct sm *sm, unsigned subcore, unsigned warp, const struct code *code, uint64_t now)
{
    struct subcore *p = &sm->subcore[subcore];
    uint8_t slot = (uint8_t)slot_of(subcore, warp);
    uint64_t left_control = now + 2;
    sm->n.pipe_inst[code->pipe]++;
    sm->n.pipe_cycles[code->pipe] += code->pipe_cycles;
    if (code->flags & CODE_FIXED) {
        left_control = allocate(sm, subcore, slot, code, now);
    } else if (code->flags & CODE_QUEUED) {
        enqueue(sm, subcore, slot, code, now);
    }
    p->scheduler.issue_free = p->scheduler.ports_until = left_control - 1;
    /* The configuration published with the paper: one cycle. */
    if (code->flags & CODE_WIDE_IMAD)
        p->scheduler.issue_free += sm->config->core.wide_imad_bubble;
}

/* ---- queues ------------------------------------------------------------------------------------------------------ */

static uint64_t min64(uint64_t a, uint64_t b) { return a < b ? a : b; }

static bool queues_cycle(struct sm *sm, unsigned subcore, uint64_t now)
{
    struct subcore *p = &sm->subcore[subcore];
    bool moved = unit_queue_cycle(sm, subcore, &p->xu, now);
    moved |= unit_queue_cycle(sm, subcore, &p->adu, now);
    moved |= write_back_cycle(sm, subcore, now);
    p->queues_at = min64(unit_queue_next(sm, &p->xu, now), unit_queue_next(sm, &p->adu, now));
    p->queues_at = min64(p->queues_at, write_back_next(&p->write_back, now));
    return moved;
}

bool dispatch_cycle(struct sm *sm, uint64_t now)
{
    bool moved = sm->fp64.count && fp64_cycle(sm, now);
    if (sm->queues_at > now)
        return moved;
    sm->queues_at = UINT64_MAX;
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        struct subcore *p = &sm->subcore[subcore];
        if (p->queues_at <= now)
            moved |= queues_cycle(sm, subcore, now);
        sm->queues_at = min64(sm->queues_at, p->queues_at);
    }
    return moved;
}

uint64_t dispatch_next(const struct sm *sm, uint64_t now)
{
    return min64(sm->queues_at, sm->fp64.count ? fp64_next(sm, now) : UINT64_MAX);
}
