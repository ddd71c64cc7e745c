/* Characters, numbers and bits in one attempt of the assembler. */
#include "isa/assembly.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- failures ---------------------------------------------------------------------------------------------------- */

bool attempt_fail(const struct attempt *a, size_t depth, size_t column, const char *format, ...)
{
    struct failure *f = a->failure;
    if (depth < f->depth || (depth == f->depth && f->message[0]))
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(f->message, sizeof f->message, format, args);
    va_end(args);
    f->depth = depth;
    f->column = column;
    return false;
}

bool attempt_expect(const struct attempt *a, size_t column, const char *phrase)
{
    struct failure *f = a->failure;
    if (column < f->depth || (column == f->depth && f->message[0]))
        return false;
    if (column > f->depth) {
        f->message[0] = '\0';
        f->expected = 0;
    }
    f->depth = f->column = column;
    for (unsigned i = 0; i < f->expected; i++)
        if (strncmp(f->phrase[i], phrase, ASSEMBLY_PHRASE - 1) == 0)
            return false;
    if (f->expected < ASSEMBLY_EXPECTED)
        snprintf(f->phrase[f->expected++], ASSEMBLY_PHRASE, "%s", phrase);
    return false;
}

/* ---- characters -------------------------------------------------------------------------------------------------- */

bool assembly_letter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

size_t attempt_skip(const struct attempt *a, size_t at)
{
    while (attempt_char(a, at) == ' ' || attempt_char(a, at) == '\t')
        at++;
    return at;
}

static bool literal_blank(const struct attempt *a, struct draft *d)
{
    size_t next = attempt_skip(a, d->at);
    bool goes_on = assembly_letter(attempt_char(a, next)) || attempt_char(a, next) == '.';
    if (next == d->at && next > 0 && assembly_letter(attempt_char(a, next - 1)) && goes_on)
        return attempt_expect(a, d->at, "a space");
    d->at = next;
    return true;
}

bool attempt_literal(const struct attempt *a, struct draft *d, const char *literal, size_t length)
{
    size_t start = 0, start_at = d->at; /* of the modifier or word that is being compared */
    for (size_t i = 0; i < length; i++) {
        if (literal[i] == ' ') {
            if (!literal_blank(a, d))
                return false;
            continue;
        }
        size_t at = literal[i] == ',' || literal[i] == ']' ? attempt_skip(a, d->at) : d->at;
        if (i == 0 || !assembly_letter(literal[i]) || literal[i - 1] == ' ') {
            start = i;
            start_at = at;
        }
        if (attempt_char(a, at) != literal[i]) {
            char phrase[ASSEMBLY_PHRASE];
            size_t n = strcspn(literal + start, " ");
            n = n > length - start ? length - start : n;
            const char *quote = literal[start] == '.' ? "" : "'";
            snprintf(phrase, sizeof phrase, "%s%.*s%s", quote, (int)(n > 16 ? 16 : n), literal + start, quote);
            return attempt_expect(a, start_at, phrase);
        }
        d->at = at + 1;
    }
    return true;
}

bool attempt_word(const struct attempt *a, struct draft *d, const char *word)
{
    size_t n = strlen(word);
    if (n > a->length - d->at || memcmp(a->text + d->at, word, n) != 0)
        return false;
    if (n > 0 && assembly_letter(word[n - 1]) && assembly_letter(attempt_char(a, d->at + n)))
        return false;
    d->at += n;
    return true;
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

static bool set_piece(struct draft *d, unsigned high, unsigned low, uint64_t value)
{
    for (unsigned bit = low; bit <= high; bit++, value >>= 1) {
        uint64_t one = UINT64_C(1) << (bit & 63);
        uint64_t *word = bit < 64 ? &d->word.lo : &d->word.hi;
        uint64_t *written = bit < 64 ? &d->written.lo : &d->written.hi;
        if ((*written & one) && ((*word & one) != 0) != (value & 1))
            return false;
        *written |= one;
        *word = value & 1 ? *word | one : *word & ~one;
    }
    return true;
}

bool draft_set_bits(struct draft *d, unsigned high, unsigned low, uint64_t value)
{
    return set_piece(d, high, low, value);
}

bool draft_set(struct draft *d, const struct syntax_field *field, uint64_t value)
{
    for (unsigned i = field->pieces; i-- > 0;) {
        unsigned width = field->high[i] - field->low[i] + 1u;
        if (!set_piece(d, field->high[i], field->low[i], value))
            return false;
        value = width == 64 ? 0 : value >> width;
    }
    return true;
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

bool attempt_number(const struct attempt *a, struct draft *d, struct assembly_number *out)
{
    size_t at = d->at;
    *out = (struct assembly_number){.column = at};
    if (attempt_char(a, at) == '-' || attempt_char(a, at) == '+')
        out->negative = attempt_char(a, at++) == '-';
    unsigned base = 10;
    if (attempt_char(a, at) == '0' && (attempt_char(a, at + 1) | 0x20) == 'x' &&
        digit_value(attempt_char(a, at + 2)) < 16) {
        base = 16;
        at += 2;
    }
    if (digit_value(attempt_char(a, at)) >= base)
        return false;
    for (unsigned digit; (digit = digit_value(attempt_char(a, at))) < base; at++) {
        out->too_large |= out->magnitude > (UINT64_MAX - digit) / base;
        out->magnitude = out->magnitude * base + digit;
    }
    if (assembly_letter(attempt_char(a, at)))
        return false;
    d->at = at;
    return true;
}

bool attempt_fit(const struct attempt *a, const struct draft *d, const struct assembly_number *n, unsigned width,
                 enum assembly_range range, uint64_t *value)
{
    uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1, half = UINT64_C(1) << (width - 1);
    uint64_t most = range == RANGE_SIGNED ? half - 1 : mask, least = range == RANGE_UNSIGNED ? 0 : half;
    if (n->too_large || n->magnitude > (n->negative ? least : most))
        return attempt_fail(a, d->at, n->column,
                            "%.*s does not fit here: the value must lie between %s0x%llx and 0x%llx",
                            (int)(d->at - n->column > 40 ? 40 : d->at - n->column), a->text + n->column,
                            least ? "-" : "", (unsigned long long)least, (unsigned long long)most);
    *value = (n->negative ? -n->magnitude : n->magnitude) & mask;
    return true;
}

/* ---- floating point ---------------------------------------------------------------------------------------------- */

static bool read_special(const struct attempt *a, struct draft *d, unsigned mantissa, unsigned exponent, uint64_t *bits)
{
    static const char *const names[] = {"INF", "QNAN", "SNAN"};
    struct draft next = *d;
    char sign = attempt_char(a, next.at);
    next.at += sign == '-' || sign == '+';
    /* Compiled code has the NaN of all ones, and the negative one that only is quiet. */
    uint64_t quiet = sign == '-' ? UINT64_C(1) << (mantissa - 1) : (UINT64_C(1) << mantissa) - 1;
    uint64_t fraction[] = {0, quiet, (UINT64_C(1) << (mantissa - 1)) - 1};
    for (unsigned i = 0; i < 3; i++) {
        if (attempt_word(a, &next, names[i])) {
            d->at = next.at;
            *bits = (uint64_t)(sign == '-') << (mantissa + exponent) | ((UINT64_C(1) << exponent) - 1) << mantissa |
                    fraction[i];
            return true;
        }
    }
    return false;
}

/* Nearest value of the format, ties to the even one. */
static uint64_t round_to(double v, unsigned mantissa, unsigned exponent)
{
    uint64_t sign = (uint64_t)(signbit(v) != 0) << (mantissa + exponent), infinite = (UINT64_C(1) << exponent) - 1;
    int bias = (1 << (exponent - 1)) - 1, power;
    v = fabs(v);
    if (v == 0)
        return sign;
    frexp(v, &power);
    power = power - 1 < 1 - bias ? 1 - bias : power - 1;
    uint64_t scaled = (uint64_t)nearbyint(ldexp(v, (int)mantissa - power));
    /* The hidden one and a carry out of the fraction both count up the exponent. */
    uint64_t bits = ((uint64_t)(power + bias - 1) << mantissa) + scaled;
    return sign | (bits >> mantissa >= infinite ? infinite << mantissa : bits);
}

bool attempt_float(const struct attempt *a, struct draft *d, unsigned mantissa, unsigned exponent, uint64_t *bits)
{
    if (read_special(a, d, mantissa, exponent, bits))
        return true;
    char copy[64] = "";
    for (size_t n = 0; n + 1 < sizeof copy && attempt_char(a, d->at + n); n++) {
        if (!strchr("+-.0123456789eE", a->text[d->at + n]))
            break;
        copy[n] = a->text[d->at + n];
    }
    char *end;
    double v = strtod(copy, &end);
    if (end == copy || assembly_letter(attempt_char(a, d->at + (size_t)(end - copy))))
        return attempt_expect(a, d->at, "a number");
    size_t column = d->at;
    d->at += (size_t)(end - copy);
    *bits = round_to(v, mantissa, exponent);
    if (isinf(v) || (*bits >> mantissa & ((UINT64_C(1) << exponent) - 1)) == (UINT64_C(1) << exponent) - 1)
        return attempt_fail(a, d->at, column, "%s is too large for the format; infinity is written +INF", copy);
    return true;
}
