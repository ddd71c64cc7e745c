/* Filling a decoded instruction from the elements of its row. */
#include "isa/syntax.h"

static struct isa_operand *operand_of(struct isa_inst *inst, unsigned role)
{
    struct isa_operand *const operands[] = {&inst->d, &inst->a, &inst->b, &inst->c, &inst->e, &inst->f, &inst->g};
    return operands[role];
}

static struct isa_predicate *predicate_of(struct isa_inst *inst, unsigned role)
{
    struct isa_predicate *const predicates[] = {&inst->pu, &inst->pv, &inst->pp, &inst->pq, &inst->pr};
    return predicates[role];
}

static bool bit_of(const struct isa_inst *inst, unsigned bit) { return bit && word128_bit(inst->word, bit); }

static uint64_t bits_of(const struct isa_inst *inst, const struct syntax_field *field)
{
    return syntax_field_bits(field, inst->word);
}

/* Uniform registers are numbered with 6 or 8 bits. The last one is URZ. */
static uint8_t uniform_register(const struct isa_inst *inst, const struct syntax_field *field)
{
    uint64_t value = bits_of(inst, field);
    return value == (UINT64_C(1) << syntax_field_width(field)) - 1 ? ISA_URZ : (uint8_t)value;
}

/* The register itself, or the one after it. */
static uint8_t counted_register(const struct isa_inst *inst, const struct syntax_element *e)
{
    uint64_t last = (UINT64_C(1) << syntax_field_width(&e->field)) - 1, value = bits_of(inst, &e->field);
    value = value == last ? last : value + e->value;
    return value == last ? ISA_URZ : (uint8_t)value;
}

static int32_t signed_field(const struct isa_inst *inst, const struct syntax_field *field)
{
    return (int32_t)sign_extend(bits_of(inst, field), syntax_field_width(field));
}

/* Integers fill their words with their sign, others with zeros. */
static void decode_immediate(struct isa_operand *o, const struct syntax_element *e, uint64_t bits)
{
    bool widened = e->words == 2 && e->style == STYLE_SIGNED;
    uint64_t value = widened ? (uint64_t)sign_extend(bits, syntax_field_width(&e->field)) : bits;
    o->value = (uint32_t)value;
    o->upper = e->words == 2 ? (uint32_t)(value >> 32) : 0;
}

/* Returns true if both floats of a pair are one register's. */
static bool is_broadcast(const struct syntax_element *e, uint8_t choice)
{
    return e->names == NAMES_PAIR && (choice == ISA_PAIR_F32 || choice == ISA_PAIR_F32_NP);
}

static void decode_operand(struct isa_inst *inst, const struct syntax_element *e)
{
    struct isa_operand *o = operand_of(inst, e->role);
    o->kind = e->operand;
    o->position = e->position;
    if (bit_of(inst, e->negate))
        o->flags |= e->flags & ELEMENT_INVERTS ? ISA_INV : ISA_NEG;
    if (bit_of(inst, e->absolute))
        o->flags |= ISA_ABS;
    if (e->swizzle.pieces)
        o->swizzle = (uint8_t)bits_of(inst, &e->swizzle);
    o->words = is_broadcast(e, o->swizzle) ? 1 : e->words;
    switch (e->operand) {
    case ISA_REG: o->index = (uint8_t)bits_of(inst, &e->field); break;
    case ISA_UREG: o->index = counted_register(inst, e); break;
    case ISA_IMM: decode_immediate(o, e, bits_of(inst, &e->field)); break;
    case ISA_CONST:
        o->bank = (uint8_t)word128_bits(inst->word, 58, 54);
        o->value = (uint32_t)sign_extend(bits_of(inst, &e->field) << 2, 16);
        break;
    case ISA_CONST_BINDLESS:
        o->index = (uint8_t)word128_bits(inst->word, 37, 32);
        o->index = o->index == 63 ? ISA_URZ : o->index;
        o->value = (uint32_t)bits_of(inst, &e->field) << 2;
        break;
    default: break;
    }
}

static void decode_predicate(struct isa_inst *inst, const struct syntax_element *e)
{
    unsigned index = (unsigned)bits_of(inst, &e->field);
    *predicate_of(inst, e->role) = (struct isa_predicate){
        .index = (uint8_t)(e->flags & ELEMENT_COMPLEMENT ? index ^ 7u : index),
        .inverted = bit_of(inst, e->negate),
        .uniform = (e->flags & ELEMENT_UNIFORM) || bit_of(inst, e->uniform_bit),
        .present = true,
    };
}

static void decode_modifier(struct isa_inst *inst, const struct syntax_element *e)
{
    unsigned value = (unsigned)bits_of(inst, &e->field);
    if (e->canonical != NAMES_COUNT)
        value = isa_value_canonical((enum isa_names)e->canonical, (enum isa_names)e->names, value);
    inst->mod[e->role] = (uint8_t)value;
}

/* Without any register the offset is an unsigned address. */
static void decode_address(struct isa_inst *inst, const struct syntax_element *e)
{
    const struct isa_operand *o = operand_of(inst, e->role);
    if (o->kind != ISA_REG || o->index != ISA_RZ || (e->flags & ELEMENT_UNIFORM) || e->style == STYLE_SIGNED)
        return;
    unsigned width = syntax_field_width(&e->field);
    if (e->role == ROLE_A && width && width < 32)
        inst->offset &= (INT32_C(1) << width) - 1;
}

static void decode_offset(struct isa_inst *inst, const struct syntax_element *e)
{
    int32_t offset = signed_field(inst, &e->field) * (int32_t)e->value;
    if (e->role == ROLE_A)
        inst->offset = offset;
    else
        operand_of(inst, e->role)->value = (uint32_t)offset;
}

static void decode_constant(struct isa_inst *inst, const struct syntax_element *e)
{
    inst->b.words = 1;
    switch (e->kind) {
    case ELEMENT_BANK:
        inst->b.kind = ISA_CONST;
        inst->b.bank = (uint8_t)bits_of(inst, &e->field);
        break;
    case ELEMENT_HANDLE:
        inst->b.kind = ISA_CONST_BINDLESS;
        inst->b.index = uniform_register(inst, &e->field);
        break;
    default: {
        bool indexed = inst->a.kind == ISA_UREG || (inst->a.kind == ISA_REG && inst->a.index != ISA_RZ);
        bool unsigned_offset = inst->b.kind == ISA_CONST_BINDLESS && !indexed;
        inst->b.value = unsigned_offset ? (uint32_t)bits_of(inst, &e->field) : (uint32_t)signed_field(inst, &e->field);
        break;
    }
    }
}

static void decode_target(struct isa_inst *inst, const struct syntax_element *e)
{
    uint64_t offset = (uint64_t)sign_extend(bits_of(inst, &e->field), syntax_field_width(&e->field)) * e->words;
    inst->target = (uint32_t)(e->kind == ELEMENT_TARGET ? inst->pc + 16 + offset : offset);
}

void syntax_decode_element(struct isa_inst *inst, const struct syntax_element *e)
{
    switch (e->kind) {
    case ELEMENT_MODIFIER: decode_modifier(inst, e); break;
    case ELEMENT_CONDITION:
        if (e->role != ISA_MOD_LIMIT)
            inst->mod[e->role] = (uint8_t)e->value;
        break;
    case ELEMENT_OPERAND: decode_operand(inst, e); break;
    case ELEMENT_PREDICATE: decode_predicate(inst, e); break;
    case ELEMENT_UREG_BASE:
        inst->ureg_base = uniform_register(inst, &e->field);
        inst->has_ureg_base = true;
        break;
    case ELEMENT_DESCRIPTOR:
        inst->ureg_descriptor = counted_register(inst, e);
        inst->has_descriptor = true;
        break;
    case ELEMENT_OFFSET: decode_offset(inst, e); break;
    case ELEMENT_ADDRESS: decode_address(inst, e); break;
    case ELEMENT_BANK:
    case ELEMENT_HANDLE:
    case ELEMENT_CONSTANT_OFFSET: decode_constant(inst, e); break;
    case ELEMENT_TARGET:
    case ELEMENT_ABSOLUTE: decode_target(inst, e); break;
    case ELEMENT_BARRIER: inst->barrier = (uint8_t)bits_of(inst, &e->field); break;
    default: break;
    }
}

void syntax_decode_width(struct isa_inst *inst, const struct syntax_element *e)
{
    if (e->kind == ELEMENT_OPERAND && e->words_by != ISA_MOD_LIMIT)
        operand_of(inst, e->role)->words =
            (uint8_t)isa_words_by((enum isa_modifier)e->words_by, inst, (enum element_role)e->role);
}

void syntax_decode(const struct syntax_element *element, unsigned count, struct isa_inst *inst)
{
    for (unsigned i = 0; i < count; i++)
        syntax_decode_element(inst, &element[i]);
    for (unsigned i = 0; i < count; i++)
        syntax_decode_width(inst, &element[i]);
    if (inst->op == ISA_OP_BAR && inst->a.kind == ISA_IMM)
        inst->barrier = (uint8_t)inst->a.value;
}
