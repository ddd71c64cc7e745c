#include "isa/pascal_parts.h"

#include <string.h>

#include "isa/pascal_rows.h"

/* A row's text in the reading. */
struct reader {
    const char *at;
    struct word128 word;
    uint32_t pc;
    uint8_t form;
    struct pascal_parts *out;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word(char c) { return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

static bool take(struct reader *r, char c)
{
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static unsigned take_number(struct reader *r)
{
    unsigned n = 0;
    while (is_digit(*r->at))
        n = n * 10 + (unsigned)(*r->at++ - '0');
    return n;
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (is_word(at[n]))
        n++;
    return n;
}

static uint64_t bits(const struct reader *r, unsigned high, unsigned low) { return word128_bits(r->word, high, low); }
static bool take_bit(struct reader *r)
{
    unsigned at = take_number(r);
    return bits(r, at, at) != 0;
}

static uint64_t take_field(struct reader *r, unsigned *width)
{
    r->at += *r->at == '@';
    return pascal_field(&r->at, r->word, width);
}

static struct pascal_operand *add(struct reader *r, char letter)
{
    struct pascal_parts *parts = r->out;
    struct pascal_operand *o = &parts->operand[parts->operands < PASCAL_PARTS ? parts->operands++ : PASCAL_PARTS - 1];
    *o = (struct pascal_operand){.letter = letter};
    return o;
}

static void take_name(struct reader *r, char name[static PASCAL_NAME])
{
    size_t length = word_length(r->at), kept = length < PASCAL_NAME - 1 ? length : PASCAL_NAME - 1;
    memcpy(name, r->at, kept);
    name[kept] = '\0';
    r->at += length;
}

static void add_modifier(struct reader *r)
{
    struct pascal_parts *parts = r->out;
    struct pascal_modifier *m =
        &parts->modifier[parts->modifiers < PASCAL_PARTS ? parts->modifiers++ : PASCAL_PARTS - 1];
    unsigned width;
    take_name(r, m->name);
    m->value = (uint8_t)take_field(r, &width);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* The lowest bit of the field before the reader. */
static uint8_t lowest_of(const struct reader *r)
{
    struct reader copy = *r;
    copy.at += *copy.at == '@';
    unsigned low = take_number(&copy);
    return (uint8_t)(take(&copy, ':') ? take_number(&copy) : low);
}

/* Predicates that are results stand in these fields. */
static bool is_result(unsigned low) { return low == 0 || low == 3 || low == 45 || low == 48; }

static void take_predicate(struct reader *r)
{
    struct pascal_operand *o = add(r, 'P');
    unsigned width;
    r->at++;
    o->low = lowest_of(r);
    o->written = is_result(o->low);
    o->index = (uint8_t)take_field(r, &width);
    if (take(r, '!'))
        o->flags = take_bit(r) ? ISA_INV : 0;
}

static void take_address(struct reader *r)
{
    struct pascal_operand *o = add(r, 'M');
    unsigned width;
    r->at++;
    uint64_t field = take_field(r, &width);
    int64_t offset = sign_extend(field, width);
    offset *= take(r, '*') ? (int64_t)take_number(r) : 1;
    o->index = (uint8_t)bits(r, 15, 8);
    o->value = (uint32_t)offset;
}

static void take_indexed_constant(struct reader *r)
{
    struct pascal_operand *o = add(r, 'L');
    r->at++;
    o->index = (uint8_t)bits(r, 15, 8);
    o->bank = (uint8_t)bits(r, 40, 36);
    o->value = (uint32_t)sign_extend(bits(r, 35, 20), 16);
}

static void take_target(struct reader *r)
{
    struct pascal_operand *o = add(r, 'T');
    unsigned width;
    r->at++;
    uint64_t field = take_field(r, &width);
    o->value = r->pc + 8 + (uint32_t)sign_extend(field, width);
}

static void take_special(struct reader *r)
{
    struct pascal_operand *o = add(r, 'S');
    unsigned width;
    r->at++;
    o->index = (uint8_t)take_field(r, &width);
}

/* The upper half comes first. Each has its ten upper bits. */
static void take_halves(struct reader *r)
{
    struct pascal_operand *o = add(r, 'H');
    r->at++;
    o->kind = ISA_IMM;
    uint32_t high = (uint32_t)(bits(r, 56, 56) << 15 | bits(r, 38, 30) << 6), low = (uint32_t)bits(r, 29, 20) << 6;
    o->value = high << 16 | low;
}

static void take_numeral(struct reader *r)
{
    struct pascal_operand *o = add(r, '#');
    unsigned width;
    char type = *++r->at == 's' || *r->at == 'f' ? *r->at++ : 0;
    uint64_t value = take_field(r, &width);
    o->kind = ISA_IMM;
    o->value = (uint32_t)(type == 's' ? (uint64_t)sign_extend(value, width) : value);
    if (take(r, '?'))
        take_number(r);
}

static unsigned place_of(const struct reader *r, char letter)
{
    switch (letter) {
    case 'D': return (unsigned)bits(r, 7, 0);
    case 'A': return (unsigned)bits(r, 15, 8);
    case 'B': return (unsigned)(r->form == PASCAL_CR ? bits(r, 46, 39) : bits(r, 27, 20));
    default: return (unsigned)bits(r, 46, 39);
    }
}

static bool is_constant(const struct reader *r, char letter)
{
    return letter == 'K' || (letter == 'B' && r->form == PASCAL_C) || (letter == 'C' && r->form == PASCAL_CR);
}

/* Those of IADD3 have a sign, too, which their text does not show. */
static uint32_t immediate(const struct reader *r, char type)
{
    uint32_t value = (uint32_t)bits(r, 38, 20), sign = (uint32_t)bits(r, 56, 56);
    switch (type) {
    case 'f':
    case 'd': return sign << 31 | value << 12;
    default: return (uint32_t)sign_extend((uint64_t)sign << 19 | value, 20);
    }
}

/* Takes the attributes behind an operand's letter. Returns the type of an immediate. */
static char take_attributes(struct reader *r, struct pascal_operand *o, uint8_t negation, bool *placed)
{
    char type = 0;
    unsigned width;
    for (;;) {
        if (*r->at == '@') {
            o->index = (uint8_t)take_field(r, &width);
            *placed = true;
        } else if (take(r, '!')) {
            o->flags |= take_bit(r) ? negation : 0;
        } else if (take(r, '/')) {
            o->flags |= take_bit(r) ? ISA_ABS : 0;
        } else if (*r->at == '+' && is_digit(r->at[1])) {
            r->at++;
            o->next = (uint8_t)take_number(r);
        } else if (take(r, '^')) {
            take_number(r);
        } else if (*r->at == ':' && word_length(r->at + 1) == 1) {
            type = r->at[1] == 't' ? type : r->at[1];
            r->at += 2;
        } else if (take(r, ':')) {
            r->at += word_length(r->at);
            o->part = (uint8_t)take_field(r, &width);
        } else {
            return type;
        }
    }
}

static void take_operand(struct reader *r)
{
    uint8_t negation = *r->at == '~' ? ISA_INV : ISA_NEG;
    r->at += strspn(r->at, "-~|");
    char letter = *r->at++, capital = (char)(letter >= 'a' ? letter - 'a' + 'A' : letter);
    struct pascal_operand *o = add(r, letter);
    bool placed = false;
    take(r, '|');
    char type = take_attributes(r, o, negation, &placed);
    if (capital == 'B' && r->form == PASCAL_I) {
        o->kind = ISA_IMM;
        o->value = immediate(r, type);
    } else if (is_constant(r, capital)) {
        o->kind = ISA_CONST;
        o->bank = (uint8_t)bits(r, 38, 34);
        o->value = (uint32_t)bits(r, 33, 20) * 4;
        o->part = letter == 'K' ? o->part : 0;
    } else {
        o->kind = ISA_REG;
        unsigned index = placed ? o->index : place_of(r, capital);
        o->index = (uint8_t)(index == ISA_RZ ? index : index + o->next);
    }
    take(r, '?');
}

/* ---- the line ---------------------------------------------------------------------------------------------------- */

static bool operand_starts(const char *at)
{
    at += strspn(at, "-~|");
    return word_length(at) == 1 && strchr("DABCKabcd", *at) != NULL;
}

/* An item of one letter (false: it is none). */
static bool take_item(struct reader *r)
{
    if (operand_starts(r->at))
        take_operand(r);
    else if (word_length(r->at) == 1 && *r->at == 'P' && r->at[1] == '@')
        take_predicate(r);
    else if (*r->at == '#' || *r->at == '%' || *r->at == '&' || *r->at == '^')
        take_numeral(r);
    else if (word_length(r->at) == 1 && *r->at == 'M')
        take_address(r);
    else if (word_length(r->at) == 1 && *r->at == 'L')
        take_indexed_constant(r);
    else if (word_length(r->at) == 1 && *r->at == 'T')
        take_target(r);
    else if (word_length(r->at) == 1 && *r->at == 'S')
        take_special(r);
    else if (word_length(r->at) == 1 && *r->at == 'H')
        take_halves(r);
    else
        return false;
    return true;
}

static void take_braces(struct reader *r)
{
    const char *end = strchr(r->at, '}');
    size_t prefix = strspn(r->at, " ,.");
    bool modifies = prefix > 0 && r->at[prefix - 1] == '.';
    r->at += prefix;
    if (*r->at != '@' && (modifies || !take_item(r)))
        add_modifier(r);
    r->at = end + 1;
}

void pascal_parts(const struct pascal_inst *inst, struct pascal_parts *out)
{
    struct reader r = {.at = pascal_rows[inst->row].text,
                       .word = {inst->word, inst->reuse},
                       .pc = inst->pc,
                       .form = inst->form,
                       .out = out};
    *out = (struct pascal_parts){0};
    take(&r, '!');
    size_t length = strcspn(r.at, " {"), kept = length < PASCAL_NAME - 1 ? length : PASCAL_NAME - 1;
    memcpy(out->name, r.at, kept);
    r.at += length;
    bool mnemonic = true;
    while (*r.at) {
        mnemonic = mnemonic && *r.at != ' ';
        if (take(&r, '{'))
            take_braces(&r);
        else if (mnemonic || !take_item(&r)) {
            size_t word = word_length(r.at);
            r.at += word ? word : 1;
        }
    }
}
