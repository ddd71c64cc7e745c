/* PLOP3 and UPLOP3: two truth tables over three predicates, or signs of registers in their place. */
#include "exec/arithmetic/integer.h"
#include "exec/executors.h"

/* Lanes where the register's sign is set, or the predicate where the form has no register. */
static uint32_t lane_source(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                            const struct isa_operand *op, struct isa_predicate p)
{
    if (op->kind == ISA_NONE)
        return operand_predicate(warp, p);
    if (op->kind != ISA_REG)
        return operand_word(core, warp, inst, op, 0) >> 31 ? UINT32_MAX : 0;
    const uint32_t *row = exec_row(warp, op->index);
    uint32_t mask = 0;
    for (unsigned lane = 0; lane < EXEC_LANES; lane++)
        mask |= row[lane] >> 31 << lane;
    return mask;
}

void exec_PLOP3(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    uint32_t a = lane_source(core, warp, inst, &isa->a, isa->pp), b = lane_source(core, warp, inst, &isa->b, isa->pq);
    uint32_t c = lane_source(core, warp, inst, &isa->c, isa->pr);
    exec_set_predicate(warp, isa->pu, active, integer_lop3(a, b, c, isa->mod[ISA_MOD_LUT]));
    exec_set_predicate(warp, isa->pv, active, integer_lop3(a, b, c, isa->mod[ISA_MOD_LUT2]));
}

static uint32_t uniform_source(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                               const struct isa_operand *op, struct isa_predicate p)
{
    return op->kind == ISA_NONE ? operand_uniform(warp, p) : operand_word(core, warp, inst, op, 0) >> 31;
}

void exec_UPLOP3(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    (void)active;
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    uint32_t a = uniform_source(core, warp, inst, &isa->a, isa->pp);
    uint32_t b = uniform_source(core, warp, inst, &isa->b, isa->pq);
    uint32_t c = uniform_source(core, warp, inst, &isa->c, isa->pr);
    exec_set_uniform_predicate(warp, isa->pu, integer_lop3(a, b, c, isa->mod[ISA_MOD_LUT]) & 1);
    exec_set_uniform_predicate(warp, isa->pv, integer_lop3(a, b, c, isa->mod[ISA_MOD_LUT2]) & 1);
}
