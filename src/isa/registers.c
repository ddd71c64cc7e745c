#include "isa/matrix.h"
#include "isa/syntax.h"

/* Registers of a wgmma accumulator: 64 rows over 128 threads. */
static unsigned warpgroup_words(const struct isa_inst *inst)
{
    bool half = (inst->op == ISA_OP_HGMMA || inst->op == ISA_OP_QGMMA) && !inst->mod[ISA_MOD_MMA_ACC];
    return isa_warpgroup_columns(inst) / (half ? 4 : 2);
}

/* Registers of a matrix operand: each lane holds a 32nd of the matrix. */
static unsigned matrix_words(const struct isa_inst *inst, enum element_role role)
{
    struct isa_matrix m = isa_matrix_of(inst);
    if (inst->op >= ISA_OP_HGMMA && inst->op <= ISA_OP_QGMMA)
        return warpgroup_words(inst);
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

/* LDTM and STTM: 16 lanes with 128 bits are two registers of the warp, those with 256 four, the other layouts one. */
static unsigned tensor_words(const struct isa_inst *inst)
{
    static const uint8_t registers[] = {2, 4, 1, 1, 1, 1, 1, 1};
    return (unsigned)registers[inst->mod[ISA_MOD_LAYOUT] & 7] << inst->mod[ISA_MOD_REPEAT];
}

static unsigned atom_words(unsigned type)
{
    static const uint8_t words[] = {1, 1, 2, 1, 1, 2, 2, 4, 1, 1, 2, 4, 2, 4, 2, 4, 2, 4, 1, 2, 4, 1, 2, 4};
    return type < sizeof words ? words[type] : 1;
}

/* Conversions: the result has 64 bits where its type is F64, U64 or S64. */
static unsigned converted_words(enum isa_op op, unsigned type)
{
    return op == ISA_OP_F2I ? type >= 6 ? 2 : 1 : type == 3 ? 2 : 1;
}

/* Coordinates of a texture instruction, the layer of an array included. */
static unsigned texture_coordinates(const struct isa_inst *inst)
{
    static const uint8_t coordinates[] = {1, 2, 3, 3, 2, 3, 1, 4};
    return coordinates[inst->mod[ISA_MOD_TEXTURE_DIM] & 7];
}

/* Levels, offset, reference and sample that come after the coordinates. */
static unsigned texture_extras(const struct isa_inst *inst)
{
    enum { LB = 2, LL, LC, LB_LC };
    unsigned lod = inst->mod[ISA_MOD_LOD];
    unsigned levels = lod == LB_LC ? 2 : lod >= LB && lod <= LC;
    return levels + (inst->mod[ISA_MOD_TEXEL_OFFSET] == 1) + inst->mod[ISA_MOD_DEPTH_COMPARE] +
           (inst->mod[ISA_MOD_MULTISAMPLE] == 1);
}

/* Deduced from code of nvcc: coordinates are in A and the rest in B. Scattered ones are shared out evenly. TXD has
 * its derivatives in B. */
static unsigned texture_words(const struct isa_inst *inst, enum element_role role)
{
    static const uint8_t derivatives[] = {2, 4, 4, 4, 2, 4, 4, 4};
    unsigned first = texture_coordinates(inst), rest = texture_extras(inst), all = first + rest;
    if (inst->op == ISA_OP_TXD) {
        first = all;
        rest = derivatives[inst->mod[ISA_MOD_TEXTURE_DIM] & 7];
    } else if (inst->mod[ISA_MOD_SCATTERED]) {
        first = (all + 1) / 2;
        rest = all - first;
    }
    unsigned words = role == ROLE_A ? first : rest;
    return words < 1 ? 1 : words > 4 ? 4 : words;
}

/* Accesses of 256 bits: a group has as many registers as the mask has bits in its half. */
static unsigned group_words(const struct isa_inst *inst, enum element_role role)
{
    enum { HALF = 4 };
    unsigned mask = inst->mod[ISA_MOD_MASK], half = role == ROLE_E ? mask >> HALF : mask & ((1u << HALF) - 1);
    unsigned words = popcount32(half);
    return words ? words : 1;
}

static unsigned texture_results(const struct isa_inst *inst, enum element_role role)
{
    unsigned count = popcount32(inst->mod[ISA_MOD_MASK]);
    if (inst->mod[ISA_MOD_HALF_ROUND])
        return 1; /* two halves a register */
    if (role == ROLE_D)
        return count < 2 ? 1 : 2;
    return count < 4 ? 1 : 2;
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
    case ISA_MOD_REPEAT: return tensor_words(inst);
    case ISA_MOD_DST_TYPE: return converted_words((enum isa_op)inst->op, value);
    case ISA_MOD_TEXTURE_DIM: return texture_words(inst, role);
    case ISA_MOD_MASK:
        return inst->op == ISA_OP_LDG_256 || inst->op == ISA_OP_STG_256 ? group_words(inst, role)
                                                                        : texture_results(inst, role);
    case ISA_MOD_SURFACE_DIM: return value < 2 ? 1 : value < 4 ? 2 : 3;
    case ISA_MOD_SURFACE_TYPE: {
        unsigned words = value == 2 || value == 5 || value == 7 ? 2 : 1;
        return inst->op == ISA_OP_SUATOM_CAS && role == ROLE_B ? 2 * words : words;
    }
    case ISA_MOD_BULK_TYPE: return value == 2 || value == 3 ? 2 : 1;
    case ISA_MOD_COMPONENTS: return value == 3 ? 2 : value == 15 ? 4 : 1;
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
    add_write(out, &inst->d);
    if (inst->op == ISA_OP_LDG_256)
        add_write(out, &inst->e);
    if (isa_op_info((enum isa_op)inst->op)->flags & ISA_TWO_RESULTS)
        add_write(out, &inst->g);
    else
        add_read(out, inst, &inst->g);
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
