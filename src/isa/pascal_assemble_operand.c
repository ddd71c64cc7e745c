/* Operands of a Pascal instruction, read from a line by the items of its row (pascal.h). */
#include "isa/pascal_assembly.h"

#include <string.h>

enum { SIGN_BIT = 56, IMMEDIATE_LOW = 20, IMMEDIATE_BITS = 19 };

static bool set_bits(struct draft *d, unsigned low, unsigned width, uint64_t value)
{
    return draft_set_bits(d, low + width - 1, low, value & ((UINT64_C(1) << width) - 1));
}

static bool mismatch(const struct attempt *a, const struct draft *d, size_t column)
{
    return attempt_fail(a, d->at, column, "this does not fit the rest of the line");
}

/* ---- the row's text ---------------------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t letters(const char *at)
{
    size_t n = 0;
    while (assembly_letter(at[n]))
        n++;
    return n;
}

static bool take(const char **at, char c)
{
    bool there = **at == c;
    *at += there;
    return there;
}

struct syntax_field pascal_take_field(const char **at)
{
    struct syntax_field field = {0};
    take(at, '@');
    do {
        take(at, ',');
        unsigned high = pascal_number(at), low = high;
        if (**at == ':' && is_digit((*at)[1])) {
            ++*at;
            low = pascal_number(at);
        }
        field.high[field.pieces] = (uint8_t)high;
        field.low[field.pieces++] = (uint8_t)low;
    } while (**at == ',' && is_digit((*at)[1]) && field.pieces < SYNTAX_PIECES);
    return field;
}

static bool is_operand(const char *at)
{
    at += strspn(at, "-~|");
    return letters(at) == 1 && strchr("DABCKabcd", *at) != NULL;
}

bool pascal_item_starts(const char *at, bool braces)
{
    if (is_operand(at) || strchr("#&", *at) || (braces && strchr("%^", *at)))
        return *at != '\0';
    if (letters(at) != 1)
        return false;
    return (*at == 'P' && at[1] == '@') || (!braces && strchr("MLTSH", *at));
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

bool pascal_take_integer(const struct attempt *a, struct draft *d, const char *item, unsigned width,
                         enum assembly_range range, uint64_t *value)
{
    struct assembly_number n;
    struct draft raw = *d;
    bool number = attempt_number(a, &raw, &n);
    if (!number || attempt_char(a, raw.at) == '@') { /* 32@lo(name) */
        *value = 0;
        return attempt_symbol(a, d, NULL, false) && (d->symbol[d->symbols - 1].item = item) != NULL;
    }
    *d = raw;
    return attempt_fit(a, d, &n, width, range, value);
}

static bool is_hexadecimal(const struct attempt *a, size_t at)
{
    at += attempt_char(a, at) == '-';
    return attempt_char(a, at) == '0' && (attempt_char(a, at + 1) | 0x20) == 'x';
}

/* A float with `mantissa` and `exponent` bits, whose `kept` upper ones are encoded. It may be given by its bits. */
bool pascal_take_float(const struct attempt *a, struct draft *d, unsigned mantissa, unsigned exponent, unsigned kept,
                       uint64_t *value)
{
    struct assembly_number n;
    size_t column = d->at;
    unsigned width = mantissa + exponent + 1, dropped = width - kept;
    uint64_t bits = 0;
    bool hexadecimal = is_hexadecimal(a, d->at) && attempt_number(a, d, &n);
    if (hexadecimal) {
        unsigned given = width > 32 ? 32 : width;
        if (!attempt_fit(a, d, &n, given, RANGE_EITHER, &bits))
            return false;
        bits <<= width - given;
    } else if (!attempt_float(a, d, mantissa, exponent, &bits)) {
        return false;
    }
    uint64_t all_ones = ((UINT64_C(1) << exponent) - 1) << mantissa, lost = bits & ((UINT64_C(1) << dropped) - 1);
    if (lost && (bits & all_ones) != all_ones)
        return attempt_fail(a, d->at, column, "%.*s has more digits than the %u upper bits hold that are encoded",
                            (int)(d->at - column > 40 ? 40 : d->at - column), a->text + column, kept);
    *value = bits >> dropped;
    return true;
}

static bool take_set(const struct attempt *a, struct draft *d, unsigned width, uint64_t *set)
{
    *set = 0;
    if (!attempt_literal(a, d, "{", 1))
        return false;
    while (attempt_char(a, d->at) != '}') {
        struct assembly_number n;
        if (!attempt_number(a, d, &n) || n.negative || n.magnitude >= width)
            return attempt_expect(a, n.column, "a number of the set");
        *set |= UINT64_C(1) << n.magnitude;
        d->at = attempt_skip(a, d->at);
        if (attempt_char(a, d->at) == ',')
            d->at = attempt_skip(a, d->at + 1);
    }
    d->at++;
    return true;
}

static bool take_signs(const struct attempt *a, struct draft *d, uint64_t *value)
{
    static const char *const names[] = {"PP", "PN", "NP", "ZP"};
    *value = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned sign = 0;
        while (sign < 4 && (attempt_char(a, d->at) != names[sign][0] || attempt_char(a, d->at + 1) != names[sign][1]))
            sign++;
        if (sign == 4)
            return attempt_expect(a, d->at, "PP, PN, NP or ZP");
        *value = *value << 2 | sign;
        d->at += 2;
    }
    return true;
}

bool pascal_take_numeral(const struct attempt *a, const char **at, struct draft *d)
{
    const char *item = *at;
    char mark = *(*at)++, type = **at == 's' || **at == 'f' ? *(*at)++ : '\0';
    struct syntax_field field = pascal_take_field(at);
    unsigned width = syntax_field_width(&field);
    uint64_t value;
    size_t column = d->at;
    bool good;
    if (take(at, '?'))
        pascal_number(at);
    if (mark == '&')
        good = take_set(a, d, width, &value);
    else if (mark == '^')
        good = take_signs(a, d, &value);
    else if (type == 'f')
        good = pascal_take_float(a, d, 23, 8, width, &value);
    else
        good = pascal_take_integer(a, d, item, width,
                                   width >= 32   ? RANGE_EITHER
                                   : type == 's' ? RANGE_SIGNED
                                                 : RANGE_UNSIGNED,
                                   &value);
    return good && (d->symbols > 0 || draft_set(d, &field, value) || mismatch(a, d, column));
}

/* ---- predicates and constants ---------------------------------------------------------------------------- */

bool pascal_take_predicate(const struct attempt *a, const char **at, struct draft *d)
{
    ++*at;
    struct syntax_field field = pascal_take_field(at);
    bool inverts = take(at, '!');
    unsigned negation = inverts ? pascal_number(at) : 0;
    struct isa_predicate p;
    size_t column = d->at;
    take(at, '?');
    if (!attempt_predicate_name(a, d, &p))
        return attempt_expect(a, column, "a predicate");
    if (p.uniform || (p.inverted && !inverts))
        return attempt_fail(a, d->at, column,
                            p.uniform ? "there are no uniform predicates on this architecture"
                                      : "this predicate cannot be inverted");
    return (draft_set(d, &field, p.index) && (!inverts || draft_set_bit(d, negation, p.inverted))) ||
           mismatch(a, d, column);
}

/* c[0x0][0x20], also with blanks between the brackets. */
bool pascal_take_constant(const struct attempt *a, struct draft *d)
{
    struct assembly_number n;
    uint64_t bank, offset;
    if (attempt_char(a, d->at) != 'c' || attempt_char(a, d->at + 1) != '[')
        return attempt_expect(a, d->at, "a constant");
    d->at += 2;
    if (!attempt_number(a, d, &n))
        return attempt_expect(a, d->at, "a number");
    if (!attempt_fit(a, d, &n, 5, RANGE_UNSIGNED, &bank) || !attempt_literal(a, d, "]", 1))
        return false;
    d->at = attempt_skip(a, d->at);
    if (!attempt_literal(a, d, "[", 1))
        return false;
    if (!attempt_number(a, d, &n))
        return attempt_expect(a, d->at, "a number");
    if (!attempt_fit(a, d, &n, 16, RANGE_UNSIGNED, &offset))
        return false;
    if (offset & 3)
        return attempt_fail(a, d->at, n.column, "offset of a constant: it must be a multiple of 4");
    return set_bits(d, 34, 5, bank) && set_bits(d, 20, 14, offset >> 2) && attempt_literal(a, d, "]", 1);
}

/* ---- addresses and targets --------------------------------------------------------------------------------------- */

/* Behind the opening bracket: a register, RZ if there is none, and a number. */
static bool take_base(const struct attempt *a, struct draft *d, int64_t *offset, size_t *column)
{
    static const struct syntax_field base = {1, {15}, {8}};
    struct assembly_number n;
    *offset = 0;
    *column = d->at;
    if (attempt_char(a, d->at) == 'R') {
        if (!attempt_register(a, d, false, &base, 0))
            return false;
        if (attempt_char(a, d->at) == '+')
            d->at++;
        else if (attempt_char(a, d->at) != '-')
            return true;
    } else if (!draft_set(d, &base, ISA_RZ)) {
        return false;
    }
    if (!attempt_number(a, d, &n))
        return attempt_expect(a, d->at, "a register or a number");
    *column = n.column;
    if (n.too_large || n.magnitude > UINT32_MAX)
        return attempt_fail(a, d->at, n.column, "this offset is too large");
    *offset = n.negative ? -(int64_t)n.magnitude : (int64_t)n.magnitude;
    return true;
}

static bool put_offset(const struct attempt *a, struct draft *d, const struct syntax_field *field, int64_t offset,
                       unsigned scale, size_t column)
{
    unsigned width = syntax_field_width(field);
    int64_t most = (INT64_C(1) << (width - 1)) - 1, units = offset / (int64_t)scale;
    if (offset % (int64_t)scale != 0)
        return attempt_fail(a, d->at, column, "this offset must be a multiple of %u", scale);
    if (units > most || units < -most - 1)
        return attempt_fail(a, d->at, column, "this offset must lie between -0x%llx and 0x%llx",
                            (unsigned long long)((most + 1) * scale), (unsigned long long)(most * scale));
    return draft_set(d, field, (uint64_t)units) || mismatch(a, d, column);
}

bool pascal_take_address(const struct attempt *a, const char **at, struct draft *d)
{
    ++*at;
    struct syntax_field field = pascal_take_field(at);
    unsigned scale = take(at, '*') ? pascal_number(at) : 1;
    int64_t offset;
    size_t column;
    return attempt_literal(a, d, "[", 1) && take_base(a, d, &offset, &column) &&
           put_offset(a, d, &field, offset, scale, column) && attempt_literal(a, d, "]", 1);
}

bool pascal_take_indexed_constant(const struct attempt *a, struct draft *d)
{
    const struct syntax_field field = {1, {35}, {20}};
    struct assembly_number n;
    uint64_t bank;
    int64_t offset;
    size_t column;
    if (!attempt_literal(a, d, "c[", 2))
        return false;
    if (!attempt_number(a, d, &n))
        return attempt_expect(a, d->at, "a number");
    return attempt_fit(a, d, &n, 5, RANGE_UNSIGNED, &bank) && set_bits(d, 36, 5, bank) &&
           attempt_literal(a, d, "]", 1) && attempt_literal(a, d, "[", 1) && take_base(a, d, &offset, &column) &&
           put_offset(a, d, &field, offset, 1, column) && attempt_literal(a, d, "]", 1);
}

static bool put_target(const struct attempt *a, struct draft *d, const struct syntax_field *field, int64_t target,
                       size_t column)
{
    unsigned width = syntax_field_width(field);
    int64_t distance = target - (int64_t)pascal_address(a->pc) - 8, most = INT64_C(1) << (width - 1);
    if (target % 8 != 0)
        return attempt_fail(a, d->at, column, "0x%llx is no place for an instruction: it must be a multiple of 8",
                            (unsigned long long)target);
    if (distance >= most || distance < -most)
        return attempt_fail(a, d->at, column, "the target is too far away: the distance has %u bits", width);
    return draft_set(d, field, (uint64_t)distance);
}

bool pascal_take_target(const struct attempt *a, const char **at, struct draft *d)
{
    const char *item = (*at)++;
    struct syntax_field field = pascal_take_field(at);
    struct assembly_number n;
    size_t column = d->at;
    if (!attempt_number(a, d, &n))
        return attempt_symbol(a, d, NULL, true) && (d->symbol[d->symbols - 1].item = item) != NULL;
    if (n.too_large || n.magnitude > INT64_MAX)
        return attempt_fail(a, d->at, column, "the target is too large");
    return put_target(a, d, &field, n.negative ? -(int64_t)n.magnitude : (int64_t)n.magnitude, column);
}

bool pascal_place(const struct attempt *a, struct draft *d, const char *item, int64_t value, size_t column)
{
    bool target = *item == 'T', number = *item == '#';
    item += 1 + (item[1] == 's');
    struct syntax_field field = pascal_take_field(&item);
    if (target)
        return put_target(a, d, &field, value, column);
    struct assembly_number n = {.negative = value < 0, .column = column};
    n.magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    unsigned width = number ? syntax_field_width(&field) : IMMEDIATE_BITS + 1;
    uint64_t bits;
    if (!attempt_fit(a, d, &n, width, width >= 32 ? RANGE_EITHER : RANGE_SIGNED, &bits))
        return false;
    if (number)
        return draft_set(d, &field, bits);
    return set_bits(d, IMMEDIATE_LOW, IMMEDIATE_BITS, bits) && draft_set_bit(d, SIGN_BIT, bits >> IMMEDIATE_BITS);
}
