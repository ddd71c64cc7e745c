#include "isa/program.h"

#include <string.h>

enum group { GROUP_BYTES, GROUP_WORDS, GROUP_ELEMENTS, GROUP_WIDTHS, GROUP_COUNT };

struct compiler {
    struct program_step step[GROUP_COUNT][SYNTAX_ELEMENTS * 4];
    uint8_t count[GROUP_COUNT];
};

/* ---- compiling --------------------------------------------------------------------------------------------------- */

static size_t operand_offset(unsigned role)
{
    static const uint16_t offsets[] = {
        [ROLE_D] = offsetof(struct isa_inst, d), [ROLE_A] = offsetof(struct isa_inst, a),
        [ROLE_B] = offsetof(struct isa_inst, b), [ROLE_C] = offsetof(struct isa_inst, c),
        [ROLE_E] = offsetof(struct isa_inst, e), [ROLE_F] = offsetof(struct isa_inst, f),
        [ROLE_G] = offsetof(struct isa_inst, g),
    };
    return offsets[role];
}

static size_t predicate_offset(unsigned role)
{
    static const uint16_t offsets[] = {
        [ROLE_PU] = offsetof(struct isa_inst, pu), [ROLE_PV] = offsetof(struct isa_inst, pv),
        [ROLE_PP] = offsetof(struct isa_inst, pp), [ROLE_PQ] = offsetof(struct isa_inst, pq),
        [ROLE_PR] = offsetof(struct isa_inst, pr),
    };
    return offsets[role];
}

/* One run of bits within half the word. */
static bool is_simple(const struct syntax_field *field, unsigned width)
{
    return field->pieces == 1 && field->low[0] / 64 == field->high[0] / 64 && syntax_field_width(field) <= width;
}

static struct program_step step_of(const struct syntax_field *field, size_t at)
{
    return (struct program_step){
        .shift = field->low[0] & 63,
        .half = field->low[0] >= 64,
        .at = (uint16_t)at,
        .mask = (uint32_t)((UINT64_C(1) << syntax_field_width(field)) - 1),
    };
}

static void add(struct compiler *c, enum group group, struct program_step step)
{
    c->step[group][c->count[group]++] = step;
}

static void add_byte(struct compiler *c, const struct syntax_field *field, size_t at, unsigned flip)
{
    struct program_step step = step_of(field, at);
    step.flip = (uint8_t)flip;
    add(c, GROUP_BYTES, step);
}

static void add_uniform(struct compiler *c, const struct syntax_field *field, size_t at)
{
    struct program_step step = step_of(field, at);
    step.wrap = (uint8_t)(ISA_URZ - step.mask);
    add(c, GROUP_BYTES, step);
}

/* A bit that becomes `flag` of a byte. */
static void add_flag(struct compiler *c, unsigned bit, size_t at, unsigned flag)
{
    const struct syntax_field field = {1, {(uint8_t)bit}, {(uint8_t)bit}};
    struct program_step step = step_of(&field, at);
    step.left = (uint8_t)lowest_bit32(flag);
    step.keep = UINT8_MAX;
    if (bit)
        add(c, GROUP_BYTES, step);
}

static void add_word(struct compiler *c, const struct syntax_field *field, size_t at, bool has_sign, unsigned scale)
{
    struct program_step step = step_of(field, at);
    step.left = (uint8_t)(has_sign ? 32 - syntax_field_width(field) : 0u);
    step.flip = (uint8_t)scale;
    add(c, GROUP_WORDS, step);
}

static void add_element(struct compiler *c, enum group group, unsigned index)
{
    add(c, group, (struct program_step){.mask = index});
}

static bool add_value(struct compiler *c, const struct syntax_element *e, size_t at)
{
    static const struct syntax_field bank = {1, {58}, {54}};
    size_t index = at + offsetof(struct isa_operand, index), value = at + offsetof(struct isa_operand, value);
    if (!is_simple(&e->field, e->operand == ISA_IMM || e->operand == ISA_CONST ? 32 : 8))
        return false;
    switch (e->operand) {
    case ISA_REG: add_byte(c, &e->field, index, 0); return true;
    case ISA_UREG: add_uniform(c, &e->field, index); return e->value == 0;
    case ISA_IMM: add_word(c, &e->field, value, false, 0); return e->words == 1;
    case ISA_CONST:
        add_byte(c, &bank, at + offsetof(struct isa_operand, bank), 0);
        add_word(c, &e->field, value, true, 2);
        return true;
    default: return false;
    }
}

static bool add_operand(struct compiler *c, const struct syntax_element *e)
{
    size_t at = operand_offset(e->role), flags = at + offsetof(struct isa_operand, flags);
    bool words_vary = e->names == NAMES_PAIR && e->swizzle.pieces;
    if (words_vary || (e->swizzle.pieces && !is_simple(&e->swizzle, 8)))
        return false;
    if (e->swizzle.pieces)
        add_byte(c, &e->swizzle, at + offsetof(struct isa_operand, swizzle), 0);
    add_flag(c, e->negate, flags, e->flags & ELEMENT_INVERTS ? ISA_INV : ISA_NEG);
    add_flag(c, e->absolute, flags, ISA_ABS);
    return add_value(c, e, at);
}

static bool add_predicate(struct compiler *c, const struct syntax_element *e)
{
    size_t at = predicate_offset(e->role);
    if (!is_simple(&e->field, 8))
        return false;
    add_byte(c, &e->field, at + offsetof(struct isa_predicate, index), e->flags & ELEMENT_COMPLEMENT ? 7 : 0);
    add_flag(c, e->negate, at + offsetof(struct isa_predicate, inverted), 1);
    add_flag(c, e->uniform_bit, at + offsetof(struct isa_predicate, uniform), 1);
    return true;
}

static bool add_offset(struct compiler *c, const struct syntax_element *e)
{
    size_t at = e->role == ROLE_A ? offsetof(struct isa_inst, offset)
                                  : operand_offset(e->role) + offsetof(struct isa_operand, value);
    if (e->value != 1 || !is_simple(&e->field, 32))
        return false;
    add_word(c, &e->field, at, true, 0);
    return true;
}

/* Does an address without a register count as unsigned? */
static bool is_plain_address(const struct syntax_element *e)
{
    return !(e->flags & ELEMENT_UNIFORM) && e->style != STYLE_SIGNED;
}

/* False: the element has to be interpreted. */
static bool add_copy(struct compiler *c, const struct syntax_element *e)
{
    bool simple = e->field.pieces && is_simple(&e->field, 8);
    switch (e->kind) {
    case ELEMENT_OPERAND: return add_operand(c, e);
    case ELEMENT_PREDICATE: return add_predicate(c, e);
    case ELEMENT_OFFSET: return add_offset(c, e);
    case ELEMENT_ADDRESS: return !is_plain_address(e);
    case ELEMENT_TEXT:
    case ELEMENT_CONDITION:
    case ELEMENT_CONSTANT:
    case ELEMENT_UNUSED: return true; /* in the template, or nowhere */
    case ELEMENT_MODIFIER:
        if (!simple || e->canonical != NAMES_COUNT)
            return false;
        add_byte(c, &e->field, offsetof(struct isa_inst, mod) + e->role, 0);
        return true;
    case ELEMENT_UREG_BASE:
        if (simple)
            add_uniform(c, &e->field, offsetof(struct isa_inst, ureg_base));
        return simple;
    case ELEMENT_DESCRIPTOR:
        if (!simple || e->value)
            return false;
        add_uniform(c, &e->field, offsetof(struct isa_inst, ureg_descriptor));
        return true;
    case ELEMENT_BARRIER:
        if (simple)
            add_byte(c, &e->field, offsetof(struct isa_inst, barrier), 0);
        return simple;
    default: return false;
    }
}

unsigned program_compile(const struct syntax_element *element, unsigned count, struct program *program,
                         struct program_step out[static PROGRAM_STEPS])
{
    struct compiler c;
    memset(c.count, 0, sizeof c.count); /* the steps are many, and written before they are read */
    unsigned total = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint8_t bytes = c.count[GROUP_BYTES], words = c.count[GROUP_WORDS];
        if (!add_copy(&c, &element[i])) {
            c.count[GROUP_BYTES] = bytes;
            c.count[GROUP_WORDS] = words;
            add_element(&c, GROUP_ELEMENTS, i);
        }
        if (element[i].kind == ELEMENT_OPERAND && element[i].words_by != ISA_MOD_LIMIT)
            add_element(&c, GROUP_WIDTHS, i);
    }
    for (unsigned group = 0; group < GROUP_COUNT; group++) {
        memcpy(out + total, c.step[group], c.count[group] * sizeof *out);
        total += c.count[group];
    }
    program->bytes = c.count[GROUP_BYTES];
    program->words = c.count[GROUP_WORDS];
    program->elements = c.count[GROUP_ELEMENTS];
    program->widths = c.count[GROUP_WIDTHS];
    return total;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

void program_run(const struct program *program, const struct program_step *step, const struct syntax_element *element,
                 struct isa_inst *inst)
{
    const uint64_t half[2] = {inst->word.lo, inst->word.hi};
    uint8_t *bytes = (uint8_t *)inst;
    for (const struct program_step *end = step + program->bytes; step < end; step++) {
        uint32_t bits = (uint32_t)(half[step->half] >> step->shift) & step->mask;
        uint32_t value = (bits ^ step->flip) + (bits == step->mask ? step->wrap : 0u);
        bytes[step->at] = (uint8_t)((bytes[step->at] & step->keep) | value << step->left);
    }
    for (const struct program_step *end = step + program->words; step < end; step++) {
        uint32_t bits = (uint32_t)(half[step->half] >> step->shift) & step->mask;
        uint32_t value = (uint32_t)((int32_t)(bits << step->left) >> step->left) << step->flip;
        memcpy(bytes + step->at, &value, sizeof value);
    }
    for (const struct program_step *end = step + program->elements; step < end; step++)
        syntax_decode_element(inst, &element[step->mask]);
    for (const struct program_step *end = step + program->widths; step < end; step++)
        syntax_decode_width(inst, &element[step->mask]);
}
