/* Items of a row, read from a line: registers, constants and immediates with their signs and parts, and the
 * choice among the others. */
#include "isa/pascal_assembly.h"

#include <stdio.h>
#include <string.h>

enum { D_LOW = 0, A_LOW = 8, B_LOW = 20, C_LOW = 39, SIGN_BIT = 56, IMMEDIATE_LOW = 20, IMMEDIATE_BITS = 19 };
enum { REUSE_LOW = 64, NO_REUSE = 3, HALF_KEPT = 10, SPECIALS = 256 };

static bool set_bits(struct draft *d, unsigned low, unsigned width, uint64_t value)
{
    return draft_set_bits(d, low + width - 1, low, value & ((UINT64_C(1) << width) - 1));
}

static bool take(const char **at, char c)
{
    bool there = **at == c;
    *at += there;
    return there;
}

/* ---- an operand in the row --------------------------------------------------------------------------------------- */

/* A register, constant or immediate in the row. Bits are 0 if there are none. */
struct operand {
    const char *item;
    char letter, sign; /* sign: - or ~, or 0 */
    char type;         /* of an immediate */
    bool bars, constant, immediate;
    unsigned next, reuse, negation, magnitude;
    struct syntax_field place, part_field;
    const char *part; /* the word of its table */
    size_t part_length;
};

static unsigned place_of(const struct pascal_reading *r, char letter)
{
    switch (letter) {
    case 'D': return D_LOW;
    case 'A': return A_LOW;
    case 'B': return r->form == PASCAL_CR ? C_LOW : B_LOW;
    default: return C_LOW;
    }
}

static void read_attributes(const char **at, struct operand *o)
{
    for (;;) {
        if (**at == '@')
            o->place = pascal_take_field(at);
        else if (take(at, '!'))
            o->negation = pascal_number(at);
        else if (take(at, '/'))
            o->magnitude = pascal_number(at);
        else if (take(at, '+'))
            o->next = pascal_number(at);
        else if (take(at, '^'))
            o->reuse = pascal_number(at);
        else if (**at == ':' && !assembly_letter((*at)[2])) {
            o->type = (*at)[1] == 't' ? o->type : (*at)[1];
            *at += 2;
        } else if (take(at, ':')) {
            o->part = *at;
            while (assembly_letter(**at))
                ++*at;
            o->part_length = (size_t)(*at - o->part);
            o->part_field = pascal_take_field(at);
        } else {
            return;
        }
    }
}

static struct operand read_operand(const struct pascal_reading *r, const char **at)
{
    struct operand o = {.item = *at};
    if (**at == '-' || **at == '~')
        o.sign = *(*at)++;
    o.bars = take(at, '|');
    bool quiet = **at >= 'a';
    o.letter = (char)(quiet ? **at - 'a' + 'A' : **at);
    ++*at;
    take(at, '|');
    uint8_t low = (uint8_t)place_of(r, o.letter);
    o.place = (struct syntax_field){1, {(uint8_t)(low + 7)}, {low}};
    o.reuse = quiet || o.letter == 'D' || o.letter == 'K' ? NO_REUSE : (unsigned)(o.letter - 'A');
    read_attributes(at, &o);
    o.immediate = o.letter == 'B' && r->form == PASCAL_I;
    o.constant =
        o.letter == 'K' || (o.letter == 'B' && r->form == PASCAL_C) || (o.letter == 'C' && r->form == PASCAL_CR);
    return o;
}

/* ---- an operand in the line -------------------------------------------------------------------------------------- */

/* The line up to ".NEG", which a number may end before: in "3.NEG" the dot belongs to the sign. */
static struct attempt before_sign(const struct attempt *a, const struct draft *d)
{
    struct attempt cut = *a;
    const char *sign = memmem(a->text + d->at, a->length - d->at, ".NEG", 4);
    if (sign)
        cut.length = (size_t)(sign - a->text);
    return cut;
}

/* Takes an integer, or the upper bits of a float: 19 bits and the sign. */
static bool take_immediate(const struct attempt *a, const struct operand *o, struct draft *d)
{
    struct attempt number = before_sign(a, d);
    uint64_t value;
    bool good;
    switch (o->type) {
    case 'f': good = pascal_take_float(&number, d, 23, 8, IMMEDIATE_BITS + 1, &value); break;
    case 'd': good = pascal_take_float(&number, d, 52, 11, IMMEDIATE_BITS + 1, &value); break;
    default:
        good = pascal_take_integer(&number, d, "B", IMMEDIATE_BITS + 1, o->type == 'u' ? RANGE_UNSIGNED : RANGE_SIGNED,
                                   &value);
    }
    if (!good)
        return false;
    bool symbol = d->symbols > 0;
    if (!symbol && (!set_bits(d, IMMEDIATE_LOW, IMMEDIATE_BITS, value) ||
                    !draft_set_bit(d, SIGN_BIT, value >> IMMEDIATE_BITS & 1)))
        return false;
    if (!o->negation)
        return true;
    struct draft next = *d;
    next.at = attempt_skip(a, next.at);
    bool negated = attempt_word(a, &next, ".NEG");
    d->at = negated ? next.at : d->at;
    return draft_set_bit(d, o->negation, negated);
}

/* A sign or bar is there or not. */
static bool take_mark(const struct attempt *a, struct draft *d, char mark, unsigned bit)
{
    bool there = mark && attempt_char(a, d->at) == mark;
    d->at += there;
    return !bit || draft_set_bit(d, bit, there) ||
           attempt_fail(a, d->at, d->at, "this sign does not fit the rest of the line");
}

/* The longest name of a part that stands there. Otherwise one that is empty. */
static bool take_part(const struct attempt *a, struct draft *d, const struct operand *o)
{
    unsigned count = 1u << syntax_field_width(&o->part_field);
    struct draft best = *d;
    bool found = false;
    for (unsigned v = 0; v < count; v++) {
        char name[PASCAL_NAME_TEXT], dotted[PASCAL_NAME_TEXT + 1];
        struct draft next = *d;
        bool named = pascal_name(o->part, o->part_length, v, name);
        snprintf(dotted, sizeof dotted, ".%s", name);
        if ((named && !attempt_word(a, &next, dotted)) || (found && next.at <= best.at) ||
            !draft_set(&next, &o->part_field, v))
            continue;
        best = next;
        found = true;
    }
    *d = best;
    return found || attempt_expect(a, d->at, "a part of the register");
}

static bool take_value(const struct attempt *a, struct draft *d, const struct operand *o)
{
    if (o->constant)
        return pascal_take_constant(a, d);
    return attempt_register(a, d, false, &o->place, o->next);
}

static bool take_operand(const struct pascal_reading *r, const char **at, struct draft *d)
{
    const struct attempt *a = r->a;
    struct operand o = read_operand(r, at);
    take(at, '?');
    if (o.immediate)
        return take_immediate(a, &o, d);
    if (!take_mark(a, d, o.sign, o.sign ? o.negation : 0))
        return false;
    bool bars = o.bars && attempt_char(a, d->at) == '|';
    if ((o.bars && !take_mark(a, d, '|', o.magnitude)) || !take_value(a, d, &o))
        return false;
    if (o.part && (!o.constant || o.letter == 'K') && !take_part(a, d, &o))
        return false;
    if (bars && !attempt_literal(a, d, "|", 1))
        return false;
    if (!o.constant && o.reuse < NO_REUSE && attempt_word(a, d, ".reuse"))
        return draft_set_bit(d, REUSE_LOW + o.reuse, true);
    return true;
}

/* ---- other items ------------------------------------------------------------------------------------------------- */

/* Two halves, of which the ten upper bits are encoded. The upper one comes first. */
static bool take_halves(const struct attempt *a, struct draft *d)
{
    uint64_t high, low;
    if (!pascal_take_float(a, d, 10, 5, HALF_KEPT, &high))
        return false;
    d->at = attempt_skip(a, d->at);
    return attempt_literal(a, d, ", ", 2) && pascal_take_float(a, d, 10, 5, HALF_KEPT, &low) &&
           draft_set_bit(d, SIGN_BIT, high >> (HALF_KEPT - 1) & 1) &&
           set_bits(d, IMMEDIATE_LOW + HALF_KEPT, HALF_KEPT - 1, high) && set_bits(d, IMMEDIATE_LOW, HALF_KEPT, low);
}

static bool take_special(const struct attempt *a, const char **at, struct draft *d)
{
    ++*at;
    struct syntax_field field = pascal_take_field(at);
    size_t end = 0;
    unsigned value = 0;
    for (unsigned v = 0; v < SPECIALS; v++) {
        char name[PASCAL_NAME_TEXT];
        struct draft next = *d;
        pascal_special_name(v, name);
        if (attempt_word(a, &next, name) && next.at > end) {
            end = next.at;
            value = v;
        }
    }
    if (end == 0)
        return attempt_expect(a, d->at, "a special register such as SR_TID.X");
    d->at = end;
    return draft_set(d, &field, value);
}

bool pascal_take_item(const struct pascal_reading *r, const char **at, struct draft *d)
{
    if (strchr("#%&^", **at))
        return pascal_take_numeral(r->a, at, d);
    switch ((*at)[1] == '@' || !assembly_letter((*at)[1]) ? **at : '\0') {
    case 'P': return pascal_take_predicate(r->a, at, d);
    case 'M': return pascal_take_address(r->a, at, d);
    case 'L': ++*at; return pascal_take_indexed_constant(r->a, d);
    case 'T': return pascal_take_target(r->a, at, d);
    case 'S': return take_special(r->a, at, d);
    case 'H': ++*at; return take_halves(r->a, d);
    default: return take_operand(r, at, d);
    }
}

/* The value behind ?, PT or RZ. */
bool pascal_omit_item(const struct pascal_reading *r, const char **at, struct draft *d)
{
    struct syntax_field field;
    unsigned value = ISA_PT, negation = 0;
    if (strchr("#%&^", **at)) {
        *at += 1 + ((*at)[1] == 's' || (*at)[1] == 'f');
        field = pascal_take_field(at);
        if (!take(at, '?'))
            return false;
        return draft_set(d, &field, pascal_number(at));
    }
    if (**at == 'P') {
        ++*at;
        field = pascal_take_field(at);
        negation = take(at, '!') ? pascal_number(at) : 0;
    } else {
        struct operand o = read_operand(r, at);
        field = o.place;
        value = ISA_RZ;
    }
    return take(at, '?') && draft_set(d, &field, value) && (!negation || draft_set_bit(d, negation, false));
}
