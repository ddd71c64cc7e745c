#include "isa/contract.h"
#include "isa/pascal.h"
#include "isa/syntax.h"
#include "isa/text.h"

#include <stdio.h>
#include <string.h>

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static void put_value_name(struct text *t, unsigned names, unsigned value, const char *before)
{
    const char *other, *name = isa_value_name((enum isa_names)names, value, &other);
    if (!name)
        text_put(t, "%s%s%u", before, other, value);
    else if (*name)
        text_put(t, "%s%s", before, name);
}

static void put_register(struct text *t, const struct isa_operand *o)
{
    bool uniform = o->kind == ISA_UREG;
    if (o->index == ISA_RZ)
        text_put(t, uniform ? "URZ" : "RZ");
    else
        text_put(t, "%s%u", uniform ? "UR" : "R", o->index);
}

static void put_uniform(struct text *t, unsigned index)
{
    put_register(t, &(struct isa_operand){.kind = ISA_UREG, .index = (uint8_t)index});
}

static void put_immediate(struct text *t, const struct isa_inst *inst, const struct isa_operand *o, unsigned style)
{
    bool bfloat = inst->mod[ISA_MOD_HALF_FORMAT] == 2;
    uint64_t wide = (uint64_t)o->upper << 32 | o->value;
    switch (style) {
    case STYLE_SIGNED: text_signed(t, o->words == 2 ? (int64_t)wide : (int32_t)o->value); break;
    case STYLE_FLOAT: text_float(t, o->value); break;
    case STYLE_DOUBLE: text_double(t, o->value); break;
    case STYLE_HALF: text_half(t, o->value & 0xffff, bfloat); break;
    case STYLE_BHALF: text_half(t, o->value & 0xffff, true); break;
    case STYLE_HALVES:
        text_half(t, o->value >> 16, bfloat);
        text_put(t, ", ");
        text_half(t, o->value & 0xffff, bfloat);
        break;
    default: text_put(t, "0x%llx", (unsigned long long)wide); break;
    }
}

/* The two brackets of a constant stand apart where a part of it can be selected. */
static void put_constant(struct text *t, const struct isa_operand *o, const struct syntax_element *e)
{
    const char *gap = e->swizzle.pieces || (e->flags & ELEMENT_APART) ? " " : "";
    if (o->kind == ISA_CONST) {
        text_put(t, "c[0x%x]%s[", o->bank, gap);
        text_signed(t, (int32_t)o->value);
    } else {
        text_put(t, "cx[");
        put_uniform(t, o->index);
        text_put(t, "]%s[0x%x", gap, o->value);
    }
    text_put(t, "]");
}

static const struct isa_operand *operand_of(const struct isa_inst *inst, unsigned role)
{
    const struct isa_operand *const operands[] = {&inst->d, &inst->a, &inst->b, &inst->c, &inst->e, &inst->f, &inst->g};
    return operands[role];
}

/* The reuse cache belongs to arithmetic of fixed latency. That of FP64 is not fixed everywhere. */
bool syntax_reusable(enum isa_op op, const struct syntax_element *e)
{
    bool arithmetic = isa_latency_may_reuse(isa_op_info(op)->latency);
    return e->uniform_bit ||
           (e->role != ROLE_D && e->operand == ISA_REG && (arithmetic || (e->flags & ELEMENT_REUSED)));
}

static bool reused(const struct isa_inst *inst, const struct syntax_element *e, const struct isa_operand *o)
{
    if (e->uniform_bit)
        return word128_bit(inst->word, e->uniform_bit);
    return (inst->control.reuse >> o->position & 1) && syntax_reusable((enum isa_op)inst->op, e);
}

bool syntax_part_last(const struct syntax_element *e)
{
    bool last = e->names == NAMES_HALVES || e->names == NAMES_PAIR || e->names == NAMES_HALF_OPERAND;
    return last && e->operand == ISA_REG;
}

static void put_operand(struct text *t, const struct isa_inst *inst, const struct syntax_element *e)
{
    const struct isa_operand *o = operand_of(inst, e->role);
    const char *bar = o->flags & ISA_ABS ? "|" : "";
    text_put(t, "%s%s", o->flags & ISA_NEG ? "-" : o->flags & ISA_INV ? "~" : "", bar);
    switch (o->kind) {
    case ISA_IMM: put_immediate(t, inst, o, e->style); break;
    case ISA_CONST:
    case ISA_CONST_BINDLESS: put_constant(t, o, e); break;
    default: put_register(t, o); break;
    }
    bool part = !syntax_part_last(e); /* does it stand before the closing bar? */
    if (e->swizzle.pieces && part)
        put_value_name(t, e->names, o->swizzle, ".");
    text_put(t, "%s%s", bar, reused(inst, e, o) ? ".reuse" : "");
    if (e->swizzle.pieces && !part)
        put_value_name(t, e->names, o->swizzle, ".");
}

static const struct isa_predicate *predicate_of(const struct isa_inst *inst, unsigned role)
{
    const struct isa_predicate *const predicates[] = {&inst->pu, &inst->pv, &inst->pp, &inst->pq, &inst->pr};
    return predicates[role];
}

static void put_predicate(struct text *t, const struct isa_predicate *p)
{
    text_put(t, "%s%sP", p->inverted ? "!" : "", p->uniform ? "U" : "");
    if (p->index == ISA_PT)
        text_put(t, "T");
    else
        text_put(t, "%u", p->index);
}

/* ---- memory operands --------------------------------------------------------------------------------------------- */

static void put_address_suffix(struct text *t, const struct isa_inst *inst, const struct syntax_element *e)
{
    if (e->names != NAMES_COUNT)
        put_value_name(t, e->names, inst->mod[e->value], ".");
    else
        text_put(t, "%.*s", e->length, e->text);
}

/* RZ stands for no register, except in an address that always has one. */
static bool register_shown(const struct isa_inst *inst, const struct syntax_element *e, bool zero, int32_t offset)
{
    bool strided = e->names != NAMES_COUNT && e->value == ISA_MOD_STRIDE && inst->mod[ISA_MOD_STRIDE];
    if (!zero || e->style == STYLE_SIGNED)
        return true;
    return e->flags & ELEMENT_UNIFORM ? strided || !(e->flags & ELEMENT_OPTIONAL) : offset == 0;
}

static void put_address(struct text *t, const struct isa_inst *inst, const struct syntax_element *e)
{
    const struct isa_operand *o = operand_of(inst, e->role);
    int32_t offset = e->role == ROLE_A ? inst->offset : (int32_t)o->value;
    bool base = e->flags & ELEMENT_UNIFORM, zero = o->kind != ISA_REG || o->index == ISA_RZ;
    bool shown = register_shown(inst, e, zero, offset);
    text_put(t, "[");
    if (shown) {
        put_register(t, o);
        if (!zero || base || e->style == STYLE_SIGNED)
            put_address_suffix(t, inst, e);
    }
    if (base) {
        text_put(t, "%s", shown ? "+" : "");
        put_uniform(t, e->role == ROLE_A ? inst->ureg_base : inst->c.index);
    }
    if (!shown && !base && e->role == ROLE_A) {
        text_put(t, "0x%x", (unsigned)offset);
    } else if (offset != 0) {
        text_put(t, "%s", shown || base ? "+" : "");
        text_signed(t, offset);
    }
    text_put(t, "]");
}

static void put_indexed_constant(struct text *t, const struct isa_inst *inst, const struct syntax_element *e)
{
    if (inst->b.kind == ISA_CONST) {
        text_put(t, "c[0x%x]", inst->b.bank);
    } else {
        text_put(t, "cx[");
        put_uniform(t, inst->b.index);
        text_put(t, "]");
    }
    text_put(t, "[");
    bool zero = inst->a.index == ISA_RZ && (inst->a.kind == ISA_REG || (e->flags & ELEMENT_OPTIONAL));
    bool alone = !inst->b.value && (inst->b.kind == ISA_CONST || inst->a.kind == ISA_UREG);
    bool index = inst->a.kind != ISA_NONE && (!zero || alone);
    if (index)
        put_register(t, &inst->a);
    if (!index || inst->b.value) {
        text_put(t, "%s", index ? "+" : "");
        text_signed(t, (int32_t)inst->b.value);
    }
    text_put(t, "]");
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static bool left_out(const struct isa_inst *inst, const struct syntax_element *e)
{
    if (!(e->flags & ELEMENT_OPTIONAL) || e->kind == ELEMENT_ADDRESS || e->kind == ELEMENT_CONSTANT)
        return false;
    if (e->kind == ELEMENT_PREDICATE)
        return predicate_of(inst, e->role)->index == ISA_PT && !predicate_of(inst, e->role)->inverted;
    if (e->kind == ELEMENT_OPERAND) {
        const struct isa_operand *o = operand_of(inst, e->role);
        return o->kind == ISA_IMM ? o->value == e->value : o->index == ISA_RZ;
    }
    if (e->kind == ELEMENT_ABSOLUTE)
        return syntax_field_bits(&e->field, inst->word) == 0;
    return inst->mod[e->role] == e->value;
}

static void put_set(struct text *t, unsigned mask)
{
    const char *before = "";
    text_put(t, "{");
    for (unsigned i = 8; i-- > 0;) {
        if (mask >> i & 1) {
            text_put(t, "%s%u", before, i);
            before = ",";
        }
    }
    text_put(t, "}");
}

/* Lane 0 of the quad first: signs of A and C, or no A. */
static void put_signs(struct text *t, unsigned bits)
{
    static const char *const names[] = {"PP", "PN", "NP", "ZP"};
    for (unsigned lane = 4; lane-- > 0;)
        text_put(t, "%s", names[bits >> 2 * lane & 3]);
}

static void put_modifier(struct text *t, const struct isa_inst *inst, const struct syntax_element *e)
{
    bool translated = e->canonical != NAMES_COUNT;
    unsigned value = translated ? (unsigned)syntax_field_bits(&e->field, inst->word) : inst->mod[e->role];
    char before[8] = "";
    memcpy(before, e->text, e->length < sizeof before ? e->length : 0);
    switch (e->style) {
    case STYLE_HEX: text_put(t, "%s0x%x", before, value); break;
    case STYLE_DECIMAL: text_put(t, "%s%u", before, value); break;
    case STYLE_SET:
        text_put(t, "%s", before);
        put_set(t, value);
        break;
    case STYLE_SIGNS:
        text_put(t, "%s", before);
        put_signs(t, value);
        break;
    default: put_value_name(t, e->names, value, before); break;
    }
}

/* Printed in full, also where the address does not fit the decoded form. */
static void put_target(struct text *t, const struct isa_inst *inst, const struct syntax_element *e)
{
    unsigned width = syntax_field_width(&e->field);
    int64_t offset = (int64_t)((uint64_t)sign_extend(syntax_field_bits(&e->field, inst->word), width) * e->words);
    if (e->kind == ELEMENT_TARGET)
        offset += (int64_t)inst->pc + 16;
    text_put(t, "%.*s", e->length, e->text);
    if (e->style == STYLE_HEX)
        text_put(t, "0x%llx", (unsigned long long)syntax_field_bits(&e->field, inst->word) * e->words);
    else
        text_signed(t, offset);
}

static void put_element(struct text *t, const struct isa_inst *inst, const struct syntax_element *e)
{
    switch (e->kind) {
    case ELEMENT_TEXT: text_put(t, "%.*s", e->length, e->text); return;
    case ELEMENT_MODIFIER: put_modifier(t, inst, e); break;
    case ELEMENT_OPERAND:
        text_put(t, "%.*s", e->length, e->text);
        put_operand(t, inst, e);
        break;
    case ELEMENT_PREDICATE:
        text_put(t, "%.*s", e->length, e->text);
        put_predicate(t, predicate_of(inst, e->role));
        break;
    case ELEMENT_DESCRIPTOR:
        text_put(t, "%.*s", e->length, e->text);
        put_uniform(t, inst->ureg_descriptor);
        break;
    case ELEMENT_ADDRESS: put_address(t, inst, e); break;
    case ELEMENT_CONSTANT: put_indexed_constant(t, inst, e); break;
    case ELEMENT_TARGET:
    case ELEMENT_ABSOLUTE: put_target(t, inst, e); break;
    case ELEMENT_BARRIER: put_value_name(t, NAMES_BARRIER, inst->barrier, ""); break;
    default: return;
    }
    text_put(t, "%.*s", e->after_length, e->after);
}

static void put_guard(struct text *t, const struct isa_inst *inst)
{
    if (inst->guard.index == ISA_PT && !inst->guard.inverted)
        return;
    text_put(t, "@");
    put_predicate(t, &inst->guard);
    text_put(t, " ");
}

void isa_print(const struct isa_inst *inst, char text[static ISA_TEXT])
{
    struct text t = {text, 0};
    text[0] = '\0';
    if (inst->encoding >= PASCAL_ENCODING) {
        pascal_print_word(inst, text);
        return;
    }
    if (inst->op == ISA_INVALID) {
        text_put(&t, "INVALID 0x%016llx%016llx", (unsigned long long)inst->word.hi, (unsigned long long)inst->word.lo);
        return;
    }
    put_guard(&t, inst);
    const struct isa_encoding *row = &isa_encodings[inst->encoding];
    unsigned opcode = (unsigned)(word128_bits(inst->word, 11, 0) | word128_bits(inst->word, 91, 91) << 12);
    struct syntax_row line;
    syntax_compile(row->text, isa_form_of(row, opcode), row->forms & SET_ADD, row->first_sm, &line);
    const char *alias = isa_alias(inst);
    for (unsigned i = 0; i < line.count; i++) {
        const struct syntax_element *e = &line.element[i];
        if (i == 0 && alias)
            text_put(&t, "%s", alias);
        else if (!(e->flags & ELEMENT_HIDDEN) && !left_out(inst, e))
            put_element(&t, inst, e);
    }
    while (t.length && text[t.length - 1] == ' ')
        text[--t.length] = '\0';
}

void isa_print_control(struct isa_control c, char text[static 32])
{
    char wait[7], read = '-', write = '-';
    for (unsigned i = 0; i < 6; i++)
        wait[i] = c.wait >> i & 1 ? (char)('0' + i) : '-';
    wait[6] = '\0';
    if (c.read_sb != ISA_NO_SB)
        read = (char)('0' + c.read_sb);
    if (c.write_sb != ISA_NO_SB)
        write = (char)('0' + c.write_sb);
    snprintf(text, 32, "[B%s:R%c:W%c:%c:S%02u]", wait, read, write, c.yield ? 'Y' : '-', c.stall & 15u);
}
