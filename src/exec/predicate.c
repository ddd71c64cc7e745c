/* PLOP3 and UPLOP3: two truth tables over three predicates. */
#include "exec/executors.h"
#include "exec/integer.h"

static bool has_register_source(const struct isa_inst *isa)
{
    return isa->a.kind != ISA_NONE || isa->b.kind != ISA_NONE || isa->c.kind != ISA_NONE;
}

void exec_PLOP3(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    if (has_register_source(isa)) {
        exec_refuse(core, warp, inst, "the form with register sources is not simulated");
        return;
    }
    uint32_t a = operand_predicate(warp, isa->pp), b = operand_predicate(warp, isa->pq);
    uint32_t c = operand_predicate(warp, isa->pr);
    exec_set_predicate(warp, isa->pu, active, integer_lop3(a, b, c, isa->mod[ISA_MOD_LUT]));
    exec_set_predicate(warp, isa->pv, active, integer_lop3(a, b, c, isa->mod[ISA_MOD_LUT2]));
}

void exec_UPLOP3(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                 struct issued *out)
{
    (void)active;
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    if (has_register_source(isa)) {
        exec_refuse(core, warp, inst, "the form with register sources is not simulated");
        return;
    }
    uint32_t a = operand_uniform(warp, isa->pp), b = operand_uniform(warp, isa->pq), c = operand_uniform(warp, isa->pr);
    exec_set_uniform_predicate(warp, isa->pu, integer_lop3(a, b, c, isa->mod[ISA_MOD_LUT]) & 1);
    exec_set_uniform_predicate(warp, isa->pv, integer_lop3(a, b, c, isa->mod[ISA_MOD_LUT2]) & 1);
}
