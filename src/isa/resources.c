#include "isa/resources.h"

static void add(struct resources *out, unsigned first, unsigned number, unsigned count, unsigned none)
{
    for (unsigned i = 0; i < count; i++)
        if (number + i < none && out->count < sizeof out->items / sizeof *out->items)
            out->items[out->count++] = (uint16_t)(first + number + i);
}

static void add_operand(struct resources *out, const struct isa_operand *o)
{
    if (o->kind == ISA_UREG)
        add(out, RESOURCE_UNIFORM, o->index, o->words ? o->words : 1, ISA_URZ);
    else if (o->kind == ISA_CONST_BINDLESS)
        add(out, RESOURCE_UNIFORM, o->index, 2, ISA_URZ);
}

static void add_predicate(struct resources *out, const struct isa_predicate *p)
{
    if (p->present)
        add(out, p->uniform ? RESOURCE_UNIFORM_PREDICATE : RESOURCE_PREDICATE, p->index, 1, ISA_PT);
}

static void add_mask(struct resources *out, unsigned first, unsigned mask)
{
    for (unsigned i = 0; i < ISA_PT; i++)
        if (mask >> i & 1)
            add(out, first, i, 1, ISA_PT);
}

/* Predicates that P2R, R2P and their uniform twins move. */
static unsigned moved(const struct isa_inst *inst)
{
    const struct isa_operand *mask = inst->b.kind == ISA_NONE ? &inst->c : &inst->b;
    return mask->kind == ISA_IMM ? mask->value & 0x7f : 0x7f;
}

/* Addresses in a window of 32 bits have a base of one word. */
static unsigned base_words(const struct isa_inst *inst)
{
    enum isa_space space = isa_op_info((enum isa_op)inst->op)->space;
    return space == ISA_SPACE_GLOBAL || space == ISA_SPACE_GENERIC ? 2 : 1;
}

/* BSSY writes a convergence barrier, the other branches read one. BMOV may do either. */
static bool has_barrier(const struct isa_inst *inst)
{
    return isa_op_info((enum isa_op)inst->op)->pipe == ISA_PIPE_CBU && inst->barrier < 16;
}

void resources_read(const struct isa_inst *inst, struct resources *out)
{
    const struct isa_operand *const operands[] = {&inst->a, &inst->b, &inst->c, &inst->e, &inst->f, &inst->g};
    const struct isa_predicate *const predicates[] = {&inst->pp, &inst->pq, &inst->pr};
    struct isa_regs regs;
    *out = (struct resources){0};
    isa_registers(inst, &regs);
    for (unsigned i = 0; i < regs.reads; i++)
        add(out, RESOURCE_REGISTER, regs.read[i].first, regs.read[i].words, ISA_RZ);
    for (unsigned i = 0; i < sizeof operands / sizeof *operands; i++)
        add_operand(out, operands[i]);
    if (inst->has_ureg_base)
        add(out, RESOURCE_UNIFORM, inst->ureg_base, base_words(inst), ISA_URZ);
    if (inst->has_descriptor)
        add(out, RESOURCE_UNIFORM, inst->ureg_descriptor, 2, ISA_URZ);
    for (unsigned i = 0; i < sizeof predicates / sizeof *predicates; i++)
        add_predicate(out, predicates[i]);
    if (inst->op == ISA_OP_P2R)
        add_mask(out, RESOURCE_PREDICATE, moved(inst));
    if (inst->op == ISA_OP_UP2UR)
        add_mask(out, RESOURCE_UNIFORM_PREDICATE, moved(inst));
    if (has_barrier(inst))
        add(out, RESOURCE_BARRIER, inst->barrier, 1, 16);
}

void resources_guard(const struct isa_inst *inst, struct resources *out)
{
    *out = (struct resources){0};
    struct isa_predicate guard = inst->guard;
    guard.present = true;
    add_predicate(out, &guard);
}

void resources_written(const struct isa_inst *inst, struct resources *out)
{
    struct isa_regs regs;
    *out = (struct resources){0};
    isa_registers(inst, &regs);
    for (unsigned i = 0; i < regs.writes; i++)
        add(out, RESOURCE_REGISTER, regs.write[i].first, regs.write[i].words, ISA_RZ);
    add_operand(out, &inst->d);
    if (inst->op == ISA_OP_R2P)
        add_mask(out, RESOURCE_PREDICATE, moved(inst));
    if (inst->op == ISA_OP_UR2UP)
        add_mask(out, RESOURCE_UNIFORM_PREDICATE, moved(inst));
    add_predicate(out, &inst->pu);
    add_predicate(out, &inst->pv);
    if (has_barrier(inst))
        add(out, RESOURCE_BARRIER, inst->barrier, 1, 16);
}
