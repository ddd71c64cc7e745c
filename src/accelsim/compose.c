#include "accelsim/compose.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct line {
    char *out;
    size_t length;
    uint8_t reg[COMPOSE_REGISTERS + 1];
    unsigned registers, used;
    bool optional;                       /* registers that may be left out are there */
    const struct syntax_element *number; /* the element that gets the immediate (NULL: none) */
    int64_t immediate;
    bool group;
    uint16_t constant;
    uint8_t result;
};

static void put(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(l->out + l->length, ISA_TEXT - l->length, format, args);
    va_end(args);
    l->length += n < 0 ? 0 : (size_t)n;
    l->length = l->length < ISA_TEXT ? l->length : ISA_TEXT - 1;
}

static void put_register(struct line *l)
{
    unsigned index = l->used < l->registers ? l->reg[l->used] : ISA_RZ;
    l->used++;
    if (index == ISA_RZ)
        put(l, "RZ");
    else
        put(l, "R%u", index);
}

/* ---- contents of a row ------------------------------------------------------------------------------------------- */

static bool shown(const struct syntax_element *e)
{
    return e->kind != ELEMENT_CONDITION && !(e->flags & ELEMENT_HIDDEN);
}

static bool is_register(const struct syntax_element *e)
{
    bool may_be = e->kind == ELEMENT_ADDRESS || e->kind == ELEMENT_CONSTANT || e->kind == ELEMENT_OPERAND;
    return may_be && e->operand == ISA_REG;
}

static bool is_number(const struct syntax_element *e)
{
    bool plain = e->style == STYLE_HEX || e->style == STYLE_DECIMAL || e->style == STYLE_SIGNED;
    return plain && ((e->kind == ELEMENT_OPERAND && e->operand == ISA_IMM) || e->kind == ELEMENT_MODIFIER);
}

struct shape {
    unsigned registers, optional;
    bool unseen;                         /* constants and uniform registers */
    bool result_first;                   /* the first operand is a register that is written */
    bool result_optional;                /* a predicate may stand before it */
    const struct syntax_element *number; /* the last one */
};

static struct shape shape_of(const struct syntax_element *element, unsigned count)
{
    struct shape s = {0};
    bool any = false;
    for (unsigned i = 0; i < count; i++) {
        const struct syntax_element *e = &element[i];
        if (!shown(e))
            continue;
        bool optional = e->flags & ELEMENT_OPTIONAL, predicate = e->kind == ELEMENT_PREDICATE;
        if (predicate && optional && !any)
            s.result_optional = true;
        else if ((predicate || e->kind == ELEMENT_OPERAND || e->kind == ELEMENT_ADDRESS) && !any) {
            s.result_first = e->kind == ELEMENT_OPERAND && e->operand == ISA_REG && e->role == ROLE_D;
            any = true;
        }
        s.registers += is_register(e) && !optional;
        s.optional += is_register(e) && optional;
        s.unseen |= e->kind == ELEMENT_OPERAND && e->operand != ISA_REG && e->operand != ISA_IMM;
        s.number = is_number(e) && (!optional || !s.number) ? e : s.number;
    }
    return s;
}

/* The registers in the order of the row's places. */
static bool arrange(struct line *l, const struct sketch *sketch, const struct shape *shape, enum fit fit)
{
    unsigned n = 0;
    bool missing = shape->result_first && !sketch->destination;
    if (missing && fit == FIT_EXACT && !shape->result_optional)
        return false;
    if (!shape->result_first && sketch->destination && fit == FIT_EXACT && shape->registers == 0)
        return false;
    if (missing && (!shape->result_optional || fit != FIT_EXACT))
        l->reg[n++] = ISA_RZ;
    for (unsigned i = 0; i < sketch->registers && n <= COMPOSE_REGISTERS; i++)
        l->reg[n++] = sketch->reg[i];
    l->registers = n;
    l->optional = shape->optional && n == shape->registers + shape->optional;
    if (fit == FIT_EXACT)
        return n == shape->registers || l->optional;
    return fit == FIT_LOOSE || n <= shape->registers;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* The first name, unless no name means something as well. */
static const char *plainest(unsigned names, unsigned width)
{
    const char *other, *first = NULL;
    for (unsigned value = 0; value < 1u << (width < 8 ? width : 8); value++) {
        const char *name = isa_value_name((enum isa_names)names, value, &other);
        if (name && !*name)
            return "";
        first = name && !first ? name : first;
    }
    return first ? first : "";
}

static void put_number(struct line *l, const struct syntax_element *e)
{
    bool negative = e == l->number && l->immediate < 0;
    uint64_t value = e == l->number ? (uint64_t)l->immediate : 0;
    put(l, "%s0x%" PRIx64, negative ? "-" : "", negative ? -value : value);
}

static void put_immediate(struct line *l, const struct syntax_element *e)
{
    switch (e->style) {
    case STYLE_FLOAT:
    case STYLE_DOUBLE:
    case STYLE_HALF:
    case STYLE_BHALF: put(l, "1"); break;
    case STYLE_HALVES: put(l, "1, 1"); break;
    default: put_number(l, e); break;
    }
}

static void put_operand(struct line *l, const struct syntax_element *e)
{
    switch (e->operand) {
    case ISA_REG: put_register(l); break;
    case ISA_UREG: put(l, "URZ"); break;
    case ISA_IMM: put_immediate(l, e); return;
    case ISA_CONST:
        put(l, "c[0x0]%s[0x%x]", e->swizzle.pieces || (e->flags & ELEMENT_APART) ? " " : "", l->constant);
        break;
    default: put(l, "cx[URZ]%s[0x0]", e->swizzle.pieces || (e->flags & ELEMENT_APART) ? " " : ""); break;
    }
    if (e->swizzle.pieces) {
        const char *part = plainest(e->names, syntax_field_width(&e->swizzle));
        put(l, "%s%s", *part ? "." : "", part);
    }
}

static void put_address(struct line *l, const struct syntax_element *e)
{
    bool reg = e->operand == ISA_REG && (!(e->flags & ELEMENT_OPTIONAL) || l->optional);
    put(l, "[");
    if (reg)
        put_register(l);
    if (reg && e->names == NAMES_COUNT)
        put(l, "%.*s", e->length, e->text);
    else if (reg && e->value == ISA_MOD_ADDRESS_TYPE)
        put(l, ".64");
    if (e->flags & ELEMENT_UNIFORM)
        put(l, "%sURZ", reg ? "+" : "");
    else if (!reg)
        put(l, "0x0");
    put(l, "]");
}

static void put_constant(struct line *l, const struct syntax_element *e)
{
    bool bindless = false;
    for (const struct syntax_element *part = e - e->members; part < e; part++)
        bindless |= part->kind == ELEMENT_HANDLE;
    put(l, bindless ? "cx[URZ][" : "c[0x0][");
    if (e->operand == ISA_REG && l->used < l->registers) {
        put_register(l);
        put(l, "]");
    } else {
        put(l, "0x%x]", l->constant);
    }
}

static bool is_group(const struct line *l, const struct syntax_element *e)
{
    return l->group && e->kind == ELEMENT_MODIFIER && e->names == NAMES_GROUP;
}

static void put_modifier(struct line *l, const struct syntax_element *e)
{
    const char *other;
    if (e->style == STYLE_NAME) {
        const char *name = is_group(l, e) ? isa_value_name((enum isa_names)e->names, ISA_GROUP_GSB0, &other)
                                          : plainest(e->names, syntax_field_width(&e->field));
        if (*name)
            put(l, "%.*s%s", e->length, e->text, name);
        return;
    }
    put(l, "%.*s", e->length, e->text);
    if (e->style == STYLE_SET)
        put(l, "{}");
    else if (e->style == STYLE_SIGNS)
        put(l, "PPPPPPPP");
    else
        put_number(l, e);
}

static void put_predicate(struct line *l, const struct syntax_element *e)
{
    if (e->flags & ELEMENT_UNIFORM)
        put(l, "UPT");
    else if (e->role == ROLE_PU && l->result != ISA_PT)
        put(l, "P%u", l->result);
    else
        put(l, "PT");
}

static void put_element(struct line *l, const struct syntax_element *e)
{
    bool optional = e->flags & ELEMENT_OPTIONAL;
    if (e->kind == ELEMENT_ADDRESS) {
        put_address(l, e);
        return;
    }
    if (e->kind == ELEMENT_CONSTANT) {
        put_constant(l, e);
        return;
    }
    if (optional && (e != l->number || !l->immediate) && !(l->optional && is_register(e)) && !is_group(l, e))
        return;
    if (e->kind == ELEMENT_MODIFIER) {
        put_modifier(l, e);
    } else {
        put(l, "%.*s", e->length, e->text);
        switch (e->kind) {
        case ELEMENT_TEXT: return;
        case ELEMENT_OPERAND: put_operand(l, e); break;
        case ELEMENT_PREDICATE: put_predicate(l, e); break;
        case ELEMENT_DESCRIPTOR: put(l, "URZ"); break;
        case ELEMENT_TARGET: put(l, "0x10"); break;
        case ELEMENT_ABSOLUTE: put(l, "0x0"); break;
        case ELEMENT_BARRIER: put(l, "B0"); break;
        default: break;
        }
    }
    put(l, "%.*s", e->after_length, e->after);
}

/* The mnemonic ends with the first blank. */
static unsigned operands_at(const struct syntax_element *element, unsigned count, const char **blank)
{
    for (unsigned i = 0; i < count; i++) {
        *blank = element[i].kind == ELEMENT_TEXT ? memchr(element[i].text, ' ', element[i].length) : NULL;
        if (*blank)
            return i;
    }
    return count;
}

unsigned compose_rank(const struct isa_decoder *table, const struct table_entry *entry, const struct sketch *sketch)
{
    table_need(table, entry);
    struct shape s = shape_of(&table->element[entry->first], entry->count);
    bool operand = s.number && s.number->kind == ELEMENT_OPERAND;
    bool unlike = sketch->immediate ? !s.number : sketch->immediate_known && operand;
    return (unlike ? 2u : 0u) + s.unseen;
}

bool compose(const struct isa_decoder *table, const struct table_entry *entry, const struct sketch *sketch,
             const char *mnemonic, enum fit fit, bool immediate, char out[static ISA_TEXT])
{
    table_need(table, entry);
    const struct syntax_element *element = &table->element[entry->first];
    const char *blank;
    struct line l = {.out = out,
                     .immediate = sketch->immediate,
                     .group = sketch->group,
                     .constant = sketch->constant,
                     .result = sketch->result};
    unsigned at = operands_at(element, entry->count, &blank);
    struct shape shape = shape_of(element + at, entry->count - at);
    if (!arrange(&l, sketch, &shape, fit))
        return false;
    l.number = immediate ? shape.number : NULL;
    if (sketch->guard != ISA_PT)
        put(&l, "@P%u ", sketch->guard);
    put(&l, "%s", mnemonic);
    if (at < entry->count)
        put(&l, "%.*s", (int)(element[at].text + element[at].length - blank), blank);
    for (unsigned i = at + 1; i < entry->count; i++)
        if (shown(&element[i]))
            put_element(&l, &element[i]);
    return true;
}
