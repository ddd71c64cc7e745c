/* Registers, predicates, immediates and constants in one attempt of the assembler. */
#include "isa/assembly.h"

#include <math.h>
#include <string.h>

/* ---- registers and predicates ------------------------------------------------------------------------------------ */

/* Digits of a number below 1000, without further letters behind. */
static bool read_index(const struct attempt *a, struct draft *d, unsigned *index)
{
    size_t at = d->at;
    *index = 0;
    while (attempt_char(a, at) >= '0' && attempt_char(a, at) <= '9' && at - d->at < 4)
        *index = *index * 10 + (unsigned)(attempt_char(a, at++) - '0');
    if (at == d->at || at - d->at == 4 || assembly_letter(attempt_char(a, at)))
        return false;
    d->at = at;
    return true;
}

bool attempt_register(const struct attempt *a, struct draft *d, bool uniform, const struct syntax_field *field,
                      unsigned subtract)
{
    const char *prefix = uniform ? "UR" : "R", *what = uniform ? "a uniform register" : "a register";
    struct draft next = *d;
    size_t n = strlen(prefix);
    unsigned last = (1u << syntax_field_width(field)) - 1, index;
    if (d->at + n > a->length || memcmp(a->text + d->at, prefix, n) != 0)
        return attempt_expect(a, d->at, what);
    next.at += n;
    if (attempt_word(a, &next, "Z")) {
        index = last + subtract;
    } else if (!read_index(a, &next, &index)) {
        return attempt_expect(a, d->at, what);
    } else if (index >= last || index < subtract) {
        return attempt_fail(a, next.at, d->at, "%s%u does not exist here: registers are %s%u to %s%u, and %sZ", prefix,
                            index, prefix, subtract, prefix, last - 1, prefix);
    }
    /* The register before the last one is followed by URZ, too. */
    struct draft before = next;
    bool good = draft_set(&next, field, index - subtract);
    if (!good && index == last + subtract) {
        next = before;
        good = draft_set(&next, field, last - subtract);
    }
    if (!good)
        return attempt_fail(a, next.at, d->at, "this register must be the one that stands elsewhere in the line");
    *d = next;
    return true;
}

bool attempt_predicate_name(const struct attempt *a, struct draft *d, struct isa_predicate *out)
{
    struct draft next = *d;
    unsigned index = ISA_PT;
    *out = (struct isa_predicate){.present = true, .inverted = attempt_char(a, next.at) == '!'};
    next.at += out->inverted;
    out->uniform = attempt_char(a, next.at) == 'U';
    next.at += out->uniform;
    if (attempt_char(a, next.at) != 'P')
        return false;
    next.at++;
    if (!attempt_word(a, &next, "T")) {
        if (!read_index(a, &next, &index))
            return false;
        if (index >= ISA_PT)
            return attempt_fail(a, next.at, d->at, "there is no predicate P%u: they are P0 to P6, and PT", index);
    }
    out->index = (uint8_t)index;
    d->at = next.at;
    return true;
}

bool attempt_predicate(const struct attempt *a, struct draft *d, const struct syntax_element *e)
{
    bool uniform = e->flags & ELEMENT_UNIFORM, either = e->uniform_bit != 0;
    struct isa_predicate p;
    struct draft next = *d;
    const char *what = uniform ? "a uniform predicate" : "a predicate";
    if (!attempt_predicate_name(a, &next, &p))
        return attempt_expect(a, d->at, what);
    if (!either && p.uniform != uniform)
        return attempt_fail(a, next.at, d->at, "%s is needed here, not %s", what,
                            uniform ? "one of the thread" : "a uniform one");
    if (p.inverted && !e->negate)
        return attempt_fail(a, next.at, d->at, "this predicate cannot be inverted");
    bool good = draft_set(&next, &e->field, e->flags & ELEMENT_COMPLEMENT ? p.index ^ 7u : p.index);
    if (e->negate)
        good = draft_set_bit(&next, e->negate, p.inverted) && good;
    if (either)
        good = draft_set_bit(&next, e->uniform_bit, p.uniform) && good;
    if (!good)
        return attempt_fail(a, next.at, d->at, "this predicate does not fit the rest of the line");
    *d = next;
    return true;
}

bool attempt_descriptor(const struct attempt *a, struct draft *d, const struct syntax_element *e)
{
    return attempt_register(a, d, true, &e->field, e->value);
}

/* ---- immediates -------------------------------------------------------------------------------------------------- */

/* A modifier that was read before, as the decoded form has it. */
static unsigned modifier_of(const struct attempt *a, const struct draft *d, enum isa_modifier modifier)
{
    for (unsigned i = 0; i < a->count; i++) {
        const struct syntax_element *e = &a->element[i];
        if (e->role == modifier && e->kind == ELEMENT_CONDITION)
            return e->value;
        if (e->role == modifier && e->kind == ELEMENT_MODIFIER)
            return (unsigned)syntax_field_bits(&e->field, d->word);
    }
    return 0;
}

static bool read_half(const struct attempt *a, struct draft *d, const struct syntax_element *e, uint64_t *bits)
{
    bool bfloat = e->style == STYLE_BHALF || modifier_of(a, d, ISA_MOD_HALF_FORMAT) == 2;
    return attempt_float(a, d, bfloat ? 7 : 10, bfloat ? 8 : 5, bits);
}

static bool read_halves(const struct attempt *a, struct draft *d, const struct syntax_element *e, uint64_t *bits)
{
    uint64_t upper, lower;
    if (!read_half(a, d, e, &upper))
        return false;
    d->at = attempt_skip(a, d->at);
    if (!attempt_literal(a, d, ", ", 2) || !read_half(a, d, e, &lower))
        return false;
    *bits = upper << 16 | lower;
    return true;
}

/* Only the upper word of a double is encoded. */
static bool read_double(const struct attempt *a, struct draft *d, uint64_t *bits)
{
    size_t column = d->at;
    uint64_t whole;
    struct draft again = *d;
    if (!attempt_float(a, d, 20, 11, bits) || !attempt_float(a, &again, 52, 11, &whole))
        return false;
    bool special = (*bits & 0x7ff00000) == 0x7ff00000;
    if (!special && whole != *bits << 32)
        return attempt_fail(a, d->at, column, "%.*s has more digits than the upper half of a double holds",
                            (int)(d->at - column > 40 ? 40 : d->at - column), a->text + column);
    return true;
}

enum assembly_range attempt_immediate_range(const struct syntax_element *e)
{
    unsigned width = syntax_field_width(&e->field);
    if (e->words == 2 && e->style == STYLE_SIGNED && width < 64)
        return RANGE_SIGNED;
    return width >= 32 ? RANGE_EITHER : RANGE_UNSIGNED;
}

static bool read_immediate(const struct attempt *a, struct draft *d, const struct syntax_element *e)
{
    unsigned width = syntax_field_width(&e->field);
    struct assembly_number n;
    struct draft raw = *d;
    uint64_t bits = 0;
    size_t column = d->at;
    bool good, number = attempt_number(a, &raw, &n), integer = e->style <= STYLE_SIGNED;
    bool hexadecimal = number && attempt_char(a, column + (attempt_char(a, column) == '-') + 1) == 'x';
    if (integer && (!number || attempt_char(a, raw.at) == '@')) /* 32@lo(name) */
        return attempt_symbol(a, d, e, false);
    if (integer || hexadecimal) {
        *d = raw;
        good = attempt_fit(a, d, &n, width, attempt_immediate_range(e), &bits);
    } else {
        switch (e->style) {
        case STYLE_FLOAT: good = attempt_float(a, d, 23, 8, &bits); break;
        case STYLE_DOUBLE: good = read_double(a, d, &bits); break;
        case STYLE_HALVES: good = read_halves(a, d, e, &bits); break;
        default: good = read_half(a, d, e, &bits); break;
        }
    }
    return good && (draft_set(d, &e->field, bits) ||
                    attempt_fail(a, d->at, column, "this value does not fit the rest of the line"));
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* c[0x3][0x160], cx[UR4][0x10]. There may be blanks between the brackets. */
static bool read_constant(const struct attempt *a, struct draft *d, const struct syntax_element *e)
{
    static const struct syntax_field handle = {1, {37}, {32}}, bank = {1, {58}, {54}};
    bool bindless = e->operand == ISA_CONST_BINDLESS;
    struct assembly_number n;
    uint64_t value;
    const char *opening = bindless ? "cx[" : "c[";
    if (d->at + strlen(opening) > a->length || memcmp(a->text + d->at, opening, strlen(opening)) != 0)
        return attempt_expect(a, d->at, "a constant");
    d->at += strlen(opening);
    if (bindless) {
        if (!attempt_register(a, d, true, &handle, 0))
            return false;
    } else if (!attempt_number(a, d, &n)) {
        return attempt_expect(a, d->at, "a number");
    } else if (!attempt_fit(a, d, &n, 5, RANGE_UNSIGNED, &value) || !draft_set(d, &bank, value)) {
        return false;
    }
    if (!attempt_literal(a, d, "]", 1))
        return false;
    d->at = attempt_skip(a, d->at);
    if (!attempt_literal(a, d, "[", 1))
        return false;
    if (!attempt_number(a, d, &n))
        return attempt_expect(a, d->at, "a number");
    if (!attempt_fit(a, d, &n, 16, bindless ? RANGE_UNSIGNED : RANGE_EITHER, &value))
        return false;
    if (value & 3)
        return attempt_fail(a, d->at, n.column, "offset of a constant: it must be a multiple of 4");
    return draft_set(d, &e->field, value >> 2) && attempt_literal(a, d, "]", 1);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static bool read_sign(const struct attempt *a, struct draft *d, const struct syntax_element *e, const char *sign,
                      bool allowed)
{
    if (attempt_char(a, d->at) != *sign || (e->operand == ISA_IMM && *sign != '~'))
        return true;
    if (!allowed)
        return attempt_fail(a, d->at, d->at, "this operand takes no '%s'", sign);
    d->at++;
    return draft_set_bit(d, e->negate, true);
}

static bool read_value(const struct attempt *a, struct draft *d, const struct syntax_element *e)
{
    switch (e->operand) {
    case ISA_IMM: return read_immediate(a, d, e);
    case ISA_CONST:
    case ISA_CONST_BINDLESS: return read_constant(a, d, e);
    case ISA_UREG: return attempt_register(a, d, true, &e->field, e->value);
    default: return attempt_register(a, d, false, &e->field, 0);
    }
}

static bool read_reuse(const struct attempt *a, struct draft *d, const struct syntax_element *e)
{
    size_t column = d->at;
    if (!attempt_word(a, d, ".reuse"))
        return true;
    if (!syntax_reusable((enum isa_op)table_row(a->entry)->op, e))
        return attempt_fail(a, d->at, column, "this operand cannot be kept for reuse");
    return draft_set_bit(d, e->uniform_bit ? e->uniform_bit : 122u + e->position, true);
}

bool attempt_operand(const struct attempt *a, struct draft *d, const struct syntax_element *e)
{
    bool inverts = e->flags & ELEMENT_INVERTS, bars = false;
    size_t column = d->at;
    if (!read_sign(a, d, e, "-", e->negate && !inverts) || !read_sign(a, d, e, "~", e->negate && inverts))
        return false;
    if (e->absolute && attempt_char(a, d->at) == '|') {
        bars = true;
        d->at++;
        if (!draft_set_bit(d, e->absolute, true))
            return false;
    }
    if (!read_value(a, d, e))
        return false;
    bool after = syntax_part_last(e);
    if (e->swizzle.pieces && !after && !attempt_name(a, d, (enum isa_names)e->names, ".", 1, &e->swizzle, 0))
        return false;
    if (bars && !attempt_literal(a, d, "|", 1))
        return false;
    if (!read_reuse(a, d, e))
        return false;
    if (e->swizzle.pieces && after && !attempt_name(a, d, (enum isa_names)e->names, ".", 1, &e->swizzle, 0))
        return false;
    d->column[e->role] = (uint16_t)column;
    return true;
}
