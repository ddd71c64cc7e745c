#include "isa/matrix.h"
#include "isa/syntax.h"

/* Registers of a matrix operand: each lane holds a 32nd of the matrix. */
static unsigned matrix_words(const struct isa_inst *inst, enum element_role role)
{
    struct isa_matrix m = isa_matrix_of(inst);
    unsigned bits = role == ROLE_A   ? (unsigned)m.rows * m.depth * m.bits_a >> m.sparse
                    : role == ROLE_B ? (unsigned)m.depth * ISA_MATRIX_COLUMNS * m.bits_b
                                     : (unsigned)m.rows * ISA_MATRIX_COLUMNS * m.bits_c;
    return bits < 1024 ? 1 : bits / 1024;
}

/* A matrix of 16 x 16 bytes takes two registers, the others one. */
static unsigned moved_words(const struct isa_inst *inst)
{
    enum { MT1616 = 4 };
    unsigned matrices = 1u << (inst->mod[ISA_MOD_MATRICES] < 2 ? inst->mod[ISA_MOD_MATRICES] : 2);
    return inst->op == ISA_OP_LDSM && inst->mod[ISA_MOD_LAYOUT] == MT1616 ? 2 * matrices : matrices;
}

static unsigned atom_words(unsigned type)
{
    static const uint8_t words[] = {1, 1, 2, 1, 1, 2, 2, 4, 1, 1, 2, 4, 2, 4, 2, 4, 2, 4};
    return type < sizeof words ? words[type] : 1;
}

/* Conversions: the result has 64 bits where its type is F64, U64 or S64. */
static unsigned converted_words(enum isa_op op, unsigned type)
{
    return op == ISA_OP_F2I ? type >= 6 ? 2 : 1 : type == 3 ? 2 : 1;
}

unsigned isa_words_by(enum isa_modifier modifier, const struct isa_inst *inst, enum element_role role)
{
    unsigned value = inst->mod[modifier];
    switch (modifier) {
    case ISA_MOD_SIZE: return value == 5 ? 2 : value >= 6 ? 4 : 1;
    case ISA_MOD_ATOM_TYPE: return atom_words(value);
    case ISA_MOD_MATRICES: return moved_words(inst);
    case ISA_MOD_LAYOUT: return inst->mod[ISA_MOD_ELEMENT] && value ? 2 : 1;
    case ISA_MOD_SHAPE: return matrix_words(inst, role);
    case ISA_MOD_DST_TYPE: return converted_words((enum isa_op)inst->op, value);
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

static void add_write(struct isa_regs *out, const struct isa_operand *o)
{
    if (o->kind == ISA_REG && o->index != ISA_RZ)
        out->write[out->writes++] = (struct isa_reg_range){.first = o->index, .words = o->words};
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
    if (inst->op != ISA_OP_LDG_256)
        add_read(out, inst, &inst->e);
    add_read(out, inst, &inst->f);
    add_read(out, inst, &inst->g);
    add_write(out, &inst->d);
    if (inst->op == ISA_OP_LDG_256)
        add_write(out, &inst->e);
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
