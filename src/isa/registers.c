#include "isa/syntax.h"

/* Registers of a matrix operand: D and C hold the accumulator, the other two depend on the shape. */
static unsigned mma_words(const struct isa_inst *inst, enum element_role role)
{
    enum { M16N8K8, M16N8K16, M16N8K4, M16N8K32 };
    unsigned shape = inst->mod[ISA_MOD_SHAPE];
    bool tf32 = inst->mod[ISA_MOD_MMA_TYPE] == 2;
    if (role == ROLE_D || role == ROLE_C)
        return inst->mod[ISA_MOD_MMA_ACC] ? 4 : 2;
    bool large = tf32 ? shape == M16N8K8 : shape == M16N8K16;
    if (!inst->mod[ISA_MOD_SPARSE])
        return (role == ROLE_A ? 2u : 1u) << large;
    large = tf32 ? shape == M16N8K16 : shape == M16N8K32; /* half of A is left out */
    return large ? 4 : 2;
}

static unsigned atom_words(unsigned type)
{
    static const uint8_t words[] = {1, 1, 2, 1, 1, 2, 2, 4, 1, 1, 2, 4, 2, 4, 2, 4, 2, 4};
    return type < sizeof words ? words[type] : 1;
}

unsigned isa_words_by(enum isa_modifier modifier, const struct isa_inst *inst, enum element_role role)
{
    unsigned value = inst->mod[modifier];
    switch (modifier) {
    case ISA_MOD_SIZE: return value == 5 ? 2 : value >= 6 ? 4 : 1;
    case ISA_MOD_ATOM_TYPE: return atom_words(value);
    case ISA_MOD_MATRICES: return value == 1 ? 2 : value == 2 ? 4 : 1;
    case ISA_MOD_SHAPE: return mma_words(inst, role);
    default: return value ? 2 : 1;
    }
}

static void add_read(struct isa_regs *out, const struct isa_inst *inst, const struct isa_operand *o)
{
    if (o->kind != ISA_REG || o->index == ISA_RZ || out->reads == sizeof out->read / sizeof *out->read)
        return;
    out->read[out->reads++] = (struct isa_reg_range){
        .first = o->index,
        .words = o->words,
        .position = o->position,
        .reuse = inst->control.reuse >> o->position & 1,
    };
}

static void add_predicate(uint8_t *mask, const struct isa_predicate *p)
{
    if (p->present && !p->uniform && p->index != ISA_PT)
        *mask |= (uint8_t)(1u << p->index);
}

void isa_registers(const struct isa_inst *inst, struct isa_regs *out)
{
    *out = (struct isa_regs){0};
    add_read(out, inst, &inst->a);
    add_read(out, inst, &inst->b);
    add_read(out, inst, &inst->c);
    add_read(out, inst, &inst->e);
    add_read(out, inst, &inst->f);
    add_read(out, inst, &inst->g);
    if (inst->d.kind == ISA_REG && inst->d.index != ISA_RZ)
        out->write[out->writes++] = (struct isa_reg_range){.first = inst->d.index, .words = inst->d.words};
    const struct isa_predicate *const sources[] = {&inst->guard, &inst->pp, &inst->pq, &inst->pr};
    for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++)
        add_predicate(&out->predicates_read, sources[i]);
    add_predicate(&out->predicates_written, &inst->pu);
    add_predicate(&out->predicates_written, &inst->pv);
    if (inst->op == ISA_OP_P2R)
        out->predicates_read |= 0x7f;
    if (inst->op == ISA_OP_R2P)
        out->predicates_written |= 0x7f;
}
