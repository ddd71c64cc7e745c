#include "sm/front/constant_way.h"

#include "sm/execute/dispatch.h"
#include "sm/issue/eligibility.h"
#include "sm/sm.h"

/* A cycle for the arbiter of the port, then 39 cycles each way: the 78 of the artifact make the 79 that the paper
 * measured. */
static uint64_t at_l0(const struct sm *sm, uint64_t there) { return there - 1 + sm->config->constant.l15_latency; }

uint64_t constant_fetch(struct sm *sm, uint64_t address, uint64_t now)
{
    uint64_t there = l15_request(sm, L15_CONSTANTS + address, l1i_pass_port(&sm->l1i, now, 1));
    return there == TAGS_COMING ? there : at_l0(sm, there);
}

/* The operand that the head of a queue waits for. */
static bool operand_arrives(struct sm *sm, struct vl_operand *operand, struct op_ring *queue, uint64_t line,
                            uint64_t ready)
{
    if (!vl_operand_waits(operand))
        return false;
    const struct code *code = op_ring_front(queue)->code;
    if (constant_vl_line(&sm->ldc_constants, code->constant_bank, code->constant_offset) != line)
        return false;
    operand->ready = ready;
    return true;
}

static void line_arrives(struct sm *sm, uint64_t line, uint64_t ready)
{
    tags_arrive(&sm->ldc_constants.tags, line, ready);
    for (unsigned subcore = 0; subcore < SM_SUBCORES; subcore++) {
        struct subcore *p = &sm->subcore[subcore];
        tags_arrive(&p->constants.tags, line, ready);
        eligible_constant_arrives(sm, subcore, line, ready);
        constant_load_arrives(sm, subcore, line, ready);
        bool xu = operand_arrives(sm, &p->xu.operand, &p->xu.waiting, line, ready);
        bool adu = operand_arrives(sm, &p->adu.operand, &p->adu.waiting, line, ready);
        operand_arrives(sm, &p->fp64.operand, &p->fp64.queue, line, ready);
        if (xu || adu)
            dispatch_wake(sm, p, sm->now);
    }
}

void constant_arrive(struct sm *sm, uint64_t address, uint64_t end, uint64_t there)
{
    uint32_t bytes = sm->config->constant.line;
    for (uint64_t line = (address + bytes - 1) / bytes; line * bytes < end; line++)
        line_arrives(sm, line, at_l0(sm, there));
}
