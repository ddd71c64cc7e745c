#include "isa/parser.h"

#include <string.h>

/* Where a letter's register is, and the bits that change its sign and select its half. */
struct slot {
    uint8_t high, low, negate, absolute, swizzle;
};

static const struct slot slots[] = {
    [ROLE_D] = {23, 16, 0, 0, 0},    [ROLE_A] = {31, 24, 72, 73, 74}, [ROLE_B] = {39, 32, 63, 62, 60},
    [ROLE_C] = {71, 64, 75, 74, 81}, [ROLE_E] = {47, 40, 0, 0, 0},    [ROLE_F] = {47, 40, 0, 0, 0},
    [ROLE_G] = {47, 40, 0, 0, 0},
};

static const struct {
    uint8_t kind;
    bool last;
} forms[] = {
#define X(id, bits, bit91, kind, last) {kind, last},
    ISA_FORMS(X)
#undef X
        {ISA_NONE, false}};

static const char letters[] = "DABCEFG", suffixes[] = "uvpqr";

static bool one_of(char c, const char *set) { return c && strchr(set, c); }

bool parser_operand_starts(const char *at)
{
    while (*at == '-' || *at == '~' || *at == '|' || *at == '#')
        at++;
    size_t n = parser_word(at);
    return (n == 1 && one_of(*at, letters)) || (n == 2 && *at == 'U' && one_of(at[1], letters));
}

bool parser_predicate_starts(const char *at)
{
    size_t n = parser_word(at);
    return (n == 2 && at[0] == 'P' && one_of(at[1], suffixes)) ||
           (n == 3 && at[0] == 'U' && at[1] == 'P' && one_of(at[2], suffixes));
}

void parser_set_uniform_bits(const struct parser *p, struct syntax_field *field, unsigned low)
{
    parser_set_bits(field, p->sm >= 100 ? low + 7 : low + 5, low);
}

/* Does the form decide the kind of this operand? */
static bool varies(const struct parser *p, const struct syntax_element *e)
{
    if (p->form == FORM_ONE || p->form == FORM_RRR || p->form == FORM_UUU)
        return false;
    return e->role == (forms[p->form].last && !p->second_is_c ? ROLE_C : ROLE_B);
}

static struct slot slot_of(const struct parser *p, const struct syntax_element *e)
{
    if (varies(p, e))
        return slots[ROLE_B];
    return e->role == ROLE_B && forms[p->form].last ? slots[ROLE_C] : slots[e->role];
}

static void place(const struct parser *p, struct syntax_element *e, struct slot slot)
{
    if (varies(p, e))
        e->operand = forms[p->form].kind;
    e->negate = e->negate && e->operand != ISA_IMM ? slot.negate : 0;
    e->absolute = e->absolute && e->operand != ISA_IMM ? slot.absolute : 0;
    switch (e->operand) {
    case ISA_IMM: parser_set_bits(&e->field, 63, 32); break;
    case ISA_CONST:
    case ISA_CONST_BINDLESS: parser_set_bits(&e->field, 53, 40); break;
    case ISA_UREG: parser_set_uniform_bits(p, &e->field, slot.low); break;
    default: parser_set_bits(&e->field, slot.high, slot.low); break;
    }
}

static void select_halves(struct syntax_element *e, struct slot slot, bool negated_half)
{
    e->style = STYLE_HALVES;
    e->names = NAMES_HALVES;
    unsigned at = slot.swizzle;
    if (slot.low == slots[ROLE_C].low) {
        e->negate = e->negate ? 84 : 0;
        e->absolute = e->absolute ? 83 : 0;
    }
    if (e->operand == ISA_IMM)
        return;
    if (negated_half)
        e->swizzle = (struct syntax_field){2, {86, (uint8_t)(at + 1)}, {86, (uint8_t)at}};
    else
        parser_set_bits(&e->swizzle, at + 1, at);
}

static bool set_type(struct syntax_element *e, char type, struct slot slot)
{
    switch (type) {
    case 's': e->style = STYLE_SIGNED; return true;
    case 'f': e->style = STYLE_FLOAT; return true;
    case 'd': e->style = STYLE_DOUBLE; return true;
    case 'b': e->style = STYLE_BHALF; return set_type(e, 'w', slot);
    case 'p':
        select_halves(e, slot, false);
        e->swizzle.pieces = 0;
        return true;
    case 'x': e->names = NAMES_PAIR; return true;
    case 'z': e->names = NAMES_HALF_OPERAND; return true;
    case 'r': e->flags |= ELEMENT_REUSED; return true;
    case 't': e->flags |= ELEMENT_APART; return true;
    case 'q':
        select_halves(e, slot, false);
        e->style = STYLE_HALF;
        return true;
    case 'h': select_halves(e, slot, false); return true;
    case 'n': select_halves(e, slot, true); return true;
    case 'v':
    case 'w':
    case 'y':
        e->names = type == 'y' ? NAMES_BYTE_SELECT : NAMES_HALF_SELECT;
        e->style = type == 'v' ? STYLE_HALF : e->style;
        if (e->operand != ISA_IMM)
            parser_set_bits(&e->swizzle, slot.swizzle + 1u, slot.swizzle);
        return true;
    default: return false;
    }
}

static bool read_words(struct parser *p, struct syntax_element *e)
{
    if (parser_digit(*p->at)) {
        e->words = (uint8_t)parser_number(p);
        return e->words >= 1 && e->words <= 4;
    }
    size_t n = parser_word(p->at);
    e->words_by = (uint8_t)isa_modifier_find(p->at, n);
    p->at += n;
    return e->words_by != ISA_MOD_LIMIT;
}

static bool read_bits(struct parser *p, struct syntax_element *e)
{
    if (!parser_bits(p, &e->field))
        return false;
    if (e->operand == ISA_UREG && e->field.pieces == 1)
        parser_set_uniform_bits(p, &e->field, e->field.low[0]);
    return true;
}

static bool read_attributes(struct parser *p, struct syntax_element *e, struct slot slot)
{
    for (;;) {
        bool good = true;
        if (parser_take(p, '@')) {
            good = read_bits(p, e);
        } else if (parser_take(p, '*')) {
            good = read_words(p, e);
        } else if (parser_take(p, ':')) {
            good = set_type(e, *p->at, slot);
            p->at += good;
            if (parser_digit(*p->at))
                e->uniform_bit = (uint8_t)parser_number(p);
        } else if (parser_take(p, '/')) {
            good = parser_bits(p, &e->swizzle);
            e->swizzle.pieces = (uint8_t)(e->operand == ISA_IMM ? 0u : e->swizzle.pieces);
        } else if (*p->at == '+' && parser_digit(p->at[1]) && e->operand == ISA_UREG) {
            p->at++;
            e->value = (uint16_t)parser_number(p);
        } else if (*p->at == '!' && parser_digit(p->at[1])) {
            p->at++;
            e->negate = (uint8_t)parser_number(p);
        } else {
            return true;
        }
        if (!good)
            return false;
    }
}

bool parser_operand(struct parser *p, struct syntax_element *e)
{
    if (*p->at == '~')
        e->flags |= ELEMENT_INVERTS;
    e->negate = parser_take(p, '-') || parser_take(p, '~');
    bool bars = parser_take(p, '|');
    e->absolute = bars;
    bool immediate = parser_take(p, '#'), uniform = parser_take(p, 'U');
    const char *letter = *p->at ? strchr(letters, *p->at) : NULL;
    if (!letter)
        return false;
    p->at++;
    e->role = (uint8_t)(letter - letters);
    e->operand = immediate ? ISA_IMM : uniform ? ISA_UREG : ISA_REG;
    e->style = STYLE_HEX;
    e->position = e->role == ROLE_A ? 0 : e->role == ROLE_B && !p->second_is_c ? 1 : 2;
    struct slot slot = slot_of(p, e);
    place(p, e, slot);
    if (bars && !parser_take(p, '|'))
        return false;
    return read_attributes(p, e, slot);
}

bool parser_predicate(struct parser *p, struct syntax_element *e)
{
    static const struct {
        uint8_t high, low, negate;
    } places[] = {
        [ROLE_PU] = {83, 81, 0},  [ROLE_PV] = {86, 84, 0},  [ROLE_PP] = {89, 87, 90},
        [ROLE_PQ] = {79, 77, 80}, [ROLE_PR] = {70, 68, 71},
    };
    if (parser_take(p, 'U'))
        e->flags |= ELEMENT_UNIFORM;
    e->role = (uint8_t)(strchr(suffixes, p->at[1]) - suffixes);
    p->at += 2;
    e->negate = places[e->role].negate;
    if (e->role <= ROLE_PV)
        e->flags |= ELEMENT_DESTINATION;
    parser_set_bits(&e->field, places[e->role].high, places[e->role].low);
    if (parser_take(p, '@')) {
        if (parser_take(p, '~'))
            e->flags |= ELEMENT_COMPLEMENT;
        if (!parser_bits(p, &e->field))
            return false;
        e->negate = 0;
    }
    if (*p->at == '!' && parser_digit(p->at[1])) {
        p->at++;
        e->negate = (uint8_t)parser_number(p);
    }
    if (parser_take(p, '+'))
        e->uniform_bit = (uint8_t)parser_number(p);
    return true;
}
