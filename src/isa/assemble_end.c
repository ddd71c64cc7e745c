/* The end of a line: bits in braces, and the conditions of the finished word. */
#include "isa/assembly.h"

#include <stdio.h>
#include <string.h>

/* ---- bits in braces ---------------------------------------------------------------------------------------------- */

static bool read_position(const struct attempt *a, struct draft *d, unsigned *bit)
{
    struct assembly_number n;
    if (!attempt_number(a, d, &n) || n.negative)
        return attempt_expect(a, n.column, "the number of a bit");
    if (n.magnitude > 127)
        return attempt_fail(a, d->at, n.column, "a word has bits 0 to 127");
    *bit = (unsigned)n.magnitude;
    return true;
}

static void force_bits(struct attempt *a, unsigned high, unsigned low, uint64_t value)
{
    for (unsigned bit = low; bit <= high; bit++) {
        uint64_t one = UINT64_C(1) << (bit & 63), set = value >> (bit - low) & 1;
        *(bit < 64 ? &a->forced.lo : &a->forced.hi) |= one;
        *(bit < 64 ? &a->force.lo : &a->force.hi) |= set << (bit & 63);
    }
}

/* @high:low=value */
static bool read_forced(struct attempt *a, struct draft *d)
{
    unsigned high = 0, low;
    struct assembly_number n;
    uint64_t value;
    d->at = attempt_skip(a, d->at);
    size_t column = d->at;
    if (!attempt_literal(a, d, "@", 1) || !read_position(a, d, &high))
        return false;
    low = high;
    if (attempt_char(a, d->at) == ':') {
        d->at++;
        if (!read_position(a, d, &low))
            return false;
    }
    if (low > high || high - low > 63)
        return attempt_fail(a, d->at, column, "the higher bit stands first, and there are at most 64 of them");
    if (!attempt_literal(a, d, "=", 1))
        return false;
    if (!attempt_number(a, d, &n))
        return attempt_expect(a, d->at, "a number");
    if (!attempt_fit(a, d, &n, high - low + 1, RANGE_UNSIGNED, &value))
        return false;
    force_bits(a, high, low, value);
    return true;
}

bool attempt_forced(struct attempt *a, struct draft *d)
{
    a->forced = a->force = (struct word128){0, 0};
    if (attempt_char(a, d->at) != '{')
        return true;
    d->at++;
    for (;;) {
        if (!read_forced(a, d))
            return false;
        d->at = attempt_skip(a, d->at);
        if (attempt_char(a, d->at) != ',')
            break;
        d->at++;
    }
    return attempt_literal(a, d, "}", 1);
}

/* ---- the finished word ------------------------------------------------------------------------------------------- */

static bool is_written(const struct draft *d, const struct syntax_field *field)
{
    return syntax_field_bits(field, d->written) != 0;
}

/* ptxas loads the descriptor of global memory into UR4 unless that is taken. */
enum { USUAL_DESCRIPTOR = 4 };

/* Bits that the text does not show have the value that the row names. Without one: no register, no predicate result.
 * A predicate that would be a carry is false; 0. */
static bool set_hidden(struct draft *d, const struct syntax_element *e)
{
    bool named = e->flags & ELEMENT_OPTIONAL;
    if (!(e->flags & ELEMENT_HIDDEN) || !e->field.pieces || is_written(d, &e->field))
        return true;
    switch (e->kind) {
    case ELEMENT_PREDICATE: {
        bool carry = e->role == ROLE_PP || e->role == ROLE_PQ;
        unsigned value = named && e->value ? e->value : carry ? 15 : 7;
        return draft_set(d, &e->field, e->flags & ELEMENT_COMPLEMENT ? ~value & 7u : value & 7u) &&
               (!e->negate || draft_set_bit(d, e->negate, value >> 3));
    }
    case ELEMENT_OPERAND:
        return draft_set(d, &e->field, e->operand == ISA_REG || e->operand == ISA_UREG ? UINT64_MAX : 0);
    case ELEMENT_MODIFIER:
    case ELEMENT_UNUSED: return draft_set(d, &e->field, named ? e->value : 0);
    case ELEMENT_DESCRIPTOR: return draft_set(d, &e->field, USUAL_DESCRIPTOR);
    case ELEMENT_TEXT:
    case ELEMENT_CONDITION: return true;
    default: return draft_set(d, &e->field, 0);
    }
}

static bool check_width(const struct attempt *a, const struct draft *d, unsigned role, const struct isa_operand *o)
{
    if ((o->kind != ISA_REG && o->kind != ISA_UREG) || o->index == ISA_RZ || o->words < 2)
        return true;
    const char *prefix = o->kind == ISA_UREG ? "UR" : "R";
    unsigned step = o->kind == ISA_UREG || o->words == 2 ? 2 : 4; /* LDCU.128 UR10 is compiled code */
    if (o->index % step != 0)
        return attempt_fail(a, a->length, d->column[role],
                            "%s%u is the first of %u registers here: its number must be a multiple of %u", prefix,
                            o->index, o->words, step);
    return true;
}

static bool check_widths(const struct attempt *a, const struct draft *d, const struct isa_inst *inst)
{
    const struct isa_operand *const operands[] = {&inst->d, &inst->a, &inst->b, &inst->c, &inst->e, &inst->f, &inst->g};
    for (unsigned role = 0; role <= ROLE_G; role++)
        if (!check_width(a, d, role, operands[role]))
            return false;
    return true;
}

static bool check_alias(const struct attempt *a, const struct isa_inst *inst)
{
    const char *actual = isa_alias(inst);
    if (!a->alias || (actual && strcmp(actual, a->alias) == 0))
        return true;
    return attempt_fail(a, a->length, 0, "with these operands the instruction is not %s but %s", a->alias,
                        actual ? actual : isa_op_info((enum isa_op)inst->op)->name);
}

bool attempt_end(struct attempt *a)
{
    struct draft *d = &a->result;
    struct isa_inst inst;
    d->at = attempt_skip(a, d->at);
    if (!attempt_forced(a, d))
        return false;
    d->at = attempt_skip(a, d->at);
    if (d->at != a->length)
        return attempt_expect(a, d->at, "the end of the line");
    for (unsigned i = 0; i < a->count; i++)
        if (!set_hidden(d, &a->element[i]))
            return false;
    if (table_find(a->table, d->word) != a->entry)
        return attempt_fail(a, a->length, 0, "these modifiers and operands do not go together");
    isa_decode(a->table, d->word, a->pc, &inst);
    return check_alias(a, &inst) && check_widths(a, d, &inst);
}
